"""Whole runs with the real learner: agents on boards take part as the agent of the core does."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from devices.benches import Bench, FileBench, PythonBench, process_bench
from devices.runs import FRACTION, WORLDS, Tape, World, run

from bitarm.core.learner import Learner
from bitarm.runtime.embedded import EmbeddedRun
from bitarm.store import MemoryJournal


class TapeRewards:
    """A tape as a source of rewards."""

    def __init__(self, tape: Tape) -> None:
        self._tape, self._read = tape, 0

    def pull(self, count: int) -> Sequence[float]:
        rewards = self._tape.read(self._read, count)
        self._read += count
        return [reward * 2.0**-FRACTION for reward in rewards]


def in_process(world: World) -> Learner:
    learner = Learner(world.setup)
    sources = [TapeRewards(world.tape(arm)) for arm in range(len(world.means))]
    EmbeddedRun(learner, sources, MemoryJournal(), clip=False, watch=lambda events: None).run()
    return learner


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_every_agent_says_what_the_core_says(world: World, bench: Bench) -> None:
    went = run(world, [bench] * len(world.means))
    expected = run(world, [PythonBench()] * len(world.means))
    assert went.ending.best_arm is not None
    assert went == expected


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_three_kinds_of_agents_in_one_run_end_as_the_run_in_one_process(
    world: World, programs: dict[str, Path]
) -> None:
    with process_bench([str(programs["c"])]) as in_c:
        kinds: list[Bench] = [PythonBench(), FileBench(), in_c]
        went = run(world, [kinds[arm % 3] for arm in range(len(world.means))])
    assert went.ending == in_process(world).ending


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS[:3], ids=lambda world: world.name)
def test_micropython_takes_part(world: World, node_bench: Bench) -> None:
    kinds = [node_bench, PythonBench()]
    went = run(world, [kinds[arm % 2] for arm in range(len(world.means))])
    assert went == run(world, [PythonBench()] * len(world.means))


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_the_emulated_board_takes_part(world: World, small_bench: Bench) -> None:
    went = run(world, [small_bench] * len(world.means))
    expected = run(world, [PythonBench()] * len(world.means))
    assert went.said == expected.said
    assert went.ending == expected.ending
