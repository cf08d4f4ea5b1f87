"""Averages and quantiles that can be merged, and exact intervals for rates."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Count, mean and summed squared deviation of some numbers; of none, the mean says nothing.

    Merging in a fixed order gives the same bits whoever computed the parts.
    """

    count: int
    mean: float
    squares: float

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> Self:
        """The moments of an array."""
        numbers = values.astype(np.float64)
        if not numbers.size:
            return cls(count=0, mean=0.0, squares=0.0)
        mean = float(numbers.mean())
        return cls(count=numbers.size, mean=mean, squares=float(np.square(numbers - mean).sum()))

    def merged(self, other: "Moments") -> "Moments":
        """The moments of both together (Chan, Golub and LeVeque 1979)."""
        if not (self.count and other.count):
            return self if self.count else other
        count = self.count + other.count
        gap = other.mean - self.mean
        return Moments(
            count=count,
            mean=self.mean + gap * other.count / count,
            squares=self.squares + other.squares + gap * gap * self.count * other.count / count,
        )

    @property
    def sem(self) -> float | None:
        """Standard error of the mean; None for a single number, which tells nothing of it."""
        if self.count < 2:
            return None
        return math.sqrt(self.squares / (self.count - 1) / self.count)


_LEADING_BITS = 11


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often whole numbers of 0 or more came up, each kept to its 11 leading bits.

    So numbers below 2,048 are exact, and larger ones at most 1/1024 too low, which is what lets
    millions of trials be merged in little room (the idea of Gil Tene's HdrHistogram). The order of
    merging has no influence.
    """

    values: tuple[int, ...]  # ascending
    counts: tuple[int, ...]

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> Self:
        """The tally of an array."""
        _, lengths = np.frexp(values.astype(np.float64))  # a number's length in bits
        shifts = np.maximum(lengths.astype(np.int64) - _LEADING_BITS, 0)
        kept, counts = np.unique((values >> shifts) << shifts, return_counts=True)
        return cls(values=tuple(kept.tolist()), counts=tuple(counts.tolist()))

    def quantile(self, share: float) -> int | None:
        """The smallest number that at least this share of them does not exceed; None of none."""
        needed = share * sum(self.counts)
        seen = 0
        for value, count in zip(self.values, self.counts, strict=True):
            seen += count
            if seen >= needed:
                return value
        return None


def merge_tallies(parts: Iterable[Tally]) -> Tally:
    """The tally of all parts together."""
    together: Counter[int] = Counter()
    for part in parts:
        for value, count in zip(part.values, part.counts, strict=True):
            together[value] += count
    values = tuple(sorted(together))
    return Tally(values=values, counts=tuple(together[value] for value in values))


def merge_all(parts: Iterable[Moments]) -> Moments:
    """The moments of all parts, merged in their order."""
    return reduce(Moments.merged, parts)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share of trials, with its exact interval."""

    value: float
    low: float
    high: float


def clopper_pearson(hits: int, trials: int, *, level: float = 0.95) -> Rate:
    """The rate hits/trials with the exact binomial interval of Clopper and Pearson (1934)."""
    from scipy.special import betaincinv  # slow to import, and needed once, at the end

    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, tail))
    high = 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, 1 - tail))
    return Rate(value=hits / trials, low=low, high=high)
