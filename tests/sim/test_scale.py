"""Scale: work grows with the arms, memory does not grow with the trials. No clock is read."""

import tracemalloc

import numpy as np
import pytest
from lockstep.cases import blank_tape, setup

from bitarm.core.limits import Limits
from bitarm.core.policies import LilUcb, Lucb, Policy, SuccessiveElimination
from bitarm.core.quantizers import Exact, Icq
from bitarm.core.schedule import paper_schedule
from bitarm.core.setup import Setup
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.execute import execute, run_here
from bitarm.sim.models import Bernoulli, Gaussian
from bitarm.sim.sweep import Sweep, run_chunk

_MEGABYTE = 1 << 20
_ARMS = (2, 5, 20, 100, 1000, 10_000)


def _setup(arms: int, policy: Policy | None = None, growth: float = 2.0) -> Setup:
    return setup(
        arms,
        Icq(bits=2, prior="midpoint"),
        policy or SuccessiveElimination(),
        paper_schedule(growth),
        sigma=0.5,
        limits=Limits(),
    )


def _coins(arms: int) -> tuple[Bernoulli, ...]:
    """Coins that never vary: the run is the same in every trial."""
    return (Bernoulli(mean=1.0), *(Bernoulli(mean=0.0) for _ in range(arms - 1)))


@pytest.mark.parametrize("arms", _ARMS)
@pytest.mark.parametrize("setups", [1, 3], ids=["nothing kept", "a tape kept"])
def test_a_block_needs_a_few_megabytes_however_many_arms_there_are(arms: int, setups: int) -> None:
    engine = Engine([_setup(arms) for _ in range(setups)], environment_of(_coins(arms)))
    assert engine.block >= 1
    cells = 1 if setups == 1 else 39  # 2, 4, …, 2^39: all checkpoints below 10^12
    numbers = 2 * engine.block * arms * cells  # sums and dithers, or priors and their places
    assert numbers * 8 <= 8 * _MEGABYTE
    if engine.block > 1:
        assert numbers * 8 >= _MEGABYTE  # and not so few that starting a kernel would cost more


@pytest.mark.parametrize("arms", [1000, 10_000])
def test_many_arms_run_in_a_few_megabytes(arms: int) -> None:
    engine = Engine([_setup(arms), _setup(arms, growth=3.0)], environment_of(_coins(arms)))
    engine.run(np.random.default_rng(0), 1)  # compiled before anything is measured
    tracemalloc.start()
    try:
        results = engine.run(np.random.default_rng(0), engine.block)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert all(np.all(trials.best_arm == 0) for trials in results)
    assert peak < 32 * _MEGABYTE


@pytest.mark.parametrize("arms", _ARMS)
def test_successive_elimination_sends_one_message_an_arm_and_round(arms: int) -> None:
    """Its work is that of its messages: K a round for as long as all K are in the race."""
    one = _setup(arms)
    tape = blank_tape([one], np.random.default_rng(0), 1)
    ((trials, trace),) = Engine([one], environment_of(_coins(arms))).run_tape(
        tape, np.random.default_rng(0)
    )
    rounds = int(trials.rounds[0])
    assert rounds <= 12  # grows as log log K, from 8 for two arms
    assert int(tape.filled.sum()) == rounds * arms
    assert int(trials.payload_bits[0]) == 2 * rounds * arms
    assert int(trials.samples[0]) == 2**rounds * arms
    assert trace.dropped[0].tolist() == [0] + [rounds] * (arms - 1)


@pytest.mark.parametrize("policy", [Lucb(), LilUcb()], ids=lambda policy: str(policy.name))
@pytest.mark.parametrize("arms", _ARMS)
def test_after_the_first_round_an_index_policy_hears_from_one_or_two_arms(
    policy: Policy, arms: int
) -> None:
    one = setup(arms, Exact(), policy, sigma=0.5, bounds=None, limits=Limits(rounds=60))
    tape = blank_tape([one], np.random.default_rng(0), 1)
    ((trials, _),) = Engine([one], environment_of(_coins(arms))).run_tape(
        tape, np.random.default_rng(0)
    )
    messages = int(tape.filled.sum())
    assert messages == int(trials.payload_bits[0]) // 64
    assert arms + int(trials.rounds[0]) - 1 <= messages <= arms + 2 * (int(trials.rounds[0]) - 1)


@pytest.mark.parametrize("trials", [1, 499, 500, 10**5, 10**6, 10**7, 10**9])
def test_a_chunk_has_a_bounded_number_of_trials(trials: int) -> None:
    sweep = Sweep(setups=(_setup(5),), models=_coins(5), trials=trials, seed=1)
    assert sweep.chunk_size <= 1 << 16
    assert (sweep.chunks - 1) * sweep.chunk_size < trials <= sweep.chunks * sweep.chunk_size
    if trials >= 10**7:
        assert sweep.chunk_size == 1 << 16  # ten million need what a billion need


def _gaussian_sweep(trials: int) -> Sweep:
    models = tuple(Gaussian(mean=mean, sd=0.125) for mean in (0.0, 0.0, 0.0, 0.0, 0.5))
    one = setup(5, Exact(), SuccessiveElimination(), sigma=0.125, bounds=None, limits=Limits())
    return Sweep(setups=(one,), models=models, trials=trials, seed=1)


def _peak(sweep: Sweep, chunks: int) -> int:
    run_chunk(_gaussian_sweep(1), 0)  # compiled before anything is measured
    tracemalloc.start()
    try:
        for index in range(chunks):
            run_chunk(sweep, index)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_chunk_of_ten_million_trials_needs_a_few_megabytes() -> None:
    assert _peak(_gaussian_sweep(10**7), 1) < 32 * _MEGABYTE


def test_chunks_leave_nothing_behind() -> None:
    sweep = _gaussian_sweep(10**7)
    assert _peak(sweep, 5) < 1.1 * _peak(sweep, 1) + _MEGABYTE


def test_half_a_million_trials_need_no_more_memory_than_one_chunk() -> None:
    sweep = _gaussian_sweep(500_000)
    one = _peak(sweep, 1)
    tracemalloc.start()
    try:
        (point,) = execute(sweep, run_here, store=None, progress=lambda done, trials: None)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert point.samples.count == 500_000
    assert peak < 1.5 * one + _MEGABYTE
