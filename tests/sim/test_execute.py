"""Who runs the chunks, how many of them and in which order has no influence on the numbers."""

import multiprocessing
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from bitarm.core.limits import Limits
from bitarm.core.plain import dumps
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import Exact, Icq
from bitarm.core.schedule import GeometricSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError, StoreError
from bitarm.sim import execute as module
from bitarm.sim.chunks import ChunkStore
from bitarm.sim.execute import (
    ChunkTask,
    Done,
    Runner,
    execute,
    execute_all,
    in_order,
    run_here,
    run_local,
    run_pool,
    run_task,
)
from bitarm.sim.models import Bernoulli, Gaussian, Sampler
from bitarm.sim.sweep import PointResult, Sweep, merge_points, run_chunk

_CHUNKS = 7


def _setup(quantizer: Quantizer) -> Setup:
    spec = RunSpec(
        arms=("a", "b"),
        delta=0.05,
        sigma=0.5,
        bounds=(0.0, 1.0),
        quantizer=quantizer,
        width="paper",
        schedule=GeometricSchedule(growth=2.0, first=2),
        priors=(),
        seed=0,
    )
    return Setup(spec=spec, policy=SuccessiveElimination(), limits=Limits())


_SWEEP = Sweep(
    setups=(_setup(Icq(bits=3, prior="midpoint")), _setup(Exact())),
    models=(Bernoulli(mean=0.6), Bernoulli(mean=0.4)),
    trials=500 * _CHUNKS - 150,
    seed=11,
)


def _silent(done: int, trials: int) -> None:
    pass


def _text(run: Runner, sweep: Sweep = _SWEEP) -> str:
    return dumps(tuple(execute(sweep, run, store=None, progress=_silent)))


@pytest.fixture(scope="module")
def expected() -> str:
    """The sweep's results, run in this process and in order."""
    return _text(run_here)


