"""Intervals that hold after every pull, whatever other arms do."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from bitarm.core.widths.intervals import IntervalsWidth
from bitarm.core.widths.mixture import MIXTURE_RHO
from bitarm.core.widths.paper import PaperWidth

_LEVEL = 1e-3  # a right width fails a test in one of a thousand seeds; seeds are fixed


@pytest.mark.parametrize("pulls", [1, 2, 30, 10**4, 10**12])
@pytest.mark.parametrize(("arms", "delta"), [(3, 0.2), (5, 0.05), (1000, 1e-12)])
def test_the_mixture_of_one_arm_and_side_reaches_its_level_at_the_edge(
    pulls: int, arms: int, delta: float
) -> None:
    sigma = 0.7
    total = IntervalsWidth(arms=arms, delta=delta, sigma=sigma).u_prime(pulls, 1) * pulls  # S_t
    spread = 1 / (sigma * math.sqrt(MIXTURE_RHO))  # of the half-normal law of λ
    peak = total / (sigma**2 * (pulls + MIXTURE_RHO))
    width = 1 / (sigma * math.sqrt(pulls + MIXTURE_RHO))
    top = peak * total - peak**2 * sigma**2 * pulls / 2  # factored out, for the exponential's sake

    def integrand(steps: float) -> float:
        lam = peak + steps * width
        density = 2 * stats.norm.pdf(lam, scale=spread)
        return float(density * math.exp(lam * total - lam**2 * sigma**2 * pulls / 2 - top) * width)

    value, _ = integrate.quad(integrand, max(-12.0, -peak / width), 12.0)
    assert math.log(value) + top == pytest.approx(math.log(2 * arms / delta), rel=1e-6, abs=1e-6)


def test_it_is_narrower_than_the_papers_from_ten_pulls_on() -> None:
    for arms, delta in ((2, 0.2), (5, 0.05), (1000, 1e-12)):
        mixed = IntervalsWidth(arms=arms, delta=delta, sigma=1.0)
        paper = PaperWidth(arms=arms, delta=delta, sigma=1.0)
        assert all(mixed.u_prime(t, 1) < paper.u_prime(t, 1) for t in (10, 10**3, 10**9))


def _misses(scale: float, trials: int = 4000, length: int = 2000) -> int:
    """Of how many walks of two arms with opposite noise some mean ever leaves `scale` intervals."""
    rng = np.random.default_rng(11)
    times = np.arange(1, length + 1)
    width = IntervalsWidth(arms=2, delta=0.2, sigma=1.0)
    reach = np.array([width.u_prime(int(t), 1) for t in times]) * times
    walks = np.cumsum(rng.normal(0.0, 1.0, (trials, length)), axis=1)
    return int(np.count_nonzero((np.abs(walks) >= scale * reach).any(axis=1)))


def test_means_that_are_looked_at_after_every_pull_stay_inside() -> None:
    assert stats.binomtest(_misses(1.0), 4000, 0.2, alternative="greater").pvalue > _LEVEL


def test_intervals_that_are_too_narrow_are_noticed() -> None:
    assert stats.binomtest(_misses(0.7), 4000, 0.2, alternative="greater").pvalue < _LEVEL
