"""Epochs that are not ours: nothing that was said in them is read, and they stop nobody."""

import pytest
from drives import drive_problem, story
from runtime.memories import PROBLEMS, assert_sound, events_of, journal_of, run_attended, world_of
from tapes import Problem
from wires.runs import RUN
from wires.world import World

from bitarm import wire
from bitarm.core.epochs import split_field
from bitarm.core.events import (
    AgentJoined,
    EpochBegan,
    FleetAssigned,
    LearnerEvent,
    TrafficMeasured,
)
from bitarm.core.messages import Position, Report
from bitarm.core.outcome import Outcome
from bitarm.core.result import RunResult, result_of
from bitarm.core.standings import Standings
from bitarm.runtime.service import Publication
from bitarm.wire.status import Presence, Status, dump_status
from bitarm.wire.topics import LEARNER, Subject, Topics

pytestmark = pytest.mark.slow

_PAPER = PROBLEMS["paper"]


def _result(world: World) -> RunResult:
    return result_of(Standings.of(journal_of(world).events))


def _said(events: list[LearnerEvent]) -> list[LearnerEvent]:
    others = FleetAssigned | TrafficMeasured | AgentJoined
    return [event for event in events if not isinstance(event, others)]


def _tick(world: World, passes: int) -> None:
    for _ in range(passes):
        world.tick()


def _say(world: World, agent: str, payload: bytes) -> None:
    topic = Topics(RUN).of(agent, Subject.STATUS)
    world.publish(Publication(topic=topic, payload=payload, retain=True))


@pytest.mark.parametrize("lost", [1, 2, 3, 4])
@pytest.mark.parametrize("first", [12, 16, 20, 24])
def test_an_epoch_that_two_learners_took_is_not_mistaken_for_one(first: int, lost: int) -> None:
    """A journal from before a resume, and a broker that forgot: both are in epoch 2, with other
    questions under the same numbers. What answers the first must not be read by the second.
    """
    world = world_of(_PAPER, live=True)
    for _ in range(first):
        world.tick()
    assert not world.learner.finished
    backup = max(1, len(journal_of(world).transactions) - lost)
    world.kill(LEARNER, away=0.25)
    for _ in range(2):
        world.tick()
    world.kill(LEARNER, away=0.25)
    world.journal = journal_of(world).prefix(backup)
    world.retained = {}
    run_attended(world, most_passes=3000)  # agents that were dismissed are started again
    assert _result(world).outcome is Outcome.DECIDED
    assert_sound(world)


@pytest.mark.parametrize("epoch", [65, 100, 127, 128, 200, 255])
@pytest.mark.parametrize("is_resumed", [False, True])
def test_an_epoch_that_jumps_stops_nobody(epoch: int, *, is_resumed: bool) -> None:
    """Whether the learner hears of it while it runs, or finds it when it begins again."""
    world = world_of(_PAPER, live=False)
    for _ in range(8):
        world.tick()
    opening = world.learner.opening
    status = Status(presence=Presence.ONLINE, opening=opening, epoch=1 + epoch & 0xFF, boot="x")
    _say(world, "gw-0", dump_status(status))
    if is_resumed:
        world.kill(LEARNER)
    world.tick()
    world.kill("gw-0")  # the agent itself comes back, and says what is true
    world.run(most_passes=3000)
    assert _result(world).outcome is Outcome.DECIDED
    taken = [event.epoch for event in journal_of(world).events if isinstance(event, EpochBegan)]
    assert taken in ([], [2], [2, 3])


@pytest.mark.parametrize("field", ["boot", "life", "opening", "reason"])
def test_half_a_character_in_a_status_is_refused(field: str) -> None:
    world = world_of(_PAPER, live=False)
    for _ in range(8):
        world.tick()
    whole = dump_status(Status(presence=Presence.ONLINE, opening=world.learner.opening, epoch=1))
    broken = whole[:-1] + f',"{field}":"\\ud800"}}'.encode()
    _say(world, "gw-0", broken)
    world.tick()
    world.kill("gw-0")
    world.run(most_passes=3000)
    assert _result(world).outcome is Outcome.DECIDED


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_a_later_epoch_that_an_agent_tells_costs_a_few_messages(problem: Problem) -> None:
    """Until it is outbid nothing is asked of it: neither talks for ever."""
    world = world_of(problem, live=False)
    for _ in range(8):
        world.tick()
    opening = world.learner.opening
    status = Status(presence=Presence.ONLINE, opening=opening, epoch=7, boot="x")
    _say(world, "gw-0", dump_status(status))
    before = world.sent["request"] + world.sent["status"]
    for _ in range(10):  # two and a half seconds, in which another learner may speak
        world.tick()
    assert world.sent["request"] + world.sent["status"] - before < 20
    world.kill("gw-0")
    world.run(most_passes=3000)
    assert _result(world).outcome is Outcome.DECIDED


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_reports_that_come_hours_late_are_not_read_and_counted(problem: Problem) -> None:
    """All that was ever sent in earlier epochs comes once more, at every later point of the run."""
    world = world_of(problem, live=False)
    sent: list[Publication] = []
    publish = world.publish

    def remember(publication: Publication) -> None:
        if publication.topic.endswith(Subject.REPORT.value):
            sent.append(publication)
        publish(publication)

    world.publish = remember  # type: ignore[method-assign]
    refused = 0
    for _ in range(3):
        _tick(world, 3)
        world.kill(LEARNER)
        world.run(until=lambda: world.nodes[LEARNER].service is not None)
        _tick(world, 2)  # the agents are here again, and have been asked
        (*_, epoch) = [event.epoch for event in events_of(world) if isinstance(event, EpochBegan)]
        late = [message for message in sent if _epoch(message) != epoch]
        counted = world.learner.refusals.total
        for publication in late:
            world.learner.received(publication.topic, publication.payload)
        for publication in world.learner.step(world.now):
            world.publish(publication)
        assert world.learner.refusals.total == counted + len(late)
        refused += len(late)
    assert refused > 12
    world.run(most_passes=1500)
    assert story(_said(events_of(world))) == story(drive_problem(problem).events)


def _epoch(publication: Publication) -> int:
    answer, *_ = wire.decode(publication.payload)
    assert isinstance(answer, Report | Position)
    return split_field(answer.run)[1]