@pytest.fixture
def any_work_is_worth_a_pool(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Starts processes for the smallest sweep; a list of how many, pool by pool."""
    pools: list[int] = []
    pool = module._pool

    def watched(tasks: Sequence[ChunkTask], workers: int) -> Iterator[Done]:
        pools.append(workers)
        return pool(tasks, workers)

    monkeypatch.setattr(module, "_WORTH_A_POOL", 0.0)
    monkeypatch.setattr(module, "_pool", watched)
    return pools


Order = Callable[[list[ChunkTask]], list[ChunkTask]]


def _tasks(indices: Iterable[int]) -> list[ChunkTask]:
    return [ChunkTask(job=0, sweep=_SWEEP, index=index) for index in indices]


def _in_order(order: Order) -> Runner:
    def run(tasks: Sequence[ChunkTask]) -> Iterator[Done]:
        for task in order(list(tasks)):
            yield run_task(task)

    return run


def _shuffled(seed: int) -> Order:
    return lambda tasks: random.Random(seed).sample(tasks, len(tasks))


_ORDERS: list[Order] = [_shuffled(1), _shuffled(2), lambda tasks: tasks[::-1]]


@pytest.mark.parametrize("order", _ORDERS, ids=["shuffled", "shuffled again", "backwards"])
def test_the_order_in_which_chunks_finish_is_not_seen(expected: str, order: Order) -> None:
    assert _text(_in_order(order)) == expected


def test_chunks_merged_in_another_order_would_be_seen(expected: str) -> None:
    """What the test above would miss if it could not fail."""
    chunks = [run_chunk(_SWEEP, index) for index in reversed(range(_CHUNKS))]
    merged = tuple(
        merge_points(parts) for parts in zip(*(chunk.points for chunk in chunks), strict=True)
    )
    assert dumps(merged) != expected


def test_another_seed_gives_other_numbers(expected: str) -> None:
    assert _text(run_here, replace(_SWEEP, seed=12)) != expected


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_is_not_seen(
    expected: str, any_work_is_worth_a_pool: list[int], workers: int
) -> None:
    assert _text(run_local(workers)) == expected
    assert any_work_is_worth_a_pool == ([workers] if workers > 1 else [])
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_a_pool_runs_the_chunks_it_is_given_and_no_others() -> None:
    finished = list(module._pool(_tasks([5, 1, 6]), 2))
    assert sorted(done.chunk.index for done in finished) == [1, 5, 6]
    for done in finished:
        assert done.chunk == run_chunk(_SWEEP, done.chunk.index)
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_a_pool_that_is_left_early_leaves_no_process() -> None:
    chunks = module._pool(_tasks(range(_CHUNKS)), 2)
    next(chunks)
    assert multiprocessing.active_children() != []
    chunks.close()  # type: ignore[attr-defined]  # what `execute` does on any error
    assert multiprocessing.active_children() == []


def test_work_that_is_soon_done_starts_no_process(
    expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(tasks: Sequence[ChunkTask], workers: int) -> Iterator[Done]:
        pytest.fail("processes were started")

    monkeypatch.setattr(module, "_pool", refuse)
    monkeypatch.setattr(module, "_WORTH_A_POOL", 600.0)
    assert _text(run_local(4)) == expected


def test_less_than_one_worker_is_refused() -> None:
    with pytest.raises(ConfigError, match="workers must be at least 1, got 0"):
        run_local(0)


@pytest.mark.parametrize("run", [run_here, run_local(1), run_local(2)])
def test_nothing_is_run_when_nothing_is_missing(run: Runner) -> None:
    assert list(run([])) == []


def test_progress_counts_trials_up_to_all(tmp_path: Path) -> None:
    def watch(told: list[tuple[int, int]]) -> list[PointResult]:
        return execute(
            _SWEEP,
            run_here,
            store=ChunkStore(tmp_path, _SWEEP),
            progress=lambda done, trials: told.append((done, trials)),
        )

    first: list[tuple[int, int]] = []
    again: list[tuple[int, int]] = []
    watch(first)
    watch(again)
    counts = [*range(0, 500 * _CHUNKS, 500), _SWEEP.trials]
    assert first == [(done, _SWEEP.trials) for done in counts]
    assert again == [(_SWEEP.trials, _SWEEP.trials)]


def test_a_runner_is_closed_when_a_chunk_cannot_be_kept(tmp_path: Path) -> None:
    closed = False

    def run(tasks: Sequence[ChunkTask]) -> Iterator[Done]:
        nonlocal closed
        try:
            yield from run_here(tasks)
        finally:
            closed = True

    (tmp_path / "taken").touch()
    with pytest.raises(StoreError):
        execute(_SWEEP, run, store=ChunkStore(tmp_path / "taken", _SWEEP), progress=_silent)
    assert closed


def _coin(rng: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
    return (rng.random(count) < 0.75).astype(np.float64)


def test_a_sampler_of_ones_own_gives_the_same_numbers_in_any_order() -> None:
    coins = (Sampler(sample=_coin, mean=0.75, sigma=0.5), Bernoulli(mean=0.25))
    sweep = replace(_SWEEP, models=coins, trials=1100)
    assert _text(_in_order(_shuffled(3)), sweep) == _text(run_here, sweep)


@pytest.mark.slow
def test_a_worker_that_is_killed_does_not_change_the_numbers(
    any_work_is_worth_a_pool: list[int],
) -> None:
    """When memory is short the system takes a worker, and need not get the sweep."""
    sweep = replace(_SWEEP, trials=500 * 60)
    calls = 0

    def kill_one(done: int, trials: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:  # one for nothing, two for chunks of this process, one for the pool's first
            multiprocessing.active_children()[0].kill()

    result = execute(sweep, run_local(2), store=None, progress=kill_one)
    assert any_work_is_worth_a_pool == [2]
    assert calls == 1 + sweep.chunks
    assert dumps(tuple(result)) == _text(run_here, sweep)


def test_several_sweeps_share_the_workers_and_keep_apart(tmp_path: Path) -> None:
    sweeps = [_SWEEP, replace(_SWEEP, seed=12), replace(_SWEEP, trials=700)]
    told: list[tuple[int, int]] = []
    stores = [ChunkStore(tmp_path, sweep) for sweep in sweeps]

    def run() -> list[list[PointResult]]:
        return execute_all(
            sweeps,
            _in_order(_shuffled(3)),
            stores=stores,
            progress=lambda done, trials: told.append((done, trials)),
        )

    alone = [execute(sweep, run_here, store=None, progress=_silent) for sweep in sweeps]
    assert run() == alone
    trials = sum(sweep.trials for sweep in sweeps)
    assert (told[0], told[-1]) == ((0, trials), (trials, trials))
    told.clear()
    assert run() == alone
    assert told == [(trials, trials)]  # all of it was kept


@pytest.mark.slow
def test_a_pool_from_the_first_task_on_changes_nothing(expected: str) -> None:
    assert _text(run_pool(2)) == expected
    assert multiprocessing.active_children() == []
    with pytest.raises(ConfigError, match="workers must be at least 1"):
        run_pool(0)


def test_a_pool_begins_with_one_task_for_each_kernel() -> None:
    normal = replace(_SWEEP, models=(Gaussian(mean=0.6, sd=1.0), Gaussian(mean=0.4, sd=1.0)))
    tasks = [
        ChunkTask(job=job, sweep=sweep, index=index)
        for job, sweep in enumerate((_SWEEP, _SWEEP, normal))
        for index in range(2)
    ]
    begun = [(task.job, task.index) for task in in_order(tasks)]
    assert begun == [(0, 0), (2, 0), (0, 1), (1, 0), (1, 1), (2, 1)]
