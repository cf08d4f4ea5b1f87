"""What the machines achieve: the paper's rounds on its hardness instance, and errors below δ."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from chances import tail
from drives import drive
from tapes import Total, agents_of, make_spec

from bitarm.core.events import RunEnded
from bitarm.core.learner import Learner
from bitarm.core.outcome import Outcome
from bitarm.core.policies import LilUcb, LilUcbCount, Lucb, Policy, SuccessiveElimination
from bitarm.core.quantizers import Exact, FedSel, Icq, Quantizer, QuBan
from bitarm.core.schedule import ListedSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out


def _endings(
    spec_of: Callable[[int], RunSpec], policy: Policy, totals: Iterator[Total], runs: int
) -> list[RunEnded]:
    endings = []
    for seed, total in zip(range(runs), totals, strict=False):
        learner = Learner(Setup(spec=spec_of(seed), policy=policy))
        endings.append(drive(learner, agents_of(learner), total).ending)
    return endings


# -- the paper's hardness figure ------------------------------------------------------------------

# Mean rounds that the paper's figure plots (its data, not ours), by scheme and gap Δ.
_PAPER_ROUNDS = [
    (Exact(), 0.242105263157895, 6.21175),
    (Exact(), 0.478947368421053, 4.0775),
    (Exact(), 1.0, 1.80475),
    (Icq(bits=3, prior="quban"), 0.242105263157895, 7.151),
    (Icq(bits=3, prior="quban"), 0.478947368421053, 5.37125),
    (Icq(bits=3, prior="quban"), 1.0, 2.99075),
]
_HARDNESS_RUNS = 400


@pytest.mark.parametrize(("quantizer", "gap", "published"), _PAPER_ROUNDS, ids=str)
def test_rounds_on_the_hardness_instance_are_the_papers(
    quantizer: Quantizer, gap: float, published: float
) -> None:
    means, sigma = (0.0, 0.0, 0.0, 0.0, gap), 0.125

    def spec_of(seed: int) -> RunSpec:
        return make_spec(
            arms=5, delta=1e-5, sigma=sigma, bounds=None, quantizer=quantizer, seed=seed
        )

    totals = _gaussian(np.random.default_rng(20230502), means, sigma)
    endings = _endings(spec_of, SuccessiveElimination(), totals, _HARDNESS_RUNS)
    assert all(ending.best_arm == 4 for ending in endings)
    assert all(ending.guarantee == 1e-5 for ending in endings)
    rounds = float(np.mean([ending.rounds for ending in endings]))
    assert rounds == pytest.approx(published, rel=0.05)


def _gaussian(rng: np.random.Generator, means: tuple[float, ...], sigma: float) -> Iterator[Total]:
    while True:
        yield lambda arm, done, count: float(rng.normal(means[arm] * count, sigma * np.sqrt(count)))


# -- soundness ------------------------------------------------------------------------------------

_DELTA = 0.2
_MEANS = (0.45, 0.5, 0.45)  # Bernoulli: two equal second arms
_SIGMA = 0.5  # of any reward in [0, 1]
_TOO_SMALL = 50  # the factor by which the control declares σ too small: 1-bit ICQ forgives 10
_RUNS = 150
_SURPRISE = 1e-3  # P(so many errors, if each has probability δ) below which δ is refuted

_SCHEMES: tuple[Quantizer, ...] = (
    Exact(),
    Icq(bits=1, prior="midpoint"),
    Icq(bits=1, prior="quban"),
    Icq(bits=3, prior="uniform"),
    QuBan(),
    FedSel(),
)
# Each scheme and each policy by machines; all together by kernels, which say what machines say to
# the last bit, and in more runs (`sim/test_soundness.py`).
_CLAIMANTS: list[tuple[Policy, str, Quantizer]] = [
    *((SuccessiveElimination(), "paper", quantizer) for quantizer in _SCHEMES),
    (SuccessiveElimination(), "lil", Icq(bits=1, prior="quban")),
    (Lucb(), "paper", Icq(bits=1, prior="quban")),
    (LilUcb(), "lil", Icq(bits=1, prior="quban")),
]


def _errors(policy: Policy, width: str, quantizer: Quantizer, sigma: float) -> int:
    """Wrong answers in `_RUNS` runs; every answer claims δ."""

    def spec_of(seed: int) -> RunSpec:
        return make_spec(delta=_DELTA, sigma=sigma, quantizer=quantizer, width=width, seed=seed)

    totals = _bernoulli(np.random.default_rng(41), _MEANS)
    endings = _endings(spec_of, policy, totals, _RUNS)
    for ending in endings:
        assert (ending.guarantee == _DELTA) == (ending.outcome is Outcome.DECIDED)
    return sum(ending.best_arm not in (None, 1) for ending in endings)


def _bernoulli(rng: np.random.Generator, means: tuple[float, ...]) -> Iterator[Total]:
    while True:
        yield lambda arm, done, count: float(rng.binomial(count, means[arm]))


def _refuted(errors: int, runs: int) -> bool:
    return tail(errors, runs, _DELTA) < _SURPRISE


@pytest.mark.parametrize(("policy", "width", "quantizer"), _CLAIMANTS, ids=str)
def test_an_answer_that_claims_delta_is_wrong_at_most_that_often(
    policy: Policy, width: str, quantizer: Quantizer
) -> None:
    assert not _refuted(_errors(policy, width, quantizer, _SIGMA), _RUNS)


@pytest.mark.parametrize(("policy", "width", "quantizer"), _CLAIMANTS, ids=str)
def test_the_same_test_refutes_a_sigma_that_is_far_too_small(
    policy: Policy, width: str, quantizer: Quantizer
) -> None:
    assert _refuted(_errors(policy, width, quantizer, _SIGMA / _TOO_SMALL), _RUNS)


@pytest.mark.slow
def test_the_count_rule_keeps_delta_where_it_claims_it() -> None:
    means, sigma, runs = (0.0, 1.0, 0.0), 0.5, 60

    def spec_of(seed: int) -> RunSpec:
        return make_spec(
            delta=_DELTA,
            sigma=sigma,
            bounds=None,
            width="lil",
            schedule=ListedSchedule(checkpoints=tuple(range(1, 5000))),
            seed=seed,
        )

    totals = _gaussian(np.random.default_rng(43), means, sigma)
    endings = _endings(spec_of, LilUcbCount(), totals, runs)
    assert all(ending.guarantee == _DELTA for ending in endings)
    assert not _refuted(sum(ending.best_arm != 1 for ending in endings), runs)
