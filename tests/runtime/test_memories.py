"""Agents' memories that go back in time, are lost, damaged, swapped or doubled: the run ends, what
it reads is true, and it claims no more than the table in docs/network.md allows.

All in one process, with the real services. Rewards are live: what is forgotten is gone.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from drives import drive_problem, story
from runtime.memories import (
    DELTA,
    PROBLEMS,
    assert_sound,
    events_of,
    keeper_of,
    readings,
    run_attended,
    run_until_saved,
    run_until_told,
    sequences,
    world_of,
)
from tapes import Problem
from wires.memories import HistoryKeeper, TransactionJournal
from wires.runs import fleet_of
from wires.world import World

from bitarm.core.events import (
    AgentJoined,
    ArmDropped,
    FleetAssigned,
    LearnerEvent,
    LivesBegan,
    ReportAccepted,
    TrafficMeasured,
)
from bitarm.errors import StoreError
from bitarm.runtime.agent.file import AgentFile
from bitarm.runtime.agent.memory import Keeper
from bitarm.runtime.agent.service import AgentService
from bitarm.wire.topics import LEARNER

pytestmark = pytest.mark.slow

_both = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def _saves(problem: Problem, name: str, *, live: bool) -> int:
    """How often an agent saves in a run in which nothing happens."""
    world = world_of(problem, live=live)
    world.run()
    assert assert_sound(world).guarantee == DELTA
    return len(keeper_of(world, name).history)


def _put_back(problem: Problem, name: str, reached: int, back: int, *, live: bool) -> World:
    """A run in which an agent is killed after so many saves, to go on from what was there after
    fewer."""
    world = world_of(problem, live=live)
    run_until_saved(world, name, reached)
    world.kill(name)
    keeper_of(world, name).put_back(back)
    return world


def _told_and_lost(world: World, arm: int, began_with: int) -> bool:
    """Whether an agent's second process began with fewer rewards than were told of its arm."""
    told, processes = 0, 0
    for event in events_of(world):
        match event:
            case ReportAccepted() if event.arm == arm:
                told = event.pulls
            case ArmDropped() if event.arm == arm:
                return False  # nobody asks it any more
            case AgentJoined() if event.agent == f"gw-{arm}":
                processes += 1
                if processes == 2:
                    return began_with < told
    return False


