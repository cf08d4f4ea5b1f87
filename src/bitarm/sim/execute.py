"""Runs the chunks of a sweep: here, in local processes, or on a Dask cluster.

Who runs a chunk has no influence on its numbers, nor has the order in which they finish.
"""

import contextlib
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from bitarm.errors import ConfigError, TransportError
from bitarm.sim.chunks import ChunkStore
from bitarm.sim.sweep import ChunkResult, PointResult, Sweep, merge_points, run_chunk

Progress = Callable[[int, int], None]
"""Told how many trials are done, of how many."""

Runner = Callable[[Sweep, Sequence[int]], Iterator[ChunkResult]]
"""Runs the chunks with these numbers and yields each when it is done."""

_LOG = logging.getLogger("bitarm.sim")

_WORTH_A_POOL = 2.0  # seconds of work left: about what starting the processes takes


def execute(
    sweep: Sweep, run: Runner, *, store: ChunkStore | None, progress: Progress
) -> list[PointResult]:
    """Every chunk that is not there yet, then all of them merged in their order."""
    known = {chunk.index: chunk for chunk in store.load()} if store else {}
    done = sum(chunk.trials for chunk in known.values())
    progress(done, sweep.trials)
    missing = [index for index in range(sweep.chunks) if index not in known]
    with contextlib.closing(run(sweep, missing)) as finished:  # type: ignore[type-var]
        for chunk in finished:
            if store:
                store.keep(chunk)
            known[chunk.index] = chunk
            done += chunk.trials
            progress(done, sweep.trials)
    ordered = [known[index] for index in range(sweep.chunks)]
    return [merge_points(parts) for parts in zip(*(it.points for it in ordered), strict=True)]


def run_here(sweep: Sweep, indices: Sequence[int]) -> Iterator[ChunkResult]:
    """In this process, one after the other."""
    for index in indices:
        yield run_chunk(sweep, index)


def run_local(workers: int) -> Runner:
    """In `workers` processes of this machine; in none if the work is too small to share."""
    if workers < 1:
        raise ConfigError(f"workers must be at least 1, got {workers}")

    def run(sweep: Sweep, indices: Sequence[int]) -> Iterator[ChunkResult]:
        rest = list(indices)
        if rest:
            yield run_chunk(sweep, rest.pop(0))  # also compiles, so that the workers need not
        begin = time.monotonic()
        while rest:
            if workers > 1 and len(rest) > 1:
                spent = time.monotonic() - begin
                finished = len(indices) - 1 - len(rest)
                if finished and spent / finished * len(rest) > _WORTH_A_POOL:
                    yield from _pool(sweep, rest, workers)
                    return
            yield run_chunk(sweep, rest.pop(0))

    return run


def _pool(sweep: Sweep, indices: Sequence[int], workers: int) -> Iterator[ChunkResult]:
    # spawn: a fork would copy whatever threads and locks the caller has
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(indices)), context, initializer=_serve_parent)
    left = set(indices)
    try:
        futures = [pool.submit(run_chunk, sweep, index) for index in indices]
        for future in as_completed(futures):
            chunk = future.result()
            left.remove(chunk.index)
            yield chunk
    except BrokenProcessPool:
        _LOG.warning("a worker process was killed: the rest is run without workers")
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    yield from run_here(sweep, sorted(left))


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
    """On the workers of a Dask scheduler; a worker that dies is survived."""

    def run(sweep: Sweep, indices: Sequence[int]) -> Iterator[ChunkResult]:
        if not indices:
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
                futures = [client.submit(run_chunk, sweep, index, pure=False) for index in indices]
                finished = distributed.as_completed(futures)  # type: ignore[no-untyped-call]
                for future in finished:
                    yield future.result()
            except (OSError, CancelledError, distributed.KilledWorker) as error:
                raise TransportError(f"the Dask cluster at {address} failed: {error}") from None

    return run
