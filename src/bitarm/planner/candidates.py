"""Which settings are searched: data, and how one is varied into its neighbours.

Every setting here has a proof of P(wrong) ≤ δ; the search checks it once more. To add a scheme, add
a row to `FAMILIES`, and a line to `AXES` for each number of its own that is worth tuning.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, final

from bitarm.core.schedule import MAX_PULLS
from bitarm.planner.question import Question
from bitarm.planner.setting import Setting

REACH = (0.0, 1 / 32, 1 / 6, 1 / 2, 1.0, 1.6)
"""t_1 as a share of the pulls that the guess needs; 0 is the earliest there is."""

_FEWER = (0.0, 1 / 6, 1.0)
_QUIET: dict[str, Sequence[Any]] = {
    "quantizer": ["dicq"],
    "policy": ["quiet"],
    "width": ["pairwise-mixture"],
    "kappa_first": [4.0],
    "cap": [6.0],
    "patience": [1.1],
    "pilot": [True],
    "growth": [1.3],
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Words with lists of values, crossed, and first reports at these reaches."""

    words: Mapping[str, Sequence[Any]]
    reach: Sequence[float] = REACH
    bounded: bool | None = None  # for bounded rewards only, or for unbounded only; None: for both
    from_zero: bool = False  # codes means as distances from 0: bounds must start there