@pytest.mark.parametrize("arm", [0, 2])
@_both
def test_an_agent_goes_back_to_earlier_saves(problem: Problem, arm: int) -> None:
    """From each of its saves to the one before, to none, and to one between."""
    name, path = f"gw-{arm}", problem.spec.sampling.along_path
    seen = set()
    for reached in range(1, _saves(problem, name, live=True) + 1):
        for back in sorted({0, reached // 2, reached - 1}):
            world = _put_back(problem, name, reached, back, live=True)
            memory = keeper_of(world, name).load()
            began_with = memory.arms[arm].pulls if memory else 0
            world.run(most_passes=2000)
            result = assert_sound(world)
            lost = _told_and_lost(world, arm, began_with)
            second = _joined(world, name)[1:2]  # if the learner heard of it
            assert all(joined.went_on is (began_with > 0) for joined in second)
            assert result.forgotten == lost, (reached, back)
            contradicted = "two different answers" in result.guarantee_reason
            if contradicted:
                assert result.guarantee is None
            else:
                assert result.guarantee == DELTA * (2 if lost and path else 1)
                assert ("lost with an agent's memory once" in result.guarantee_reason) is lost
            seen.add((lost, contradicted))
    assert {(False, False), (True, False)} <= seen


@_both
def test_a_life_that_told_nothing_costs_nothing(problem: Problem) -> None:
    """A process dies with its memory before it was asked: its successor has another life."""
    world = world_of(problem)
    world.orderly = True
    for heard_of in (1, 2):
        world.run(until=lambda: len(_lives(world, "gw-2")) == heard_of)  # noqa: B023
        world.kill("gw-2")
        keeper_of(world, "gw-2").put_back(0)
    world.run()
    assert len(set(_lives(world, "gw-2"))) == 3
    assert not any(isinstance(event, LivesBegan) for event in events_of(world))
    assert assert_sound(world).guarantee == DELTA


def _joined(world: World, agent: str) -> list[AgentJoined]:
    joined = [event for event in events_of(world) if isinstance(event, AgentJoined)]
    return [event for event in joined if event.agent == agent]


def _lives(world: World, agent: str) -> list[str]:
    return [joined.life for joined in _joined(world, agent)]


@_both
def test_a_source_that_can_be_read_again_forgets_nothing(problem: Problem) -> None:
    """Whatever its agent forgets: the run is the clean run, bit for bit."""
    clean = story(drive_problem(problem).events)
    name = "gw-1"
    for reached in range(1, _saves(problem, name, live=False) + 1):
        for back in range(0, reached, 2):
            world = _put_back(problem, name, reached, back, live=False)
            world.run(most_passes=2000)
            assert story(_of_the_learner(world)) == clean, (reached, back)


def _of_the_learner(world: World) -> list[LearnerEvent]:
    others = FleetAssigned | TrafficMeasured | AgentJoined
    return [event for event in events_of(world) if not isinstance(event, others)]


@_both
def test_memory_that_is_lost_again_and_again_is_counted_each_time(problem: Problem) -> None:
    """And from a level of 1 on, nothing is claimed."""
    claims = []
    for losses in range(1, 7):
        world = world_of(problem)
        for number in range(losses):
            name = f"gw-{1 + number % 2}"
            run_until_told(world, number + 1)
            if not world.learner.finished:
                world.kill(name)
                keeper_of(world, name).put_back(0)
        world.run(most_passes=4000)
        result = assert_sound(world)
        claims.append((result.forgotten, result.guarantee, result.guarantee_reason))
    forgotten, levels, reasons = zip(*claims, strict=True)
    assert max(forgotten) >= 3
    if not problem.spec.sampling.along_path:
        assert set(levels) == {DELTA}
        return
    assert levels[0] == 2 * DELTA
    known = [level for level in levels if level is not None]
    assert known == sorted(known)
    assert levels[-1] == known[-1] or "must be paid for anew each time" in reasons[-1]


# -- two processes --------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [False, True], ids=["apart", "copied"])
@pytest.mark.parametrize("every", [3, 7, 12, 30])
@_both
def test_two_processes_of_one_agent_take_turns_on_the_wire(
    problem: Problem, every: int, *, copied: bool
) -> None:
    """On two machines, each with a memory of its own, they push each other off the broker."""
    name = "gw-2"
    world = world_of(problem)
    run_until_saved(world, name, 5)
    first = keeper_of(world, name)
    second = first.copy() if copied else HistoryKeeper()
    here = (first, world.nodes[name].service)
    there = (second, world.begin_agent(name, second))
    turns = 0
    while not world.learner.finished and turns < 300:
        world.cut(name)
        here, there = there, here
        keeper, service = here
        assert isinstance(service, AgentService)
        world.keepers[name], world.nodes[name].service = keeper, service
        if not service.finished:
            world.connect(name)
        for _ in range(every):
            world.tick()
        turns += 1
    assert world.learner.finished, "the run did not end"
    events = events_of(world)
    found = [reading for reading in readings(world, events) if reading.event.arm == 2]
    result = assert_sound(world)
    if sequences(found, 3)[2] > 1:
        assert result.guarantee is None or result.forgotten > 0
        assert not problem.spec.sampling.along_path or result.guarantee != DELTA
    if turns > 2:
        assert result.guarantee is None
        assert "agent gw-2 is served by two processes at once" in result.guarantee_reason


@_both
def test_a_predecessor_that_comes_back_while_the_learner_is_away_is_seen(problem: Problem) -> None:
    """What the broker kept of it is not believed; what it says when it is spoken to is."""
    name = "gw-2"
    world = world_of(problem)
    run_until_told(world, 1)
    first, second = keeper_of(world, name), HistoryKeeper()
    services = (world.nodes[name].service, world.begin_agent(name, second))
    for keeper, service in ((second, services[1]), (first, services[0])):
        for end in (LEARNER, name):
            world.cut(end)
        world.keepers[name], world.nodes[name].service = keeper, service
        for end in (name, LEARNER):
            world.connect(end)
        for _ in range(6):
            world.tick()
    run_attended(world)
    result = assert_sound(world)
    assert result.guarantee is None
    assert "agent gw-2 is served by two processes at once" in result.guarantee_reason


@_both
def test_a_broker_that_goes_back_in_time_is_not_a_second_process(problem: Problem) -> None:
    """It crashed, and its disk had the status of a process that is gone."""
    world = world_of(problem)
    run_until_told(world, 1)
    kept = dict(world.retained)
    for name in ("gw-1", "gw-2"):
        world.kill(name)
    run_until_told(world, 2)
    world.restart_broker(kept=kept)
    world.run()
    result = assert_sound(world)
    assert (result.guarantee, result.forgotten) == (DELTA, 0)


# -- files ----------------------------------------------------------------------------------------


@contextmanager
def _on_disk(problem: Problem, folder: Path, *, live: bool = True) -> Iterator[World]:
    fleet = fleet_of(problem)
    files = {name: AgentFile(folder / f"{name}.json") for name in fleet.agents}
    keepers: dict[str, Keeper] = dict(files)
    try:
        yield World(problem, fleet, TransactionJournal(), keepers, live=live)
    finally:
        for file in files.values():
            file.close()


def _change_a_digit(path: Path) -> None:
    text = path.read_text()
    found = re.search(r'"pulls": (\d)', text)
    assert found is not None
    at = found.start(1)
    path.write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :])


