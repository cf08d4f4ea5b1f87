"""Evidence from σ-sub-Gaussian rewards: its formula, and how often it errs."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.evidence.account import TOP
from bitarm.core.evidence.ladder import law, rate
from bitarm.core.evidence.sub_gaussian import MIDDLE, SubGaussianEvidence, margin
from bitarm.core.widths import IntervalsWidth, PaperWidth

Floats = npt.NDArray[np.float64]

_LEVEL = 1e-4
_pulls = st.one_of(st.integers(1, 40), st.integers(1, 10**9))


_PAIRS = list(law(MIDDLE))
_HIGH = TOP * np.array([[rate(pair.winner)] for pair in _PAIRS])
_LOW = TOP * np.array([[rate(pair.loser)] for pair in _PAIRS])
_WEIGHTS = np.array([[pair.log_weight] for pair in _PAIRS])


def _least_evidence(lead: float, means: Floats, loser: int, winner: int) -> float:
    """The least ln Σ W·e⁺(m)·e⁻(m) of these m, for σ = 1, the loser's mean at 0 and the winner's
    at `lead`.
    """
    above = _HIGH * winner * (lead - means) - _HIGH**2 * winner / 2
    below = _LOW * loser * means - _LOW**2 * loser / 2
    return float(np.logaddexp.reduce(_WEIGHTS + above + below).min())


@settings(max_examples=60, deadline=None)
@given(pulls=st.tuples(_pulls, _pulls), level=st.floats(0.1, 40))
def test_at_the_margin_no_mean_explains_the_lead(pulls: tuple[int, int], level: float) -> None:
    loser, winner = pulls
    lead = margin(loser, winner, level)
    if math.isinf(lead):
        assert loser > 1.5 * winner
        return
    assert _least_evidence(lead, lead * np.linspace(-1, 2, 61), loser, winner) >= level - 1e-9


@pytest.mark.parametrize("pulls", [(2, 2), (60, 100), (130, 100), (100, 100), (7, 20), (2, 1000)])
def test_the_margin_is_not_much_larger_than_it_must_be(pulls: tuple[int, int]) -> None:
    loser, winner = pulls
    level = math.log(4 / 1e-5)
    lead = 0.99 * margin(loser, winner, level)
    assert _least_evidence(lead, np.linspace(-lead, 2 * lead, 601), loser, winner) < level


@settings(max_examples=40, deadline=None)
@given(pulls=st.tuples(_pulls, _pulls), level=st.floats(0.1, 30))
def test_more_certainty_takes_a_larger_lead(pulls: tuple[int, int], level: float) -> None:
    here = margin(*pulls, level)
    assert 0 < here <= margin(*pulls, level + 1)


def _view(arm: int, pulls: int, error: float = 0.0) -> ArmView:
    return ArmView(arm=arm, mean=0.0, pulls=pulls, messages=1, index=1, error=error)


def test_margins_scale_with_sigma_and_pay_for_the_errors_and_for_every_other_arm() -> None:
    width = SubGaussianEvidence(arms=5, delta=1e-5, sigma=0.125)
    confidence = width.confidence(Stride.APART)
    loser, winner = _view(0, 60, 0.01), _view(1, 100, 0.02)
    expected = 0.125 * margin(60, 100, math.log(4 / 1e-5))
    assert confidence.margin(loser, winner) == pytest.approx(expected)
    assert confidence.separation(loser, winner) == pytest.approx(expected + 0.03)


def test_delta_is_halved_where_the_quantizers_error_is_not_certain() -> None:
    uncertain = SubGaussianEvidence(arms=5, delta=0.1, sigma=1.0, certain=False)
    halved = SubGaussianEvidence(arms=5, delta=0.05, sigma=1.0)
    views = _view(0, 30), _view(1, 40)
    assert uncertain.confidence(Stride.APART).margin(*views) == (
        halved.confidence(Stride.APART).margin(*views)
    )


# Two arms with equal means: arm 1 must not be found better than arm 0 in more than δ of all runs,
# whichever rule says who is pulled next, and however often one looks.

_LOOKS = 120
_RUNS = 20_000


def _crossed(
    rule: str, *deltas: float, rewards: str = "gaussian", scale: float = 1.0, spent: float = 1.0
) -> list[int]:
    """Runs in which arm 1 is ever a margin above arm 0; both have mean 0 and σ = 1.

    For each δ, which is spent so many times.
    """
    rng = np.random.default_rng(5)
    sums = np.zeros((2, _RUNS))
    counts = np.zeros((2, _RUNS), dtype=np.int64)
    wrong = np.zeros((len(deltas), _RUNS), dtype=bool)
    for look in range(_LOOKS):
        for arm in (0, 1):
            more = _asked(rule, look, sums, counts, arm)
            batch = np.maximum(1, counts[arm] // 16)
            sums[arm] += np.where(more, _batches(rng, batch, rewards), 0.0)
            counts[arm] += np.where(more, batch, 0)
        seen = (counts > 0).all(axis=0)
        pairs, place = np.unique(counts[0, seen] << 32 | counts[1, seen], return_inverse=True)
        lead = sums[1, seen] / counts[1, seen] - sums[0, seen] / counts[0, seen]
        for row, delta in zip(wrong, deltas, strict=True):
            level = -math.log(spent * delta)
            leads = [margin(pair >> 32, pair & 0xFFFFFFFF, level) for pair in pairs.tolist()]
            row[seen] |= lead >= scale * np.array(leads)[place]
    return [int(row.sum()) for row in wrong]


def _batches(
    rng: np.random.Generator, sizes: npt.NDArray[np.int64], rewards: str
) -> npt.NDArray[np.float64]:
    """Sums of so many rewards: Gaussian ones, or ±1 with equal chances."""
    if rewards == "gaussian":
        return np.asarray(rng.standard_normal(_RUNS) * np.sqrt(sizes), dtype=np.float64)
    return np.asarray(2.0 * rng.binomial(sizes, 0.5) - sizes, dtype=np.float64)


def _asked(
    rule: str, look: int, sums: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], arm: int
) -> npt.NDArray[np.bool_]:
    """Which runs pull this arm now."""
    everyone = np.ones(_RUNS, dtype=bool)
    if rule == "together" or look == 0:
        return everyone
    if rule == "one ahead":
        return everyone if arm == 1 or look % 2 else ~everyone
    means = sums / counts  # the one that leads, unless it is far ahead
    leads = means[arm] > means[1 - arm]
    allowed = np.where(leads, 2 * counts[1 - arm], counts[1 - arm])
    return np.asarray(counts[arm] < allowed, dtype=np.bool_)


def _rejects(wrong: int, delta: float) -> bool:
    return bool(stats.binomtest(wrong, _RUNS, delta, alternative="greater").pvalue < _LEVEL)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["together", "one ahead", "leader first"])
def test_an_equal_arm_is_found_better_no_more_often_than_claimed(rule: str) -> None:
    deltas = 0.5, 0.2, 0.05
    for wrong, delta in zip(_crossed(rule, *deltas), deltas, strict=True):
        assert not _rejects(wrong, delta)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["together", "one ahead"])
def test_rewards_of_two_values_are_sub_gaussian_and_err_no_more_often(rule: str) -> None:
    """±1 has σ = 1 exactly: nothing is to spare."""
    deltas = 0.5, 0.05
    for wrong, delta in zip(_crossed(rule, *deltas, rewards="two values"), deltas, strict=True):
        assert not _rejects(wrong, delta)


@pytest.mark.slow
def test_margins_that_are_too_small_are_caught() -> None:
    """What the test above could see: margins of three fifths, at the level where there is most."""
    (wrong,) = _crossed("together", 0.2, scale=0.6)
    assert _rejects(wrong, 0.2)


@pytest.mark.slow
def test_weights_that_add_up_to_four_are_caught() -> None:
    """As if δ were spent four times: the level is lower by ln 4."""
    (wrong,) = _crossed("together", 0.2, spent=4.0)
    assert _rejects(wrong, 0.2)


@pytest.mark.parametrize("pulls", [(1, 1), (100, 50)])
def test_evidence_is_not_least_between_the_two_means(pulls: tuple[int, int]) -> None:
    """A lead that is enough for every m between the means is not enough for every m.

    Such margins are smaller by a few percent where they are not infinite: no count of errors of
    20,000 runs would show it.
    """
    loser, winner = pulls
    level = math.log(2)
    low, high = 0.0, 20 * math.sqrt(1 / loser + 1 / winner)
    for _ in range(16):
        lead = (low + high) / 2
        between = _least_evidence(lead, np.linspace(0, lead, 41), loser, winner)
        low, high = (low, lead) if between >= level else (lead, high)
    assert _least_evidence(high, high * np.linspace(-3, 3, 61), loser, winner) < level - 0.01
    assert high < 0.99 * margin(loser, winner, level)


# Arms that share their noise: what evidence for pairs may not be used for.


@pytest.mark.slow
def test_arms_that_share_their_noise_break_pairs_and_not_intervals() -> None:
    """What lifts one arm lowers the other: their difference has twice the variance."""
    rng, delta, looks = np.random.default_rng(3), 1e-3, 200
    noise = np.cumsum(rng.standard_normal((_RUNS, looks)), axis=1)
    pulls = np.arange(1, looks + 1)
    lead = 2 * noise / pulls  # of arm 1, whose rewards are z, over arm 0, whose rewards are −z
    pair = [margin(t, t, -math.log(delta)) for t in pulls.tolist()]
    assert _rejects(int((lead >= pair).any(axis=1).sum()), delta)
    for width in (PaperWidth, IntervalsWidth):
        used = width(arms=2, delta=delta, sigma=1.0)
        disjoint = [2 * used.u_prime(t, t) for t in pulls.tolist()]
        assert not _rejects(int((lead >= disjoint).any(axis=1).sum()), delta)
