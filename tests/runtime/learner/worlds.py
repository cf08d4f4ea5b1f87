"""A learner's service among agents on a wire of the test, and what is in its journal."""

from collections import defaultdict

from tapes import Problem, Tape, make_spec
from wires.memories import MemoryKeeper
from wires.runs import RUN
from wires.world import World

from bitarm.core.events import (
    AgentJoined,
    FleetAssigned,
    LearnerEvent,
    TrafficMeasured,
)
from bitarm.core.limits import Limits
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq
from bitarm.core.result import RunResult, result_of
from bitarm.core.standings import Standings
from bitarm.runtime.learner.service import LearnerService
from bitarm.runtime.service import Publication
from bitarm.store import MemoryJournal
from bitarm.wire.topics import LEARNER, Topics

TOPICS = Topics(RUN)


def problem_with(arms: int = 3) -> Problem:
    return Problem(
        spec=make_spec(arms=arms, quantizer=Icq(bits=3, prior="uniform")),
        policy=SuccessiveElimination(),
        limits=Limits(rounds=14),
        tape=Tape(
            seed=3,
            means=tuple(200 + 200 * arm for arm in range(arms)),
            spread=150,
            bounds=(0, 1024),
        ),
    )


def world_of(fleet: FleetAssigned, problem: Problem | None = None) -> World:
    keepers = {name: MemoryKeeper() for name in fleet.agents}
    return World(problem or problem_with(), fleet, MemoryJournal(), dict(keepers))


def events_in(world: World) -> list[LearnerEvent]:
    return [entry.event for entry in world.journal.read(1)]


def said_in(world: World) -> list[LearnerEvent]:
    """What the learner itself put down."""
    others = FleetAssigned | TrafficMeasured | AgentJoined
    return [event for event in events_in(world) if not isinstance(event, others)]


def result_in(world: World) -> RunResult:
    return result_of(Standings.of(events_in(world)))


def service_in(world: World) -> LearnerService:
    service = world.nodes[LEARNER].service
    assert isinstance(service, LearnerService)
    return service


def pass_a_while(world: World, passes: int = 4) -> None:
    for _ in range(passes):
        world.tick()


class Scales:
    """Weighs what passes on the topics of a world."""

    def __init__(self, world: World) -> None:
        self.sizes: dict[str, list[int]] = defaultdict(list)
        self._publish = world.publish
        world.publish = self.weigh  # type: ignore[method-assign]

    def weigh(self, publication: Publication) -> None:
        self.sizes[publication.topic.rsplit("/", 1)[1]].append(len(publication.payload))
        self._publish(publication)