def _swap(path: Path) -> None:
    other = path.with_name("gw-0.json")
    mine, others = path.read_text(), other.read_text()
    path.write_text(others)
    other.write_text(mine)


@pytest.mark.parametrize("live", [True, False], ids=["live", "replayable"])
@pytest.mark.parametrize("rounds", [1, 2, 3])
@_both
def test_a_file_that_is_deleted_is_a_new_life(
    problem: Problem, rounds: int, *, live: bool, tmp_path: Path
) -> None:
    with _on_disk(problem, tmp_path, live=live) as world:
        run_until_told(world, rounds)
        world.kill("gw-2")
        (tmp_path / "gw-2.json").unlink()
        world.run(most_passes=2000)
        events = events_of(world)
        assert len(set(_lives(world, "gw-2"))) == 2
        began = [event for event in events if isinstance(event, LivesBegan)]
        if not live:
            assert began == []
            assert story(_of_the_learner(world)) == story(drive_problem(problem).events)
        else:
            assert [(event.arms, event.pulls) for event in began] == [((2,), (0,))]


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (_change_a_digit, "its check sum is wrong: it was damaged, or edited"),
        (_swap, "the memory here is agent gw-0's, and this is agent gw-2"),
        (lambda path: path.write_text("{"), "is no memory of an agent"),
    ],
    ids=["a digit", "swapped", "cut short"],
)
@_both
def test_a_file_that_is_not_its_own_is_refused_until_it_is_removed(
    problem: Problem, damage: object, why: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert callable(damage)
    with _on_disk(problem, tmp_path) as world, caplog.at_level(logging.WARNING):
        run_until_told(world, 3)
        world.kill("gw-2")
        world.kill("gw-0")
        damage(tmp_path / "gw-2.json")
        damaged = (tmp_path / "gw-2.json").read_text()
        for _ in range(40):
            world.tick()
        service = world.nodes["gw-2"].service
        assert isinstance(service, AgentService)
        assert service.finished
        assert isinstance(service.failure, StoreError)
        assert why in str(service.failure)
        assert "Put the right file back; or remove it, and the agent begins anew" in str(
            service.failure
        )
        assert "agent gw-2 failed" in caplog.text  # the learner has heard of it
        assert why in caplog.text
        assert (tmp_path / "gw-2.json").read_text() == damaged  # nothing is overwritten
        assert not world.learner.finished
        if damage is _swap:
            _swap(tmp_path / "gw-2.json")  # its own again: nothing was lost
        else:
            (tmp_path / "gw-2.json").unlink()
        world.kill("gw-2")
        world.kill("gw-0")
        world.run(most_passes=2000)
        began = [event for event in events_of(world) if isinstance(event, LivesBegan)]
        assert len(began) == (0 if damage is _swap else 1)


def test_for_whom_a_run_waits_is_said(caplog: pytest.LogCaptureFixture) -> None:
    world = world_of(PROBLEMS["paper"])
    run_until_told(world, 2)
    world.kill("gw-1", away=1e9)
    with caplog.at_level(logging.WARNING, logger="bitarm.learner"):
        for _ in range(300):
            world.tick()
    said = [record.getMessage() for record in caplog.records]
    lines = [line for line in said if line.endswith("that are not connected: gw-1")]
    assert [line.split(" for agents")[0] for line in lines] == [
        f"run lab has waited {seconds} s" for seconds in (5, 15, 35)
    ]
