"""Runs the chunks of sweeps: here, in local processes, or on a Dask cluster.

Who runs a chunk has no influence on its numbers, nor has the order in which they finish.
"""

import contextlib
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import final

from bitarm.errors import ConfigError, TransportError
from bitarm.sim.chunks import ChunkStore
from bitarm.sim.processor_time import ProcessorTime, measurable, measured_chunk
from bitarm.sim.sweep import ChunkResult, PointResult, Sweep, merge_points, run_chunk

Progress = Callable[[int, int], None]
"""Told how many trials are done, of how many."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkTask:
    """One chunk of one of the sweeps that are run together."""

    job: int  # which sweep
    sweep: Sweep
    index: int
    measured: bool = False  # whether its cost is measured too, which takes a little longer


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A task that was run: its chunk and, if it was measured, what that cost."""

    job: int
    chunk: ChunkResult
    cost: ProcessorTime | None = None


Runner = Callable[[Sequence[ChunkTask]], Iterator[Done]]
"""Runs tasks and yields each when it is done, in any order."""

_LOG = logging.getLogger("bitarm.sim")

_WORTH_A_POOL = 2.0  # seconds of work left: about what starting the processes takes


def execute(
    sweep: Sweep, run: Runner, *, store: ChunkStore | None, progress: Progress
) -> list[PointResult]:
    """Run a sweep; returns the results of its setups, in their order.

    `run` is one of `run_here`, `run_local(n)`, `run_pool(n)` and `run_on_cluster(address)`. Chunks
    that a `store` has are not run again, and those that end are kept there at once. Raises
    StoreError if one cannot be kept, TransportError if a cluster fails.
    """
    return execute_all([sweep], run, stores=[store], progress=progress)[0]


def execute_all(
    sweeps: Sequence[Sweep],
    run: Runner,
    *,
    stores: Sequence[ChunkStore | None],
    progress: Progress,
    costs: list[ProcessorTime] | None = None,
) -> list[list[PointResult]]:
    """Run several sweeps at once, so that their chunks share the workers; else as `execute`.

    With a list for `costs`, what each chunk cost is measured, where it can be, and added to it.
    """
    known = [{chunk.index: chunk for chunk in store.load()} if store else {} for store in stores]
    trials = sum(sweep.trials for sweep in sweeps)
    done = sum(chunk.trials for chunks in known for chunk in chunks.values())
    progress(done, trials)
    missing = [
        ChunkTask(
            job=job, sweep=sweep, index=index, measured=costs is not None and measurable(sweep)
        )
        for job, sweep in enumerate(sweeps)
        for index in range(sweep.chunks)
        if index not in known[job]
    ]
    with contextlib.closing(run(missing)) as finished:  # type: ignore[type-var]
        for ended in finished:
            store = stores[ended.job]
            if store:
                store.keep(ended.chunk)
            if costs is not None and ended.cost is not None:
                costs.append(ended.cost)
            known[ended.job][ended.chunk.index] = ended.chunk
            done += ended.chunk.trials
            progress(done, trials)
    return [_merged(sweep, chunks) for sweep, chunks in zip(sweeps, known, strict=True)]


def _merged(sweep: Sweep, chunks: Mapping[int, ChunkResult]) -> list[PointResult]:
    ordered = [chunks[index] for index in range(sweep.chunks)]
    return [merge_points(parts) for parts in zip(*(chunk.points for chunk in ordered), strict=True)]


def run_task(task: ChunkTask) -> Done:
    """Run one task in this process."""
    if not task.measured:
        return Done(job=task.job, chunk=run_chunk(task.sweep, task.index))
    chunk, cost = measured_chunk(task.sweep, task.index)
    return Done(job=task.job, chunk=chunk, cost=cost)


def run_here(tasks: Sequence[ChunkTask]) -> Iterator[Done]:
    """Run tasks in this process, one after the other."""
    for task in tasks:
        yield run_task(task)


def run_local(workers: int) -> Runner:
    """A runner with `workers` processes; it starts none if the work is too small to share."""
    _check_workers(workers)

    def run(tasks: Sequence[ChunkTask]) -> Iterator[Done]:
        rest = list(tasks)
        if rest:
            yield run_task(rest.pop(0))  # also compiles, so that the workers need not
        begin = time.monotonic()
        while rest:
            if workers > 1 and len(rest) > 1:
                spent = time.monotonic() - begin
                finished = len(tasks) - 1 - len(rest)
                if finished and spent / finished * len(rest) > _WORTH_A_POOL:
                    yield from _pool(rest, workers)
                    return
            yield run_task(rest.pop(0))

    return run


def run_pool(workers: int) -> Runner:
    """A runner with `workers` processes from the first task on, for work known to be large."""
    _check_workers(workers)

    def run(tasks: Sequence[ChunkTask]) -> Iterator[Done]:
        shared = workers > 1 and len(tasks) > 1
        return _pool(tasks, workers) if shared else run_here(tasks)

    return run


def _check_workers(workers: int) -> None:
    if workers < 1:
        raise ConfigError(f"workers must be at least 1, got {workers}")


def _pool(tasks: Sequence[ChunkTask], workers: int) -> Iterator[Done]:
    # spawn: a fork would copy whatever threads and locks the caller has
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(tasks)), context, initializer=_serve_parent)
    left = {(task.job, task.index): task for task in tasks}
    try:
        futures = [pool.submit(run_task, task) for task in in_order(tasks)]
        for future in as_completed(futures):
            done = future.result()
            del left[done.job, done.chunk.index]
            yield done
    except BrokenProcessPool:
        _LOG.warning("a worker process was killed: the rest is run without workers")
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    yield from run_here(list(left.values()))


def in_order(tasks: Sequence[ChunkTask]) -> list[ChunkTask]:
    """Tasks as a pool is to begin them: one that needs each kernel, and then the others.

    So two workers compile two kernels, and read from the disk what the other has compiled, where
    both would compile the same two one after the other.
    """
    sweeps = {task.job: task.sweep for task in tasks}
    kernels = {job: sweep.kernels for job, sweep in sweeps.items()}
    begun: set[tuple[object, ...]] = set()
    first: list[ChunkTask] = []
    rest: list[ChunkTask] = []
    for task in tasks:
        (rest if kernels[task.job] in begun else first).append(task)
        begun.add(kernels[task.job])
    return first + rest


def _serve_parent() -> None:
    """Ctrl-C is for the parent, which tells the workers to stop; they end when it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # this runs in workers only
    parent.join()
    os._exit(1)  # a pool's worker waits for work for ever


def run_on_cluster(address: str, *, timeout: float = 10.0) -> Runner:
    """A runner on the workers of a Dask scheduler; a worker that dies is survived."""

    def run(tasks: Sequence[ChunkTask]) -> Iterator[Done]:
        if not tasks:
            return
        import distributed  # slow to import, and only for those who have a cluster

        try:
            client = distributed.Client(address, timeout=timeout)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise TransportError(f"no Dask scheduler answers at {address}: {error}") from None
        with client:
            try:
                client.wait_for_workers(1, timeout=timeout)
                # the sweep goes with each chunk: scattered, it would die with its workers
                futures = [client.submit(run_task, task, pure=False) for task in tasks]
                finished = distributed.as_completed(futures)  # type: ignore[no-untyped-call]
                for future in finished:
                    yield future.result()
            except (OSError, CancelledError, distributed.KilledWorker) as error:
                raise TransportError(f"the Dask cluster at {address} failed: {error}") from None

    return run
