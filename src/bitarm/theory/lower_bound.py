"""What no sound strategy can beat on average: Garivier and Kaufmann (2016), Gaussian arms."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.spec import check_delta, check_sigma
from bitarm.theory.gaps import check_means, gaps_of


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LowerBound:
    """E[samples] ≥ T*·kl(δ, 1 − δ) for every strategy that errs with probability at most δ."""

    samples: float  # infinite if two arms share the best mean
    characteristic_time: float  # T*(μ)
    weights: tuple[float, ...] | None  # the shares of the samples that attain T*; None for a tie


def lower_bound(means: Sequence[float], *, sigma: float, delta: float) -> LowerBound:
    """The bound for arms N(μ_j, σ²); agents that quantize can only do worse.

    For δ ≥ 1/2 it is 0: then the bound says nothing (with two arms, a coin needs no samples).
    """
    check_means(means)
    check_sigma(sigma)
    check_delta(delta)
    gaps = gaps_of(means)
    smallest = min(gaps)
    if smallest == 0:
        return LowerBound(samples=math.inf, characteristic_time=math.inf, weights=None)
    best = max(range(len(means)), key=means.__getitem__)
    ratios = [gap / smallest for arm, gap in enumerate(gaps) if arm != best]
    y, shares = _optimal_shares([ratio * ratio for ratio in ratios])
    parts = 1 + math.fsum(shares)  # in units of the best arm's share
    shares.insert(best, 1.0)
    noise = sigma / smallest
    t_star = 2 * noise * noise * parts / y
    return LowerBound(
        samples=t_star * binary_kl(delta) if delta < 0.5 else 0.0,
        characteristic_time=t_star,
        weights=tuple(share / parts for share in shares),
    )


def binary_kl(delta: float) -> float:
    """kl(δ, 1 − δ) = (1 − 2δ)·ln((1 − δ)/δ), of two coins."""
    return (1 - 2 * delta) * (math.log1p(-delta) - math.log(delta))


def _optimal_shares(hardness: list[float]) -> tuple[float, list[float]]:
    """y and x_a = y/(d_a − y) with Σ x_a² = 1, for d_a = Δ_a²/Δ_min²: the smallest is 1.

    Σ x_a² increases in y. The closest arm alone has x ≤ 1, so y ≤ 1/2; and K − 1 arms as close
    as it give x ≥ 1/√(K−1): between the two no denominator comes near 0.
    """
    least = 1 / math.sqrt(len(hardness))
    low, high = least / (1 + least), 0.5
    while low < (middle := (low + high) / 2) < high:
        if math.fsum(x * x for x in _shares(hardness, middle)) < 1:
            low = middle
        else:
            high = middle
    return high, _shares(hardness, high)


def _shares(hardness: list[float], y: float) -> list[float]:
    return [y / (d_a - y) for d_a in hardness]
