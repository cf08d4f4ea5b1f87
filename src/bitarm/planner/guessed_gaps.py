"""What is guessed of the gaps before a run: how far below the best arm are the others?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from bitarm.core.words import unknown
from bitarm.errors import ConfigError
from bitarm.sim.kernels.arrays import Floats


class GapGuess(Protocol):
    """A law for the gaps of all arms but the best.

    Law: every gap that is drawn lies in [smallest, largest], and smallest > 0.
    """

    @property
    def smallest(self) -> float:
        """No gap is smaller."""
        ...

    @property
    def largest(self) -> float:
        """No gap is larger."""
        ...

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Draw the gaps of `count` arms."""
        ...

    def scaled(self, factor: float) -> "GapGuess":
        """The same guess with every gap times `factor`."""
        ...

    def raised(self, least: float) -> "GapGuess":
        """The same guess with no gap below `least`."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The guess under the name of the parameter of `plan` that gave it."""
        ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GuessedGaps:
    """Gaps that are guessed as numbers; a single one stands for every arm."""

    gaps: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.gaps:
            raise ConfigError("gaps must name at least one gap")
        for gap in self.gaps:
            _check_gap("a gap", gap)

    @property
    def smallest(self) -> float:
        """The smallest of them."""
        return min(self.gaps)

    @property
    def largest(self) -> float:
        """The largest of them."""
        return max(self.gaps)

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """The gaps, the same each time; `rng` is not used."""
        if len(self.gaps) == 1:
            return np.full(count, self.gaps[0])
        return np.array(self.gaps)

    def scaled(self, factor: float) -> "GuessedGaps":
        """Every gap times `factor`."""
        return GuessedGaps(gaps=tuple(gap * factor for gap in self.gaps))

    def raised(self, least: float) -> "GuessedGaps":
        """Every gap, or `least` where that is more."""
        return GuessedGaps(gaps=tuple(max(gap, least) for gap in self.gaps))

    def to_json(self) -> dict[str, Any]:
        """`gap` if one stands for every arm, else `gaps`."""
        return {"gap": self.gaps[0]} if len(self.gaps) == 1 else {"gaps": list(self.gaps)}


LAWS = ("uniform", "loguniform")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GapPrior:
    """Gaps drawn for each arm alone, between two ends; in proportion or in logarithm."""

    law: str
    low: float
    high: float

    def __post_init__(self) -> None:
        if self.law not in LAWS:
            raise ConfigError(unknown("the law of a gap prior", self.law, LAWS))
        _check_gap("the low end of a gap prior", self.low)
        _check_gap("the high end of a gap prior", self.high)
        if self.high < self.low:
            raise ConfigError(
                f"a gap prior needs its low end first, got {self.low:g} and {self.high:g}"
            )

    @property
    def smallest(self) -> float:
        """The low end."""
        return self.low

    @property
    def largest(self) -> float:
        """The high end."""
        return self.high

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Draw `count` independent gaps."""
        if self.law == "uniform":
            return rng.uniform(self.low, self.high, count)
        drawn = np.exp(rng.uniform(math.log(self.low), math.log(self.high), count))
        return np.clip(drawn, self.low, self.high)

    def scaled(self, factor: float) -> "GapPrior":
        """Both ends times `factor`."""
        return GapPrior(law=self.law, low=self.low * factor, high=self.high * factor)

    def raised(self, least: float) -> "GapPrior":
        """Both ends, or `least` where that is more."""
        return GapPrior(law=self.law, low=max(self.low, least), high=max(self.high, least))

    def to_json(self) -> dict[str, Any]:
        """`gap_prior`, as `parse_prior` reads it."""
        low, high = (repr(end).removesuffix(".0") for end in (self.low, self.high))
        return {"gap_prior": f"{self.law}:{low}:{high}"}


def gap_guess_of(
    *,
    gap: float | None = None,
    gaps: Sequence[float] | None = None,
    gap_prior: str | GapPrior | None = None,
) -> GapGuess:
    """The one guess that was given; ConfigError if there is none, or more than one."""
    if sum(guess is not None for guess in (gap, gaps, gap_prior)) != 1:
        raise ConfigError(
            "give one guess of the gaps: gap (one number for all arms), gaps (a list), "
            "or gap_prior (such as uniform:0.05:0.5)"
        )
    if gap is not None:
        return GuessedGaps(gaps=(float(gap),))
    if gaps is not None:
        return GuessedGaps(gaps=tuple(map(float, gaps)))
    return gap_prior if isinstance(gap_prior, GapPrior) else parse_prior(gap_prior or "")


def parse_prior(text: str) -> GapPrior:
    """A prior from `uniform:LOW:HIGH` or `loguniform:LOW:HIGH`."""
    law, *ends = text.split(":")
    try:
        low, high = (float(end) for end in ends)
    except ValueError:
        raise ConfigError(
            f"a gap prior is written as uniform:0.05:0.5 or loguniform:0.01:1, got {text!r}"
        ) from None
    return GapPrior(law=law, low=low, high=high)


def _check_gap(what: str, gap: float) -> None:
    if not (math.isfinite(gap) and gap > 0):
        raise ConfigError(
            f"{what} must be a finite number above 0, got {gap:g}: "
            "two arms with equal means are never told apart"
        )
