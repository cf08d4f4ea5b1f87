"""How the simulator's cost grows with the arms, from K = 2 to K = 10,000; draws docs/scale.svg.

All arms but the best have the same gap, so every policy hears from each of them a number of times
that hardly depends on K. The figure is the growth of the time of an arm: 1 is linear.
"""

import math
import resource
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.bench_simulator import setup
from benchmarks.history import record
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.models import Gaussian, RewardModel
from bitarm.sim.sweep import Sweep, run_chunk

ARMS = (2, 10, 100, 1_000, 10_000)
WIDTHS = {"se": "pairwise-mixture", "lucb": "paper", "lil-ucb": "paper"}
POLICIES = tuple(WIDTHS)
DRAWING = Path(__file__).parents[1] / "docs" / "scale.svg"


def environments(arms: int) -> tuple[RewardModel, ...]:
    return tuple(Gaussian(mean=1.0 if arm == 0 else 0.0, sd=1.0) for arm in range(arms))


def seconds_a_trial(policy: str, arms: int) -> float:
    models = environments(arms)
    point = setup(models, delta=0.05, quantizer="icq", bits=3, policy=policy, width=WIDTHS[policy])
    engine = Engine([point], environment_of(models))
    rng = np.random.Generator(np.random.SFC64(1))
    trials = max(2, 20_000 // arms)
    engine.run(rng, 1)
    shortest = math.inf
    for _ in range(5):
        begin = time.perf_counter()
        engine.run(rng, trials)
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest / trials


def test_cost_of_an_arm(benchmark: BenchmarkFixture) -> None:
    curves = {policy: [seconds_a_trial(policy, arms) for arms in ARMS] for policy in POLICIES}
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for policy, seconds in curves.items():
        axes.loglog(ARMS, [second * 1e6 for second in seconds], marker="o", label=policy)
    first = curves["se"][1] * 1e6 / ARMS[1]
    axes.loglog(ARMS, [first * arms for arms in ARMS], "k:", label="linear")
    axes.set_xlabel("arms K")
    axes.set_ylabel("microseconds a trial")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(DRAWING, metadata={"Date": None})
    benchmark.pedantic(lambda: None, rounds=1)  # type: ignore[no-untyped-call]
    for policy, seconds in curves.items():
        # from 100 to 10,000 arms, 100 times the arms: 1 if linear, 2 if K log K
        record(f"arms, {policy}", growth_of_an_arms_cost=seconds[4] / seconds[2] / 100)


def test_memory_of_ten_million_trials(benchmark: BenchmarkFixture) -> None:
    models = environments(5)
    point = setup(models, delta=0.05, quantizer="icq", bits=3)
    sweep = Sweep(setups=(point,), models=models, trials=10_000_000, seed=1)
    begin = time.perf_counter()
    for index in range(sweep.chunks):
        run_chunk(sweep, index)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    benchmark.pedantic(lambda: None, rounds=1)  # type: ignore[no-untyped-call]
    record("ten million trials", peak_megabytes=peak, seconds=seconds)
    assert peak < 1024
