"""A learner's round at 100,000 arms: time and memory must grow as the arms do.

The figure is a ratio, the cost of an arm at 100,000 arms to that at 10,000 in the same run: 1 is
linear. Seconds are printed for the docs.
"""

import time
import tracemalloc

from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.history import record
from bitarm.core.bits import Symbol
from bitarm.core.dither import uniform_priors
from bitarm.core.learner import Learner
from bitarm.core.messages import Report, Request
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq
from bitarm.core.schedule import paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec

SMALL, LARGE = 10_000, 100_000
BITS = 3


def learner_of(arms: int) -> Learner:
    spec = RunSpec(
        arms=tuple(f"arm-{arm}" for arm in range(arms)),
        delta=0.05,
        sigma=0.5,
        bounds=(0.0, 1.0),
        quantizer=Icq(bits=BITS),
        width="paper",
        schedule=paper_schedule(2.0),
        priors=uniform_priors(1, arms, (0.0, 1.0)),
        seed=1,
    )
    return Learner(Setup(spec=spec, policy=SuccessiveElimination()))


def answer(learner: Learner, requests: tuple[Request, ...]) -> None:
    """Every agent reports that its mean is where the learner thinks it is."""
    middle = Symbol(1 << (BITS - 1), BITS)
    for request in requests:
        learner.receive(
            Report(run=request.run, arm=request.arm, message=request.message, symbol=middle)
        )


def seconds_of_a_round(arms: int) -> float:
    learner = learner_of(arms)
    learner.start()
    answer(learner, learner.pending)  # the first round warms the caches
    requests = learner.pending
    begin = time.perf_counter()
    answer(learner, requests)
    return time.perf_counter() - begin


def bytes_of_a_learner(arms: int) -> int:
    tracemalloc.start()
    learner = learner_of(arms)
    learner.start()
    answer(learner, learner.pending)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held


def test_round_is_linear_in_the_arms(benchmark: BenchmarkFixture) -> None:
    small = min(seconds_of_a_round(SMALL) for _ in range(3)) / SMALL
    large = benchmark.pedantic(seconds_of_a_round, args=(LARGE,), rounds=3) / LARGE  # type: ignore[no-untyped-call]
    memory_small = bytes_of_a_learner(SMALL) / SMALL
    memory_large = bytes_of_a_learner(LARGE) / LARGE
    figures = {
        "microseconds_an_arm": large * 1e6,
        "time_ratio": large / small,
        "bytes_an_arm": memory_large,
        "memory_ratio": memory_large / memory_small,
    }
    record("a learner of 100,000 arms", **figures)
    assert figures["time_ratio"] < 2  # n log n would be 1.25, a square 10: room for noise
    assert figures["memory_ratio"] < 1.2
