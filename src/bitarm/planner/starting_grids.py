"""Grids of settings, by what is known of the rewards: words of [scheme] and the values to try.

`STARTING_GRIDS` lists our own; every setting of theirs has a proof of P(wrong) ≤ δ. Words that a
user fixed leave the grids that can have them, with the fixed values in place of their own.

A quantizer or a policy that is not listed, such as one that another package offers, is searched if
a user names it, or fixes a word that only it has. Its grid is made from what it declares: its words
at their defaults, with the policy and the width that a run would have without further words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

from bitarm.api.applicable import applicable
from bitarm.api.default_scheme import default_policy, default_width
from bitarm.core.budget import is_budgeted
from bitarm.core.confidence import Stride, Width
from bitarm.core.policies import POLICIES
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import CHOICES
from bitarm.core.registry import Registry
from bitarm.core.vocabulary import choose
from bitarm.core.widths import BoundedEvidence, SubGaussianEvidence
from bitarm.core.words import words_of
from bitarm.errors import ConfigError
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import NAMES, SchemeWords

REACH = (0.0, 1 / 32, 1 / 6, 1 / 2, 1.0, 1.6)
"""t_1 as a share of the pulls that the guess needs; 0 is the earliest there is."""

_FEWER_REACHES = (0.0, 1 / 6, 1.0)
_JUDGED_REACHES = (0.0, 1 / 16, 1 / 6, 1 / 3, 2 / 3)
_UNLISTED_GROWTH = (1.3, 2.0, 4.0)
_CHALLENGE: dict[str, Sequence[Any]] = {
    "quantizer": ["dyadic"],
    "policy": ["challenge"],
    "behind": [0.58],
    "aim": [0.7],
}
_SPARING = {  # of bits: long steps, and leaps
    "kappa": [1.8, 3.0],
    "kappa_first": [4.2],
    "kappa_cut": [3.0],
    "cap": [4.0],
    "patience": [1.2],
}
_EAGER = {  # for fewer pulls: short steps, and looks that follow closely
    "kappa": [0.2, 0.5],
    "kappa_first": [2.5],
    "kappa_cut": [4.0],
    "cap": [1.5],
    "patience": [0.8],
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StartingGrid:
    """Words with lists of values, which are crossed.

    Each combination is tried with several pull counts of the first report, t_1: unless the words
    say `first`, these are the shares in `reach` of the pulls that the guessed gaps need.
    """

    words: Mapping[str, Sequence[Any]]
    reach: Sequence[float] = REACH
    bounded: bool | None = None  # for bounded rewards only, or for unbounded only; None: for both
    from_zero: bool = False  # codes means as distances from 0: bounds must start there

    @property
    def is_judged(self) -> bool:
        """Whether agents judge themselves, by evidence of one kind."""
        return all(POLICIES[name].stride is Stride.JUDGED for name in self.words["policy"])

    @property
    def beginning(self) -> str | None:
        """The word that says after how many pulls arms report first, if there is one."""
        if not self.is_judged:
            return "first"
        policies = [POLICIES[name] for name in self.words["policy"]]
        return "start" if all("start" in words_of(policy) for policy in policies) else None

    def suits(self, task: PlanningTask) -> bool:
        """Whether its schemes can be used with what is known of the rewards."""
        bounds = task.bounds
        if self.bounded is not None and self.bounded != (bounds is not None):
            return False
        if self.is_judged and self.words["width"] != [_evidence(task).name]:
            return False
        policies = [POLICIES[name] for name in self.words["policy"]]
        if task.epsilon and not all("epsilon" in words_of(policy) for policy in policies):
            return False
        return not self.from_zero or bounds is None or bounds[0] == 0

    def can_have(self, fixed: SchemeWords) -> bool:
        """Whether each of the fixed words has a meaning in its settings."""
        words = fixed.words
        names = NAMES if self.is_judged else ("quantizer", "policy")
        named = {word: words[word] for word in names if word in words}
        return words.keys() <= self._own_words and all(
            name in self.words[word] for word, name in named.items()
        )

    @property
    def _own_words(self) -> set[str]:
        """The words of its quantizers, policies and schedules, and their names."""
        members = [CHOICES[name] for name in self.words["quantizer"]]
        rules = [POLICIES[name] for name in self.words["policy"]]
        own = {word for member in (*members, *rules) for word in words_of(member)}
        return {*own, *NAMES} if self.is_judged else {*own, *NAMES, "growth", "first"}

    def with_fixed(self, fixed: SchemeWords) -> "StartingGrid":
        """The same grid with the fixed values in place of its own."""
        return replace(self, words={**self.words, **{word: [value] for word, value in fixed.items}})


STARTING_GRIDS = (
    *(
        StartingGrid(words=_CHALLENGE | style | {"width": [width.name]}, reach=_JUDGED_REACHES)
        for width in (SubGaussianEvidence, BoundedEvidence)
        for style in (_SPARING, _EAGER)
    ),
    StartingGrid(
        words={
            "quantizer": ["dicq"],
            "policy": ["se"],
            "width": ["pairwise-mixture"],
            "kappa": [1.0, 2.5, 5.0],
            "kappa_first": [4.0],
            "growth": [1.3, 2.0, 4.0],
        },
    ),
    StartingGrid(
        words={
            "quantizer": ["dicq"],
            "policy": ["se"],
            "width": ["pairwise"],
            "kappa": [2.5],
            "kappa_first": [4.0],
            "growth": [2.0],
        },
    ),
    StartingGrid(
        words={
            "quantizer": ["icq"],
            "policy": ["se"],
            "width": ["pairwise"],
            "prior": ["midpoint"],
            "bits": [1, 2, 3, 5],
            "growth": [2.0, 4.0],
        },
        reach=_FEWER_REACHES,
        bounded=True,
    ),
    StartingGrid(
        words={
            "quantizer": ["icq"],
            "policy": ["se"],
            "width": ["pairwise"],
            "prior": ["quban"],
            "bits": [1, 2, 3, 5],
            "growth": [2.0, 4.0],
        },
        reach=_FEWER_REACHES,
        bounded=False,
    ),
    StartingGrid(
        words={
            "quantizer": ["quban"],
            "policy": ["se"],
            "width": ["pairwise-mixture"],
            "epsilon_quban": [0.5, 2.0],
            "growth": [2.0],
        },
        reach=_FEWER_REACHES,
        from_zero=True,
    ),
    StartingGrid(
        words={
            "quantizer": ["fed-sel"],
            "policy": ["se"],
            "width": ["pairwise"],
            "growth": [2.0, 4.0],
        },
        reach=_FEWER_REACHES,
        bounded=True,
    ),
    StartingGrid(
        words={
            "quantizer": ["exact"],
            "policy": ["se"],
            "width": ["pairwise-mixture"],
            "growth": [1.3, 2.0],
        },
        reach=_FEWER_REACHES,
    ),
)

LISTED_PAIRS: tuple[tuple[str, str], ...] = tuple(
    dict.fromkeys(
        (quantizer, policy)
        for grid in STARTING_GRIDS
        for quantizer in grid.words["quantizer"]
        for policy in grid.words["policy"]
    )
)
"""Quantizers and policies that are searched together, whether a user names them or not."""

LISTED_WORDS = {word for grid in STARTING_GRIDS for word in grid.words} | {"first", "start"}
"""Words of which it is known how they are varied, or that they need not be."""


def starting_grids(task: PlanningTask) -> list[StartingGrid]:
    """The grids that suit the rewards and have the fixed words; ConfigError if there are none."""
    fixed = task.fixed
    listed = [grid for grid in STARTING_GRIDS if grid.suits(task) and grid.can_have(fixed)]
    return [grid.with_fixed(fixed) for grid in listed] or _unlisted(task)


def _evidence(task: PlanningTask) -> type[Width]:
    """The width of agents that judge themselves: that of bets, if only the bounds are known."""
    return BoundedEvidence if task.is_bet_on else SubGaussianEvidence


def _unlisted(task: PlanningTask) -> list[StartingGrid]:
    """A grid for each quantizer and policy that the fixed words leave; ConfigError if none."""
    words = task.fixed.words
    found: list[StartingGrid] = []
    refusals: list[ConfigError] = []
    for quantizer, policy in _pairs(words):
        try:
            applicable(CHOICES, quantizer, words)
            applicable(POLICIES, policy, words)
        except ConfigError as error:
            refusals.append(error)
            continue
        found.append(_declared_grid(quantizer, policy, task))
    if not found:
        raise refusals[0]
    return found


def _pairs(words: Mapping[str, Any]) -> list[tuple[type[Quantizer], type[Policy]]]:
    """The quantizers that are named, or that fixed words belong to, with their policies."""
    quantizers = _chosen(CHOICES, words)
    policies = _chosen(POLICIES, words)
    if "policy" not in words and quantizers:
        return [(quantizer, default_policy(quantizer)) for quantizer in quantizers]
    if not quantizers:
        quantizers = [CHOICES[name] for name in dict.fromkeys(name for name, _ in LISTED_PAIRS)]
    return [(quantizer, policy) for quantizer in quantizers for policy in policies]


def _chosen(registry: Registry[Any], words: Mapping[str, Any]) -> list[type[Any]]:
    """The scheme that is named, or those that have the fixed words; none where no word says."""
    if registry.kind in words:
        return [choose(registry, words[registry.kind])]
    known = [
        member
        for member in registry.known.values()
        if registry is CHOICES or not is_budgeted(member)
    ]
    own = [word for word in words if any(word in words_of(member) for member in known)]
    owners = [member for member in known if own and all(word in words_of(member) for word in own)]
    if own and not owners:
        raise ConfigError(
            f"{' and '.join(own)} together apply to none of the settings that a plan searches: "
            f"no {registry.kind} has all of these words"
        )
    return owners


def _declared_grid(
    quantizer: type[Quantizer], policy: type[Policy], task: PlanningTask
) -> StartingGrid:
    judged, fixed = policy.stride is Stride.JUDGED, task.fixed.words
    width = _evidence(task) if judged else default_width(policy)
    values = {
        "quantizer": quantizer.name,
        **_defaults(quantizer, fixed),
        **quantizer.defaults(task.bounds, has_budget=False),
        "policy": policy.name,
        **_defaults(policy, fixed),
        "width": width.name,
        **{word: value for word, value in fixed.items() if word != "growth"},
    }
    words: dict[str, Sequence[Any]] = {word: [value] for word, value in values.items()}
    if judged:  # such a policy has no grid of its own to choose
        return StartingGrid(words=words)
    growth = [fixed["growth"]] if "growth" in fixed else list(_UNLISTED_GROWTH)
    return StartingGrid(words=words | {"growth": growth}, reach=_FEWER_REACHES)


def _defaults(member: type[Any], fixed: Mapping[str, Any]) -> dict[str, Any]:
    """The words of a scheme at their defaults; those that may be left open are left out."""
    found: dict[str, Any] = {}
    for name, declared in words_of(member).items():
        if declared.word.table != "scheme":
            continue
        if declared.required and name not in fixed:
            raise ConfigError(f"{member.name} has no default for {name}: give the plan a value")
        if declared.default is not None:
            found[name] = declared.default
    return found
