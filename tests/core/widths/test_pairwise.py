"""Widths for pairs: their formulas, and the law that their proofs rest on."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.widths.mixture import MIXTURE_RHO
from bitarm.core.widths.pairwise import (
    PairwiseMixtureWidth,
    PairwiseWidth,
    mixture_margin,
)

_LEVEL = 1e-4


def _view(pulls: int, index: int, error: float = 0.0, arm: int = 0) -> ArmView:
    return ArmView(arm=arm, mean=0.0, pulls=pulls, messages=index, index=index, error=error)


def _width(arms: int = 5, delta: float = 0.05, *, certain: bool = True) -> PairwiseWidth:
    return PairwiseWidth(arms=arms, delta=delta, sigma=0.5, certain=certain)


def test_the_margin_of_arms_that_advance_together() -> None:
    confidence = _width().confidence(Stride.TOGETHER)
    expected = 0.5 * math.sqrt(2 * (2 / 8) * math.log(4 * 3 * 4 / 0.05))
    assert confidence.separation(_view(8, 3, 0.1), _view(8, 3, 0.2)) == pytest.approx(
        expected + 0.3
    )
    level = _width().confidence(Stride.EVEN)  # the grid's index, visited or not
    assert level.separation(_view(8, 3), _view(8, 3)) == pytest.approx(expected)


def test_the_margin_of_arms_that_advance_apart_pays_for_both_indices() -> None:
    confidence = _width().confidence(Stride.APART)
    expected = 0.5 * math.sqrt(2 * (1 / 8 + 1 / 32) * math.log(4 * (3 * 4) * (5 * 6) / 0.05))
    assert confidence.separation(_view(8, 3), _view(32, 5)) == pytest.approx(expected)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=4), st.integers(2, 50))
def test_the_weights_of_all_indices_add_up_to_at_most_1(indices: list[int], arms: int) -> None:
    """What the union bound over checkpoints needs: Σ 1/(n(n+1)) = 1, and so for pairs of them."""
    last = max(indices)
    alone = sum(1 / (n * (n + 1)) for n in range(1, last + 1))
    assert alone == pytest.approx(1 - 1 / (last + 1))
    assert alone * alone <= 1


def test_delta_is_halved_where_the_quantizers_error_is_not_certain() -> None:
    uncertain, halved = _width(certain=False), _width(delta=0.025)
    one, other = _view(8, 3), _view(8, 3, arm=1)
    assert uncertain.confidence(Stride.TOGETHER).separation(one, other) == pytest.approx(
        halved.confidence(Stride.TOGETHER).separation(one, other)
    )
    assert uncertain.u_prime(8, 3) == halved.u_prime(8, 3)


def test_a_pair_needs_a_smaller_lead_than_two_intervals() -> None:
    for index, pulls in enumerate((2, 8, 32, 128), start=1):
        width = _width()
        lead = width.confidence(Stride.TOGETHER).separation(
            _view(pulls, index), _view(pulls, index)
        )
        assert lead < 0.75 * 2 * width.u_prime(pulls, index)


@pytest.mark.parametrize("pulls", [1, 2, 30, 10**4, 10**12])
@pytest.mark.parametrize(("arms", "delta"), [(2, 0.9), (5, 0.05), (1000, 1e-12)])
def test_the_mixture_reaches_its_level_at_the_margin(pulls: int, arms: int, delta: float) -> None:
    sigma = 0.7
    total = mixture_margin(pulls, arms, delta, sigma) * pulls  # S_t
    spread = 1 / (sigma * math.sqrt(2 * MIXTURE_RHO))  # of the half-normal law of λ
    peak = total / (2 * sigma**2 * (pulls + MIXTURE_RHO))
    width = 1 / (sigma * math.sqrt(2 * (pulls + MIXTURE_RHO)))
    top = peak * total - peak**2 * sigma**2 * pulls  # factored out, for the exponential's sake

    def integrand(steps: float) -> float:
        lam = peak + steps * width
        density = 2 * stats.norm.pdf(lam, scale=spread)
        return float(density * math.exp(lam * total - lam**2 * sigma**2 * pulls - top) * width)

    low = max(-12.0, -peak / width)
    value, _ = integrate.quad(integrand, low, 12.0)
    assert math.log(value) + top == pytest.approx(math.log((arms - 1) / delta), rel=1e-6, abs=1e-6)


def test_arms_with_different_pulls_are_never_separated_by_the_mixture() -> None:
    width = PairwiseMixtureWidth(arms=3, delta=0.1, sigma=1.0)
    confidence = width.confidence(Stride.EVEN)
    assert confidence.separation(_view(8, 3), _view(16, 4)) == math.inf
    assert confidence.separation(_view(8, 3), _view(8, 3)) < math.inf


def _crossings(scale: float, trials: int = 4000, length: int = 2000) -> int:
    """How many walks of differences without drift ever lead by `scale` times the margin."""
    rng = np.random.default_rng(7)
    times = np.arange(1, length + 1)
    margins = np.array([mixture_margin(int(t), 2, 0.2, 1.0) for t in times]) * times
    steps = rng.normal(0.0, math.sqrt(2.0), (trials, length))
    return int(np.count_nonzero((np.cumsum(steps, axis=1) >= scale * margins).any(axis=1)))


def test_two_equal_arms_looked_at_after_every_pull_are_rarely_separated() -> None:
    """Ville's inequality at work: P(ever) ≤ δ, however often one looks."""
    test = stats.binomtest(_crossings(1.0), 4000, 0.2, alternative="greater")
    assert test.pvalue > _LEVEL


def test_a_margin_that_is_too_small_is_noticed() -> None:
    test = stats.binomtest(_crossings(0.75), 4000, 0.2, alternative="greater")
    assert test.pvalue < _LEVEL
