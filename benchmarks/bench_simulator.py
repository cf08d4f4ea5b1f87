"""The simulator beside its limits, in the same run: what the abstractions cost.

Figures are ratios of the best of many short, interleaved timings, of processor time where one
process does the work, since the machine is shared.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.fused import Add, compensated, fused_exact, fused_icq, plain
from benchmarks.history import record
from bitarm.api.simulate import simulate
from bitarm.core.setup import Setup
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.execute import ChunkTask, _pool, run_here
from bitarm.sim.models import Beta, Gaussian, RewardModel
from bitarm.sim.sweep import Sweep
from bitarm.sim.tables import table_of

TRIALS = 100_000  # about as many as the simulator itself runs at once
REPEATS = 12
LEAST_RATIO = 0.8  # of numpy alone
LEAST_EXACT, LEAST_OF_FUSED_ICQ = 0.65, 0.75  # of the fused kernels; the goal is 0.8 of each
LEAST_SPEEDUP = 1.7  # of two processes
LEAST_OF_ICQ = 0.75  # trials a second of D-ICQ
HARDNESS = tuple(Gaussian(mean=mean, sd=0.125) for mean in (0.0, 0.0, 0.0, 0.0, 0.1))
BOUNDED = tuple(Beta(mean=mean) for mean in (0.935, 0.782, 0.541, 0.462, 0.346))


def generator() -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(1))


def setup(models: tuple[RewardModel, ...], **words: Any) -> Setup:
    return simulate(models, trials=1, seed=1, workers=1, **words).points[0].setup


def best_of(*jobs: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    """Fewest seconds of processor of each job; they take turns: a busy spell hits them all."""
    shortest = [float("inf")] * len(jobs)
    for _ in range(repeats):
        for number, job in enumerate(jobs):
            begin = time.process_time()
            job()
            shortest[number] = min(shortest[number], time.process_time() - begin)
    return shortest


def _beside_fused(
    benchmark: BenchmarkFixture,
    name: str,
    kernel: Callable[[Add], Any],
    args: tuple[Any, ...],
    ours: Callable[[], object],
    least: float,
) -> None:
    fused, drifting = kernel(compensated), kernel(plain)
    limit, without, taken = best_of(lambda: fused(*args), lambda: drifting(*args), ours)
    benchmark.pedantic(ours, rounds=5)  # type: ignore[no-untyped-call]
    ratios = {"ratio_to_fused": limit / taken, "ratio_to_plain_sums": without / taken}
    record(name, trials_a_second=TRIALS / taken, **ratios)
    assert limit / taken >= least


def test_exact_se_beside_a_fused_kernel(benchmark: BenchmarkFixture) -> None:
    point = setup(HARDNESS, delta=0.05, quantizer="exact", width="paper")
    table, environment, rng = table_of(point), environment_of(HARDNESS), generator()
    engine = Engine([point], environment)

    args = (rng, environment.means, 0.125, table.pulls, table.radius, TRIALS)
    ours = partial(engine.run, rng, TRIALS)
    _beside_fused(benchmark, "exact SE", fused_exact, args, ours, LEAST_EXACT)


def test_icq_se_beside_a_fused_kernel(benchmark: BenchmarkFixture) -> None:
    point = setup(HARDNESS, delta=0.05, quantizer="icq", bits=3, width="paper")
    table, environment, rng = table_of(point), environment_of(HARDNESS), generator()
    engine = Engine([point], environment)

    numbers = (table.pulls, table.radius, table.k0, table.k0[0], 3, TRIALS)
    args = (rng, environment.means, 0.125, *numbers)
    ours = partial(engine.run, rng, TRIALS)
    _beside_fused(benchmark, "ICQ-SE, B = 3", fused_icq, args, ours, LEAST_OF_FUSED_ICQ)


def test_dicq_beside_icq(benchmark: BenchmarkFixture) -> None:
    """D-ICQ beside ICQ's trials a second; and the default, whose agents look at every pull."""
    environment, rng = environment_of(HARDNESS), generator()
    engines = [
        Engine([setup(HARDNESS, delta=0.05, width=width, **words)], environment)
        for width, words in (
            ("paper", {"quantizer": "icq", "bits": 3}),
            ("pairwise-mixture", {"quantizer": "dicq", "policy": "se"}),
            ("sub-gaussian", {"quantizer": "dyadic", "policy": "challenge"}),
        )
    ]
    jobs = [lambda engine=engine: engine.run(rng, TRIALS) for engine in engines]
    icq, se, judged = best_of(*jobs)
    benchmark.pedantic(jobs[1], rounds=5)  # type: ignore[no-untyped-call]
    record("D-ICQ, SE", trials_a_second=TRIALS / se, ratio_to_icq=icq / se)
    record("default", trials_a_second=TRIALS / judged, ratio_to_icq=icq / judged)
    assert icq / se >= LEAST_OF_ICQ


def test_beta_arms_beside_numpy_alone(benchmark: BenchmarkFixture) -> None:
    point = setup(
        BOUNDED, delta=0.05, sigma=0.125, bounds=(0, 1), quantizer="icq", bits=3, width="paper"
    )
    environment, rng = environment_of(BOUNDED), generator()
    engine = Engine([point], environment)
    trials = 200
    pulls = int(engine.run(generator(), trials)[0].samples.sum())
    parameters = [model.parameters for model in BOUNDED]

    def numpy_alone() -> None:
        for p, q in parameters:
            rng.beta(p, q, pulls // len(parameters))

    def ours() -> None:
        engine.run(rng, trials)

    limit, taken = best_of(numpy_alone, ours)
    benchmark.pedantic(ours, rounds=5)  # type: ignore[no-untyped-call]
    record("Beta arms", pulls_a_second=pulls / taken, ratio_to_numpy=limit / taken)
    assert limit / taken >= LEAST_RATIO


def test_two_processes_beside_one(benchmark: BenchmarkFixture) -> None:
    point = setup(HARDNESS, delta=0.05, quantizer="icq", bits=3, width="paper")
    sweep = Sweep(setups=(point,), models=HARDNESS, trials=12_000_000, seed=1)
    tasks = [ChunkTask(job=0, sweep=sweep, index=index) for index in range(sweep.chunks)]

    def one() -> float:
        begin = time.perf_counter()
        list(run_here(tasks))
        return time.perf_counter() - begin

    def two() -> float:
        running = _pool(tasks, 2)
        for _ in range(sweep.chunks // 8):
            next(running)  # by then both processes have started and loaded their kernels
        begin = time.perf_counter()
        rest = len(list(running))
        return (time.perf_counter() - begin) * sweep.chunks / rest

    alone, together = one(), two()
    benchmark.pedantic(lambda: None, rounds=1)  # type: ignore[no-untyped-call]
    record("two processes", speedup=alone / together)
    assert alone / together >= LEAST_SPEEDUP


def test_cold_start(benchmark: BenchmarkFixture, tmp_path: object) -> None:
    """From nothing to a result, compilation included; then again with the compiled cache."""
    program = [sys.executable, "-m", "bitarm", "simulate", "--arms", "gaussian:0,0,0.5"]
    program += ["--sd", "0.5", "--trials", "1000"]
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": ""}

    def start() -> float:
        begin = time.perf_counter()
        subprocess.run(program, env=environment, check=True, capture_output=True)
        return time.perf_counter() - begin

    cold, warm = start(), start()
    benchmark.pedantic(lambda: None, rounds=1)  # type: ignore[no-untyped-call]
    record("cold start", seconds_cold=cold, seconds_warm=warm)
