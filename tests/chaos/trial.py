"""One attack: a seed chooses a problem and its faults; then the run must have ended as it may.

Without losses of memory, and with rewards that can be read again, it says what the run of its seed
in one process says: every symbol, drop, round and bit. Otherwise all that was read must be true of
the rewards, and the claim no stronger than the design's table of events allows.
"""

import logging
import random
from collections import Counter
from dataclasses import dataclass
from enum import Enum

from chaos.faults import EMPTIED, FOLLOWED, HARMLESS, LOSSES, Fault, mend, thaw, thaw_agents
from chaos.schemes import SCHEMES
from chaos.storm import Storm, storm_of
from chaos.world import FROZEN, ChaosWorld
from drives import drive_problem, story
from runtime.memories import Operator, assert_sound
from wires.crashes import Points

from bitarm.core.events import (
    AgentJoined,
    FleetAssigned,
    LearnerEvent,
    PositionTold,
    PullsCounted,
    ReportAccepted,
    TrafficMeasured,
)
from bitarm.core.replay import replay
from bitarm.core.standings import Standings, follow

_PASSES = 250  # of the storm
_MOST_PASSES = 6_000  # after it, until the run must be over
_LEFT_OVER = 800  # passes after the end, after which somebody ends what still waits
_OF_THE_NETWORK = FleetAssigned | TrafficMeasured | PullsCounted | AgentJoined


class Verdict(Enum):
    """How an attacked run ended, where it ended as it may."""

    IDENTICAL = "identical to the run in one process"
    SOUND = "another course, the same claim"
    REDUCED = "a smaller claim, or none"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What a seed stands for."""

    seed: int
    scheme: str
    gateways: int | None
    live: bool  # rewards that cannot be had again
    forgets: bool  # faults that lose what was told are among them
    orderly: bool  # the broker keeps the order of what one client says, as ours does

    @classmethod
    def of(cls, seed: int) -> "Trial":
        """The trial of a seed; each scheme in turn."""
        rng = random.Random(f"trial/{seed}")
        return cls(
            seed=seed,
            scheme=list(SCHEMES)[seed % len(SCHEMES)],
            gateways=rng.choice([None, None, 1, 2]),
            live=rng.random() < 0.3,
            forgets=rng.random() < 0.3,
            orderly=rng.random() < 0.7,
        )


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A trial that ended as it may, and the faults that it had."""

    verdict: Verdict
    faults: Counter[str]
    has_left_over: bool  # processes that somebody had to end


def attempt(trial: Trial) -> Ended:
    """Attack one run; AssertionError if it does not end, or not as it may."""
    rng = random.Random(f"faults/{trial.seed}")
    problem = SCHEMES[trial.scheme](trial.seed)
    deaths = frozenset(rng.sample(range(1, 1_500), rng.choice([0, 5, 20])))
    world = ChaosWorld(
        problem,
        gateways=trial.gateways,
        live=trial.live,
        orderly=trial.orderly,
        storm=storm_of(rng),
        points=Points(deaths),
        rng=rng,
    )
    operator, logger = Operator(world), logging.getLogger("bitarm.learner")
    logger.addHandler(operator)
    try:
        _attack(world, HARMLESS | (LOSSES if trial.forgets else {}))
        has_left_over = _calm(world)
    finally:
        logger.removeHandler(operator)
    return Ended(verdict=_judge(world, trial), faults=world.counts, has_left_over=has_left_over)


def _attack(world: ChaosWorld, faults: dict[str, Fault]) -> None:
    names, eager = list(faults), world.rng.choice([0.1, 0.3, 0.6])
    for _ in range(_PASSES):
        if world.has_ended and world.over:
            return
        if world.rng.random() < eager:
            name = world.rng.choice(names)
            world.counts[name] += faults[name](world)
        world.tick()
        world.tend()


def _calm(world: ChaosWorld) -> bool:
    """From here on nothing goes wrong: the run must come to its end.

    Returns whether some process did not learn of it: a broker that loses its memory after the end
    tells nobody. Such a process waits, and says for whom, until somebody ends it, or resumes the
    run, which says that word again.
    """
    world.storm = Storm(counts=world.counts)
    world.weather = world.storm
    world.points.kill_at = frozenset()
    world.disk.full_for = 0
    passes_after = 0
    for _ in range(_MOST_PASSES):
        thaw(world)
        thaw_agents(world)
        mend(world)
        if world.over and world.has_ended and FROZEN not in world.nodes:
            return False
        passes_after += world.has_ended
        if passes_after > _LEFT_OVER:
            assert world.counts[EMPTIED], "nobody lost the word that the run is over"
            return True
        world.tick()
        world.tend()
        world.come_back()
    raise AssertionError(f"the run did not end: {world.kept.runs()}")


def _judge(world: ChaosWorld, trial: Trial) -> Verdict:
    events = world.kept.events
    replay(events)  # the journal does not contradict itself
    is_same = story(_said(events)) == story(drive_problem(world.problem).events)
    is_restored = any(isinstance(event, PositionTold) for event in events)
    if not trial.live and not trial.forgets and not is_same:
        # A learner that was followed has a copy of the journal. If it moves again while nobody
        # else speaks, agents go on with it: then its successor's journal is the older one, and
        # agents tell it that they are ahead. Nothing else may change a run's course.
        assert world.counts[FOLLOWED], "another run than in one process"
        assert is_restored, "another run than in one process, and no agent was ahead"
    result = assert_sound(world)
    assert result.restored or not is_restored, "a past that is lost, and not told"
    is_whole = result.guarantee == world.problem.spec.delta
    # A past that is lost is paid for where arms judge themselves: that much is less than whole. So
    # is, where the broker mixes up what a client says, an answer that overtook its process's first
    # status: it counts as the predecessor's.
    is_paid = is_restored or (not trial.orderly and _overtook_statuses(world))
    is_paid = is_paid and result.guarantee is not None
    assert is_whole or is_paid or trial.forgets, f"nothing was lost: {result.guarantee_reason}"
    if is_same:
        return Verdict.IDENTICAL
    return Verdict.SOUND if is_whole else Verdict.REDUCED


def _overtook_statuses(world: ChaosWorld) -> bool:
    """Whether an answer of live rewards was read before the learner knew of the process it is of.

    MQTT keeps the order of one topic, statuses and answers have two: only a broker that keeps the
    order of one client spares the learner this. If that process began with fewer rewards than its
    answers tell, the learner must take them for its predecessor's, and for lost.
    """
    standings: Standings | None = None
    for event in world.kept.events:
        if isinstance(event, ReportAccepted) and world.live:
            assert standings is not None
            assert standings.fleet is not None
            asked = standings.arms[event.arm].request
            assert asked is not None
            joined = standings.joined[standings.fleet.agents[event.arm]]
            answers = world.had[asked.run, event.arm, asked.message]
            if not {one.boot for one in joined} & {one.boot for one in answers}:
                return True
        standings = follow(standings, event)
    return False


def _said(events: list[LearnerEvent]) -> list[LearnerEvent]:
    return [event for event in events if not isinstance(event, _OF_THE_NETWORK)]
