"""What an agent knows of its own rewards when it weighs them: evidence at every rung.

A question says on which scale: rewards in [low, low + unit] of which nothing else is known, or
rewards that are `unit`-sub-Gaussian. Rates are per unit, and means are counted in units from low,
so that all formulas are those of rewards in [0, 1], or of σ = 1.
"""

import math
from dataclasses import dataclass
from typing import final

from bitarm.core.codes.checks import require_finite, require_step
from bitarm.core.evidence import bets as betting
from bitarm.core.evidence.bets import Bets
from bitarm.core.evidence.ladder import RATES

TOP = 4.0
"""The highest rate is nearly this over σ: with gaps of many σ, two or three pulls are enough."""

SIGMA_RATES = tuple(TOP * rate for rate in RATES)
"""λ of each rung where σ is known, over σ."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How rewards are turned into evidence."""

    bounded: bool  # whether rewards are known to lie in [low, low + unit]; else `unit` is their σ
    low: float
    unit: float

    def __post_init__(self) -> None:
        require_finite("low", self.low)
        require_step(self.unit)
        require_finite("high", self.low + self.unit)

    @property
    def rates(self) -> tuple[float, ...]:
        """λ of each rung, per unit."""
        return RATES if self.bounded else SIGMA_RATES

    @classmethod
    def of_sigma(cls, sigma: float) -> "Scale":
        """The scale of σ-sub-Gaussian rewards, σ rounded up to eight binary digits, to be told."""
        mantissa, exponent = math.frexp(sigma)
        return cls(bounded=False, low=0.0, unit=math.ldexp(math.ceil(mantissa * 256), exponent - 8))

    def inward(self, value: float) -> float:
        """A reward or a mean in units from `low`."""
        return (value - self.low) / self.unit


@final
@dataclass(frozen=True, slots=True)
class Account:
    """An agent's evidence after some pulls."""

    scale: Scale
    pulls: int
    mean: float  # as it was measured, not in units
    bets: Bets | None  # where rewards are bounded

    def above(self, rung: int) -> float:
        """ln e⁺(m) + λnm, m in units: evidence that the mean is above m, but for its slope."""
        bets = self.bets
        if bets is None:
            return self._of_sum(rung, 1.0)
        return betting.above(
            rung, bets.total, bets.predicted, bets.squares, bets.fortunes, bets.logs
        )

    def below(self, rung: int) -> float:
        """ln e⁻(m) − λnm, m in units: evidence that the mean is below m, but for its slope."""
        bets = self.bets
        if bets is None:
            return self._of_sum(rung, -1.0)
        return betting.below(
            rung, bets.total, bets.predicted, bets.squares, bets.fortunes, bets.logs
        )

    @property
    def variance(self) -> float:
        """The rewards' variance in units, roughly."""
        return self.bets.squares / self.pulls if self.bets is not None else 1.0

    def _of_sum(self, rung: int, side: float) -> float:
        rate = SIGMA_RATES[rung]
        return self.pulls * rate * (side * self.scale.inward(self.mean) - rate / 2)


def clamped(mean: float, pulls: float) -> float:
    """A mean in [0, 1] half a reward away from the ends at least: nobody saw that it is 0."""
    least = 0.5 / (pulls + 1.0)
    return min(max(mean, least), 1.0 - least)


def variance(bounded: bool, mean: float, spread: float, pulls: float) -> float:
    """The variance of rewards with this mean, roughly: `spread` times a coin's, or σ² = 1."""
    if not bounded:
        return 1.0
    mean = clamped(mean, pulls)
    return spread * mean * (1.0 - mean)


def cost(
    bounded: bool, rate: float, mean: float, spread: float, pulls: float, side: float
) -> float:
    """What a bettor at a rate λ loses with each reward to the rewards' variance.

    With σ known that is λ²/2. Otherwise by a rough model: rewards with this mean and `spread` times
    the variance of a coin, and the skewness of Beta rewards of such a spread. `side` is 1 for who
    bets on high rewards, −1 for the others. For plans, and for telling a fortune in few bits;
    nothing is claimed of it.
    """
    if not bounded:
        return rate * rate / 2.0
    mean = clamped(mean, pulls)
    skew = side * (2.0 * mean - 1.0) * min(2.0 * spread / (1.0 + spread), 1.0)
    lean = skew * rate
    of_coin = spread * mean * (1.0 - mean)
    if abs(lean) < 1e-4:  # where the formula would divide nothing by nothing
        return of_coin * rate * rate * (0.5 + lean / 3.0)
    return of_coin * (-math.log1p(-lean) - lean) / (skew * skew)
