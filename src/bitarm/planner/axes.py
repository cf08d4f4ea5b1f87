"""How a word is varied: its values in order, or a ladder of numbers.

`AXES` has what is known of our own words. For a word of another package's scheme an axis follows
from its declaration: its type, its range, its choices and its default.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from bitarm.core.words import Declared, WordKind


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """A number whose distance from `origin` is varied by a factor, within two ends."""

    factor: float
    low: float
    high: float
    digits: int = 2
    origin: float = 0.0

    def neighbours(self, value: float) -> list[float]:
        """The next smaller and the next larger value; at an end of the ladder only one of them."""
        away = value - self.origin
        if away == 0:  # no factor leads away from there
            middle = math.sqrt((self.low - self.origin) * (self.high - self.origin))
            return [self.low, self._rounded(middle)]
        steps = [self._rounded(away / self.factor), self._rounded(away * self.factor)]
        held = [min(max(step, self.low), self.high) for step in steps]
        return [step for step in dict.fromkeys(held) if step != value]

    def _rounded(self, away: float) -> float:
        return self.origin + float(f"{away:.{self.digits}g}")


SearchAxis = Ladder | Sequence[Any]

VARIED_WIDTHS = ("pairwise", "pairwise-mixture", "paper")

AXES: Mapping[str, SearchAxis] = {
    "growth": [1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0],
    "kappa": Ladder(factor=1.35, low=0.1, high=20.0),
    "kappa_first": Ladder(factor=1.6, low=0.1, high=40.0),
    "kappa_cut": Ladder(factor=1.6, low=0.1, high=20.0),
    "bits": [1, 2, 3, 4, 5, 6],
    "epsilon_quban": Ladder(factor=1.5, low=0.05, high=16.0),
    "cap": Ladder(factor=1.6, low=1.3, high=100.0),
    "patience": Ladder(factor=1.25, low=0.2, high=5.0),
    "behind": [0.3, 0.4, 0.5, 0.58, 0.7, 0.85, 1.0],
    "aim": [0.0, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0],
    "width": VARIED_WIDTHS,
}

_FACTOR = 1.6  # between two values of a number of which only its declaration is known
_FAR = 40  # such a number moves at most this factor away from its default


def axis_of(declared: Declared) -> SearchAxis:
    """The axis of a word of which only its declaration is known; empty if it cannot be varied."""
    match declared.kind:
        case WordKind.FLAG:
            return [True, False]
        case WordKind.NUMBER if declared.default is not None:
            return _ladder(declared)
        case WordKind.WHOLE if declared.default is not None:
            return _whole_numbers(declared)
    return declared.choices


def _ladder(declared: Declared) -> Ladder:
    """Distances from the lower end of the range, or from 0, around that of the default."""
    word = declared.word
    origin = next((end for end in (word.above, word.least) if end is not None), 0.0)
    usual = abs(declared.default - origin) or 1.0
    below_origin = word.above is None and word.least is None and declared.default < 0
    low, high = origin + usual / _FAR, origin + usual * _FAR
    if below_origin:
        low, high = -high, -low
    return Ladder(
        factor=_FACTOR,
        low=low,
        high=high if word.most is None else min(high, word.most),
        origin=origin,
    )


def _whole_numbers(declared: Declared) -> list[int]:
    """Whole numbers around the default: all that are near, and beyond by factors of 2."""
    word, usual = declared.word, int(declared.default)
    least = -math.inf if word.least is None else word.least
    above = -math.inf if word.above is None else word.above
    most = math.inf if word.most is None else word.most
    found = {usual + step for step in range(-4, 5)}
    found |= {round(usual * 2**power) for power in range(-5, 6)}
    return sorted(value for value in found if least <= value <= most and value > above)


def beside(axis: SearchAxis, value: Any) -> list[Any]:
    """The values one step away on an axis; on one without an order, all the others.

    Of values in a list two on either side: one step may be too short to show.
    """
    if isinstance(axis, Ladder):
        return axis.neighbours(value)
    if isinstance(value, str | bool):
        return [other for other in axis if other != value]
    below = [other for other in axis if other < value][-2:]
    return below + [other for other in axis if other > value][:2]
