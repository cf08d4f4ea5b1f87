"""Families of settings: which words with which values a search begins with.

Every setting of `FAMILIES` has a proof of P(wrong) ≤ δ. Words that a user fixed leave the families
that can have them, with the fixed values in place of their own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

from bitarm.core.policies import POLICIES
from bitarm.core.quantizer import Bounds
from bitarm.core.quantizers import CHOICES
from bitarm.core.words import words_of
from bitarm.planner.setting import NAMES, Setting

REACH = (0.0, 1 / 32, 1 / 6, 1 / 2, 1.0, 1.6)
"""t_1 as a share of the pulls that the guess needs; 0 is the earliest there is."""

FEWER_REACHES = (0.0, 1 / 6, 1.0)
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

    def suits(self, bounds: Bounds | None) -> bool:
        """Whether it is for rewards with these bounds."""
        if self.bounded is not None and self.bounded != (bounds is not None):
            return False
        return not self.from_zero or bounds is None or bounds[0] == 0

    def can_have(self, fixed: Setting) -> bool:
        """Whether each of the fixed words has a meaning in its settings."""
        words = fixed.words
        named = {word: words[word] for word in ("quantizer", "policy") if word in words}
        return words.keys() <= self._own_words and all(
            name in self.words[word] for word, name in named.items()
        )

    @property
    def _own_words(self) -> set[str]:
        """The words of its quantizers, policies and schedules, and their names."""
        members = [CHOICES[name] for name in self.words["quantizer"]]
        rules = [POLICIES[name] for name in self.words["policy"]]
        own = {word for member in (*members, *rules) for word in words_of(member)}
        return {*own, *NAMES, "growth", "first"}

    def with_fixed(self, fixed: Setting) -> "Family":
        """The same with these values in place of its own."""
        return replace(self, words={**self.words, **{word: [it] for word, it in fixed.items}})


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
        reach=FEWER_REACHES,
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
        reach=FEWER_REACHES,
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
        reach=FEWER_REACHES,
        from_zero=True,
    ),
    Family(
        words={
            "quantizer": ["fed-sel"],
            "policy": ["se"],
            "width": ["pairwise"],
            "growth": [2.0, 4.0],
        },
        reach=FEWER_REACHES,
        bounded=True,
    ),
    Family(
        words={
            "quantizer": ["exact"],
            "policy": ["se"],
            "width": ["pairwise-mixture"],
            "growth": [1.3, 2.0],
        },
        reach=FEWER_REACHES,
    ),
)

LISTED_PAIRS: tuple[tuple[str, str], ...] = tuple(
    dict.fromkeys(
        (quantizer, policy)
        for family in FAMILIES
        for quantizer in family.words["quantizer"]
        for policy in family.words["policy"]
    )
)
"""Quantizers and policies that are searched together, whether a user names them or not."""

LISTED_WORDS = {word for family in FAMILIES for word in family.words} | {"first"}
"""Words of which it is known how they are varied, or that they need not be."""


def listed(fixed: Setting, bounds: Bounds | None) -> list[Family]:
    """The families that suit the bounds and can have the fixed words, with their values."""
    return [it.with_fixed(fixed) for it in FAMILIES if it.suits(bounds) and it.can_have(fixed)]