FAMILIES = (
    Family(
        words=_QUIET | {"kappa": [1.0, 2.0], "kappa_cut": [2.0, 4.0], "leader_first": [True]},
    ),
    Family(
        words=_QUIET | {"kappa": [1.0, 2.0], "kappa_cut": [4.0], "leader_first": [False]},
    ),
    Family(
        words=_QUIET
        | {
            "width": ["pairwise"],
            "kappa": [0.5],
            "kappa_cut": [4.0],
            "patience": [0.8],
            "leader_first": [True, False],
        },
    ),
    Family(
        words={
            "quantizer": ["dicq"],
            "policy": ["se"],
            "width": ["pairwise-mixture"],
            "kappa": [1.0, 2.5, 5.0],
            "kappa_first": [4.0],
            "growth": [1.3, 2.0, 4.0],
        },
    ),
    Family(
        words={
            "quantizer": ["dicq"],
            "policy": ["se"],
            "width": ["pairwise"],
            "kappa": [2.5],
            "kappa_first": [4.0],
            "growth": [2.0],
        },
    ),
    Family(
        words={
            "quantizer": ["icq"],
            "policy": ["se"],
            "width": ["pairwise"],
            "prior": ["midpoint"],
            "bits": [1, 2, 3, 5],
            "growth": [2.0, 4.0],
        },
        reach=_FEWER,
        bounded=True,
    ),
    Family(
        words={
            "quantizer": ["icq"],
            "policy": ["se"],
            "width": ["pairwise"],
            "prior": ["quban"],
            "bits": [1, 2, 3, 5],
            "growth": [2.0, 4.0],
        },
        reach=_FEWER,
        bounded=False,
    ),
    Family(
        words={
            "quantizer": ["quban"],
            "policy": ["se"],
            "width": ["pairwise-mixture"],
            "epsilon_quban": [0.5, 2.0],
            "growth": [2.0],
        },
        reach=_FEWER,
        from_zero=True,
    ),
    Family(
        words={
            "quantizer": ["fed-sel"],
            "policy": ["se"],
            "width": ["pairwise"],
            "growth": [2.0, 4.0],
        },
        reach=_FEWER,
        bounded=True,
    ),
    Family(
        words={
            "quantizer": ["exact"],
            "policy": ["se"],
            "width": ["pairwise-mixture"],
            "growth": [1.3, 2.0],
        },
        reach=_FEWER,
    ),
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """A number that is varied by a factor, within two ends."""

    factor: float
    low: float
    high: float
    digits: int = 2

    def neighbours(self, value: float) -> list[float]:
        """One rung down and one up; fewer at an end."""
        steps = (value / self.factor, value * self.factor)
        held = [min(max(step, self.low), self.high) for step in steps]
        return [it for it in (float(f"{step:.{self.digits}g}") for step in held) if it != value]


AXES: Mapping[str, Ladder | Sequence[Any]] = {
    "growth": [1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0],
    "kappa": Ladder(factor=1.35, low=0.1, high=20.0),
    "kappa_first": Ladder(factor=1.6, low=0.1, high=40.0),
    "kappa_cut": Ladder(factor=1.5, low=0.1, high=20.0),
    "bits": [1, 2, 3, 4, 5, 6],
    "epsilon_quban": Ladder(factor=1.5, low=0.05, high=16.0),
    "cap": Ladder(factor=1.6, low=1.3, high=100.0),
    "patience": Ladder(factor=1.25, low=0.2, high=5.0),
    "leader_first": [True, False],
    "pilot": [True, False],
    "width": ["pairwise", "pairwise-mixture", "paper"],
}
_FIRST_STEP = 1.4  # t_1 is varied by this factor
_FURTHEST = 4  # t_1 is at most so many times what the smallest guessed gap needs


def coarse(question: Question) -> list[Setting]:
    """The settings with which a search begins."""
    return list(dict.fromkeys(setting for it in FAMILIES for setting in _members(it, question)))


def _members(family: Family, question: Question) -> Iterator[Setting]:
    bounds = question.bounds
    if family.bounded is not None and family.bounded != (bounds is not None):
        return
    if family.from_zero and bounds is not None and bounds[0] != 0:
        return
    firsts = sorted({max(2, round(share * question.longest)) for share in family.reach})
    for values in product(*family.words.values()):
        for first in firsts:
            yield Setting.of(dict(zip(family.words, values, strict=True)) | {"first": first})


def tunable(setting: Setting) -> list[str]:
    """The words of a setting that can be varied, those that matter most first."""
    return ["first", *(word for word in AXES if word in setting.words)]


def neighbours(setting: Setting, word: str, question: Question) -> list[Setting]:
    """The settings one step away in a word."""
    value = setting.words[word]
    values: Sequence[Any]
    if word == "first":
        values = _firsts(value, _FURTHEST * question.longest)
    else:
        axis = AXES[word]
        values = axis.neighbours(value) if isinstance(axis, Ladder) else _beside(axis, value)
    return [setting.with_word(word, it) for it in values]


def _firsts(first: int, most: int) -> list[int]:
    steps = {min(max(1, round(first * by)), most) for by in (1 / _FIRST_STEP, _FIRST_STEP)}
    if first < 8:  # where the factor rounds to nothing
        steps |= {max(1, first - 1), min(first + 1, most)}
    return sorted(steps - {first})


def _beside(values: Sequence[Any], value: Any) -> list[Any]:
    """The two values on either side: one step may be too short to show; all, without an order."""
    if isinstance(value, str | bool):
        return [it for it in values if it != value]
    below = [it for it in values if it < value][-2:]
    return below + [it for it in values if it > value][:2]


def rescaled(setting: Setting, factor: float) -> Setting:
    """The setting for gaps that are `factor` times as large: t_1 goes with their inverse square."""
    first = max(1, round(setting.words["first"] / factor**2))
    return setting.with_word("first", first)


_LONGEST = {
    "growth": 0,
    "kappa": 0,
    "kappa_first": 0,
    "kappa_cut": 0,
    "epsilon_quban": 0,
    "bits": -1,
    "width": 0,
}
"""At which end of its axis a word makes frames largest."""


def worst_of(setting: Setting) -> Setting:
    """The setting of the same kind with the longest codewords and the most messages."""
    ends = {word: _end(word, end) for word, end in _LONGEST.items() if word in setting.words}
    return Setting.of(setting.words | ends | {"first": 1})


def mildest_of(setting: Setting) -> Setting:
    """The setting of the same kind with the shortest codewords and the fewest messages."""
    ends = {word: _end(word, -1 - end) for word, end in _LONGEST.items() if word in setting.words}
    return Setting.of(setting.words | ends | {"first": MAX_PULLS // 1000})


def _end(word: str, which: int) -> Any:
    axis = AXES[word]
    return (axis.low, axis.high)[which] if isinstance(axis, Ladder) else axis[which]
