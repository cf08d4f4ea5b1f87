"""Two learners of one run: one was taken for dead and moves again, or two were started at once.

One of them yields and says so; no agent acts on a word of it; the other ends the run as if it had
been alone. All in one process, with the real services.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from drives import drive_problem, story
from runtime.memories import (
    DELTA,
    PROBLEMS,
    assert_sound,
    events_of,
    journal_of,
    run_attended,
    world_of,
)
from tapes import Problem
from wires.memories import TransactionJournal
from wires.runs import fleet_of
from wires.world import TICK, Node, World

from bitarm.core.events import (
    AgentJoined,
    FleetAssigned,
    LearnerEvent,
    TrafficMeasured,
)
from bitarm.core.replay import replay
from bitarm.errors import StoreError, TransportError
from bitarm.runtime.agent.memory import Keeper
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.learner.service import LearnerService
from bitarm.runtime.service import Publication
from bitarm.store import SqliteJournal
from bitarm.wire.topics import LEARNER, Subject

pytestmark = pytest.mark.slow

OLD = "thawed"
SECOND = "second"
_both = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def _said(events: list[LearnerEvent]) -> list[LearnerEvent]:
    others = FleetAssigned | TrafficMeasured | AgentJoined
    return [event for event in events if not isinstance(event, others)]


def _tick(world: World, passes: int) -> None:
    for _ in range(passes):
        world.tick()


def _service(world: World, name: str) -> LearnerService:
    service = world.nodes[name].service
    assert isinstance(service, LearnerService)
    return service


def _freeze(world: World) -> None:
    """The learner stops; another goes on from the journal, and the old one has a copy."""
    world.freeze_learner(OLD)
    world.journal = journal_of(world).prefix(len(journal_of(world).transactions))


def _thaw_connected(world: World) -> None:
    """The broker has kept the connection, and everything that was said meanwhile."""
    world.thaw(OLD)


def _thaw_cut_off(world: World) -> None:
    """It acts on what it had read before it finds that its connection is gone."""
    node = world.nodes[OLD]
    node.backlog = [
        message for message in node.backlog if not message[0].endswith("learner/status")
    ]
    world.thaw(OLD)
    node.connected = False  # what it says now goes nowhere
    world.tick()
    service = _service(world, OLD)
    if not service.finished:
        service.disconnected(world.now)
        world.connect(OLD)


def _thaw_agents_first(world: World) -> None:
    """It connects anew, and hears the agents before it hears of the other learner."""
    world.cut(OLD)
    node = world.nodes[OLD]
    node.frozen, node.backlog = False, []
    world.retained = dict(sorted(world.retained.items(), key=lambda kept: "learner" in kept[0]))
    world.connect(OLD)


def _thaw_learner_first(world: World) -> None:
    """It connects anew, and hears of the other learner first."""
    world.cut(OLD)
    node = world.nodes[OLD]
    node.frozen, node.backlog = False, []
    world.retained = dict(sorted(world.retained.items(), key=lambda kept: "learner" not in kept[0]))
    world.connect(OLD)


_WAYS = [_thaw_connected, _thaw_cut_off, _thaw_agents_first, _thaw_learner_first]


@pytest.mark.parametrize("thaw", _WAYS, ids=lambda way: way.__name__.removeprefix("_thaw_"))
@pytest.mark.parametrize("later", [1, 2, 3, 4, 6, 9])
@_both
def test_a_learner_that_is_thawed_yields_to_its_successor(
    problem: Problem, later: int, thaw: Callable[[World], None]
) -> None:
    """However far both are: rewards can be read again, so the run must be the clean one.

    Unless the old one had heard all that it needed to end the run as well.
    """
    clean, yielded = story(drive_problem(problem).events), 0
    for frozen_after in range(2, 20, 3):
        world = world_of(problem, live=False)
        _tick(world, frozen_after)
        if world.learner.finished:
            break
        old_journal = world.journal
        _freeze(world)
        _tick(world, later)
        successor = world.nodes[LEARNER].service
        if successor is None or successor.finished:
            continue
        thaw(world)
        world.run(most_passes=1500)
        assert world.learner is successor
        assert world.learner.failure is None, (frozen_after, later)
        assert story(_said(events_of(world))) == clean
        failure = _service(world, OLD).failure
        if failure is None:
            assert story(_said([entry.event for entry in old_journal.read(1)])) == clean
        else:
            assert isinstance(failure, TransportError)
            assert "another learner has taken over" in str(failure)
            yielded += 1
    assert yielded > 1


@pytest.mark.parametrize("frozen_after", [2, 5, 8, 11])
@_both
def test_a_learner_that_is_thawed_before_anybody_took_over_goes_on(
    problem: Problem, frozen_after: int
) -> None:
    world = world_of(problem, live=False)
    _tick(world, frozen_after)
    world.nodes[LEARNER].frozen = True
    _tick(world, 30)
    world.thaw(LEARNER)
    world.run(most_passes=1500)
    assert world.learner.failure is None
    assert story(_said(events_of(world))) == story(drive_problem(problem).events)


@_both
def test_a_learner_that_is_thawed_after_the_end_yields_too(problem: Problem) -> None:
    world = world_of(problem, live=False)
    _tick(world, 6)
    _freeze(world)
    _tick(world, 3)
    world.cut(OLD)  # the broker gives it up, and says so in its name
    world.run(until=lambda: world.learner.finished)
    ended = events_of(world)
    node = world.nodes[OLD]
    node.frozen, node.backlog = False, []
    world.connect(OLD)
    _tick(world, 20)
    old = _service(world, OLD)
    assert old.finished
    assert isinstance(old.failure, TransportError)
    assert events_of(world) == ended


@_both
def test_a_run_that_a_copy_of_it_ended_later_is_shown_and_told_no_more(problem: Problem) -> None:
    """Its answer is in its journal, and everybody knows that it is over: that is no failure."""
    world = world_of(problem, live=False)
    _tick(world, 6)
    copy = journal_of(world).prefix(len(journal_of(world).transactions))
    run_attended(world)
    ended, world.journal = world.journal, copy
    world.restart_broker(kept={})
    world.kill(LEARNER)
    run_attended(world)  # in a later epoch
    told = dict(world.retained)
    world.journal = ended
    world.kill(LEARNER)
    _tick(world, 60)
    assert world.learner.finished
    assert world.learner.failure is None
    ends = [topic for topic in told if topic.endswith(Subject.END.value)]
    assert [world.retained[topic] for topic in ends] == [told[topic] for topic in ends]
    assert ends


class _Ear:
    """Hears what one client says to the agents."""

    def __init__(self, world: World, name: str) -> None:
        self.heard: list[Publication] = []
        self._publish, self._step = world.publish, world._step
        self._name, self._speaks = name, False
        world.publish = self._listen  # type: ignore[method-assign]
        world._step = self._note  # type: ignore[method-assign]

    def _note(self, node: Node) -> None:
        self._speaks = node.name == self._name
        self._step(node)
        self._speaks = False

    def _listen(self, publication: Publication) -> None:
        if self._speaks:
            self.heard.append(publication)
        self._publish(publication)


@_both
def test_no_agent_acts_on_a_word_of_the_thawed_one(problem: Problem) -> None:
    """It has read all answers, and ends the run for itself; the agents go on with its successor."""
    spoke = 0
    for frozen_after in range(3, 16):
        world = world_of(problem, live=False)
        _tick(world, frozen_after)
        if world.learner.finished:
            break
        _freeze(world)
        _tick(world, 8)
        node, ear = world.nodes[OLD], _Ear(world, OLD)
        node.backlog = [
            message for message in node.backlog if message[0].endswith(Subject.REPORT.value)
        ]
        before = {name: world.keepers[name].load() for name in world.keepers}
        world.in_flight = []
        world.thaw(OLD)
        list_of = world.nodes
        world.nodes = {OLD: node}  # it alone moves
        world.tick()
        world.nodes = list_of
        for publication in ear.heard:
            for name in world.keepers:
                service = world.nodes[name].service
                assert isinstance(service, AgentService)
                if publication.topic in service.endpoint.subscriptions and not service.finished:
                    service.received(publication.topic, publication.payload)
                    spoke += 1
                    said = list(service.step(world.now))
                    assert not any(
                        publication.topic.endswith(Subject.REPORT.value) for publication in said
                    )
                    assert not service.finished
        after = {name: world.keepers[name].load() for name in world.keepers}
        assert before == after
    assert spoke > 0


@contextmanager
def _one_file(problem: Problem, path: Path) -> Iterator[tuple[World, SqliteJournal]]:
    fleet = fleet_of(problem)
    keepers: dict[str, Keeper] = dict(world_of(problem).keepers)
    old, new = SqliteJournal.open(path), SqliteJournal.open(path)
    try:
        yield World(problem, fleet, old, keepers), new
    finally:
        old.close()
        new.close()


@pytest.mark.parametrize("later", [2, 3, 8])
@_both
def test_two_learners_do_not_write_into_one_journal(
    problem: Problem, later: int, tmp_path: Path
) -> None:
    """On one machine, one file: the thawed one cannot add to it, and fails before it speaks."""
    clean, refused = story(drive_problem(problem).events), 0
    for frozen_after in range(2, 20, 3):
        with _one_file(problem, tmp_path / f"{frozen_after}.sqlite") as (world, new):
            _tick(world, frozen_after)
            world.freeze_learner(OLD)
            world.journal = new
            _tick(world, later)
            node = world.nodes[OLD]
            node.backlog = [
                message for message in node.backlog if message[0].endswith(Subject.REPORT.value)
            ]
            world.thaw(OLD)
            old = _service(world, OLD)
            try:
                said = [*old.step(world.now), *old.step(world.now + 1.0)]
            except StoreError:
                refused += 1
                world.cut(OLD)
                del world.nodes[OLD]
            else:  # nothing was there that it could have written down
                assert not any(
                    publication.topic.endswith(Subject.REQUEST.value) for publication in said
                )
            world.run(most_passes=1500)
            replay(events_of(world))
            assert story(_said(events_of(world))) == clean
    assert refused > 0


# -- started at once ------------------------------------------------------------------------------


def _two_at_once(
    world: World, transactions: int | None = None, apart: int = 0
) -> TransactionJournal:
    """Kill the learner and start two: from its journal, and from a copy of it, which may be older
    and starts so many passes later; returns the copy."""
    world.kill(LEARNER)
    first, whole = world.nodes.pop(LEARNER), journal_of(world)
    copy = whole.prefix(len(whole.transactions) if transactions is None else transactions)
    second = Node(SECOND, lambda now: world.begin_learner(copy, now))
    second.back_at = first.back_at + apart * TICK
    world.nodes = {SECOND: second, LEARNER: first, **world.nodes}
    return copy


def _winner(world: World, copy: TransactionJournal) -> TransactionJournal:
    """The journal of the one that went on; the other has yielded."""
    services = {name: _service(world, name) for name in (LEARNER, SECOND)}
    (loser,) = [name for name, service in services.items() if service.failure is not None]
    assert isinstance(services[loser].failure, TransportError)
    return copy if loser == LEARNER else journal_of(world)


@_both
def test_two_that_resume_at_once_from_two_copies(problem: Problem) -> None:
    """They take the same epoch: one yields, the other takes a later one and ends the run."""
    clean = story(drive_problem(problem).events)
    for killed_after in range(3, 9):
        world = world_of(problem, live=False)
        _tick(world, killed_after)
        copy = _two_at_once(world)
        world.run(most_passes=1500)
        assert story(_said(_winner(world, copy).events)) == clean


@pytest.mark.parametrize("apart", [0, 1, 2, 5])
@pytest.mark.parametrize("back", [1, 2, 4])
@_both
def test_two_that_resume_at_once_from_different_points(
    problem: Problem, back: int, apart: int
) -> None:
    """No answer to the one's question is read by the other, which asks another one."""
    for killed_after in range(4, 9):
        world = world_of(problem)
        _tick(world, killed_after)
        copy = _two_at_once(world, back, apart)
        run_attended(world)
        world.journal = _winner(world, copy)
        assert assert_sound(world).guarantee == DELTA
