"""The simulator of the default scheme beside its limits, in the same run.

With σ known the rival is ICQ on the same arms: five, four of them at 0, σ = 0.125, δ = 1e-5, the
hardness figure. Beside it there is a loop that draws as many normal numbers, and does nothing else
with them: no simulation that draws what agents look at is faster. Without σ agents bet on every
reward, so the limit is a loop that draws as many rewards, one by one.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.bench_simulator import best_of, generator, setup
from benchmarks.history import record
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.kernels.sums import draw_reward
from bitarm.sim.models import Bernoulli, Beta, Gaussian, RewardModel

CHALLENGE = {"quantizer": "dyadic", "policy": "challenge"}
ICQ: dict[str, Any] = {"quantizer": "icq", "bits": 3, "width": "paper", "policy": "se", "growth": 2}
LEAST_OF_BARE = 0.25  # of a loop that only draws; the goal is 0.3
LEAST_OF_ICQ = {0.1: 0.13, 0.34: 0.25, 0.67: 0.26, 1.0: 0.45}  # by Δ; the goal is 0.75
COINS: tuple[RewardModel, ...] = tuple(Bernoulli(mean=mean) for mean in (0.5, 0.45, 0.43, 0.4))
GATEWAYS: tuple[RewardModel, ...] = tuple(
    Beta(mean=mean, concentration=19.0) for mean in (0.93, 0.88, 0.97, 0.84, 0.79, 0.71, 0.62, 0.35)
)


@njit(error_model="numpy")
def normals(rng: Any, count: int) -> float:
    """Normal numbers, drawn and added up."""
    total = 0.0
    for _ in range(count):
        total += rng.standard_normal()
    return total


def counted(draw: Callable[[np.random.Generator], object]) -> int:
    """How many random words a generator made for this: SFC64 counts them itself."""
    rng = generator()
    before = rng.bit_generator.state["state"]["state"][3]
    draw(rng)
    return int(rng.bit_generator.state["state"]["state"][3] - before)


@pytest.mark.parametrize("gap", LEAST_OF_ICQ)
def test_sigma_known_beside_icq(benchmark: BenchmarkFixture, gap: float) -> None:
    models = tuple(Gaussian(mean=mean, sd=0.125) for mean in (0.0, 0.0, 0.0, 0.0, gap))
    trials, environment, rng = 2000, environment_of(models), generator()
    icq, ours = (
        Engine([setup(models, delta=1e-5, sigma=0.125, **words)], environment)
        for words in (ICQ, CHALLENGE)
    )
    many = 1_000_000  # normal numbers; each takes a word, a few take more
    words = counted(lambda rng: ours.run(rng, trials))
    count = round(many * words / counted(lambda rng: normals(rng, many)))
    rival, drawing, taken = best_of(
        lambda: icq.run(rng, trials),
        lambda: normals(rng, count),
        lambda: ours.run(rng, trials),
        repeats=10,
    )
    benchmark.pedantic(lambda: None, rounds=1)  # type: ignore[no-untyped-call]
    record(
        f"challenge, Δ = {gap}",
        trials_a_second=trials / taken,
        draws_a_trial=count / trials,
        ratio_to_icq=rival / taken,
        ratio_to_drawing=drawing / taken,
        drawing_alone_to_icq=rival / drawing,
    )
    assert rival / taken >= LEAST_OF_ICQ[gap]


@njit(error_model="numpy")
def bare(rng: Any, family: Any, p: Any, q: Any, pulls: int) -> float:
    """Rewards of all arms in turn, drawn and added up."""
    total = 0.0
    for arm in range(p.size):
        for _ in range(pulls):
            total += draw_reward(rng, family[arm], p[arm], q[arm])
    return total


@pytest.mark.parametrize(
    ("name", "models", "delta"), [("coins", COINS, 0.1), ("gateways", GATEWAYS, 0.05)]
)
def test_no_sigma_beside_a_loop_that_only_draws(
    benchmark: BenchmarkFixture, name: str, models: tuple[RewardModel, ...], delta: float
) -> None:
    environment, rng, trials = environment_of(models), generator(), 200
    engine = Engine([setup(models, delta=delta, bounds=(0.0, 1.0), **CHALLENGE)], environment)
    pulls = int(engine.run(generator(), trials)[0].samples.sum())
    arrays = environment.family, environment.p, environment.q
    bare(rng, *arrays, 1)
    limit, taken = best_of(
        lambda: bare(rng, *arrays, pulls // len(models)),
        lambda: engine.run(generator(), trials),  # the same rewards each time
        repeats=20,
    )
    benchmark.pedantic(lambda: None, rounds=1)  # type: ignore[no-untyped-call]
    record(f"challenge, no σ, {name}", pulls_a_second=pulls / taken, ratio_to_bare=limit / taken)
    assert limit / taken >= LEAST_OF_BARE
