"""The defaults as a person reads them: what each word is where nobody says it.

The values are asked of the code that chooses them. Many words have their default at their field. Of
others it depends on what else was chosen (`default_scheme.py`): there the page of words and the
schema tell each value with where it holds.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

from bitarm.api.applicable import GRID
from bitarm.api.default_scheme import (
    DEFAULT_DELTA,
    chosen_policy,
    chosen_quantizer,
    default_policy,
    default_quantizer,
    default_width,
)
from bitarm.core.bounds import Bounds
from bitarm.core.budget import is_budgeted
from bitarm.core.confidence import Stride
from bitarm.core.policies import POLICIES
from bitarm.core.quantizers import CHOICES
from bitarm.core.vocabulary import owners
from bitarm.core.widths import WIDTHS
from bitarm.core.words import Declared, words_of

_BOUNDS: Bounds = (0.0, 1.0)  # any will do: a default may depend on whether there are some
_BY_GROWTH = "growth rounded up"  # core.schedule.default_first


@final
@dataclass(frozen=True, slots=True)
class Default:
    """Values of a word that was not given, each with where it holds; the usual one first."""

    cases: tuple[tuple[str, Any], ...]

    @property
    def only(self) -> Any:
        """The value, if it is the same everywhere; None if it is not."""
        first = self.cases[0][1]
        return first if all(value == first for _, value in self.cases) else None

    def __str__(self) -> str:
        usual = self.cases[0][1]
        places: dict[Any, list[str]] = {}
        for where, value in self.cases:
            if value != usual:
                places.setdefault(value, []).append(where)
        others = (f"{shown(value)} {_joined(where)}" for value, where in places.items())
        return "; ".join((shown(usual), *others))


def default_of(declared: Declared) -> Default | None:
    """The default of a word of the vocabulary; None if it must be given or may be left open."""
    chosen = _chosen().get(declared.name)
    if chosen is None:
        chosen = _declared(declared)
    cases = [(where, value) for where, value in chosen if value is not None]
    return Default(tuple(cases)) if cases else None


def shown(value: object) -> str:
    """A value as a problem file would have it, texts without their quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _chosen() -> Mapping[str, Iterable[tuple[str, Any]]]:
    """Words whose default is chosen in `default_scheme.py`, and not told by a field."""
    on_a_grid = {
        name: policy
        for name, policy in POLICIES.known.items()
        if not is_budgeted(policy) and policy.stride is not Stride.JUDGED
    }
    return {
        "delta": [("", DEFAULT_DELTA)],
        "interval_delta": [("", DEFAULT_DELTA)],
        "quantizer": _quantizers(),
        "policy": _policies(),
        "width": _widths(),
        "growth": _by_name({name: policy.growth for name, policy in on_a_grid.items()}),
        "first": _by_name({name: policy.first or _BY_GROWTH for name, policy in on_a_grid.items()}),
    }


def _quantizers() -> list[tuple[str, str]]:
    named = {name: default_quantizer(policy).name for name, policy in POLICIES.known.items()}
    return [("", chosen_quantizer({}).name), *_by_name(named)]


def _policies() -> list[tuple[str, str]]:
    """The default policy by quantizer, and beside other words with the default quantizer."""
    named = {name: default_policy(member).name for name, member in CHOICES.known.items()}
    usual = chosen_policy({})
    beside = [(f"with {word}", chosen_policy({word: None}).name) for word in GRID]
    widths = [
        (f"with the width {name}", default_policy(chosen_quantizer({}), {"width": name}).name)
        for name in WIDTHS.known
    ]
    return [("", usual.name), *_by_name(named), *beside, *widths]


def _widths() -> list[tuple[str, str]]:
    """The default width by policy; where agents judge themselves, also by what is known."""
    cases = []
    for name, policy in POLICIES.known.items():
        with_sigma = default_width(policy, bounds_only=False).name
        without = default_width(policy).name
        cases.append((f"for {name}", with_sigma))
        if without != with_sigma:
            cases.append((f"for {name} with bounds and no sigma", without))
    return _most_common_first(cases)


def _by_name(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """A value for each scheme, the most common first."""
    return _most_common_first([(f"for {name}", value) for name, value in values.items()])


def _most_common_first(cases: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    counts = Counter(value for _, value in cases)
    return sorted(cases, key=lambda case: -counts[case[1]])  # stable


def _declared(declared: Declared) -> list[tuple[str, Any]]:
    """The default at the field of each owner, or what a quantizer makes of it."""
    word = declared.name
    members = owners(word)
    if not members:
        return [("", declared.default)]
    found: list[tuple[str, Any]] = []
    for name, member in members.items():
        plain = words_of(member)[word].default
        cases = {where: own.get(word, plain) for where, own in _circumstances(member).items()}
        if len(members) == 1:
            return list(cases.items())
        found.append((f"for {name}", cases[""]))
        found += [
            (f"for {name} {where}", value) for where, value in cases.items() if value != cases[""]
        ]
    return found


def _circumstances(member: type[Any]) -> Mapping[str, Mapping[str, Any]]:
    """Defaults of a scheme that follow from the problem, by what of it they follow from."""
    if member not in CHOICES.known.values():
        return {"": {}}
    return {
        "": member.defaults(_BOUNDS, has_budget=False),
        "without bounds": member.defaults(None, has_budget=False),
        "under a pull_budget": member.defaults(_BOUNDS, has_budget=True),
    }


def _joined(places: list[str]) -> str:
    """Places in a row; what several of them begin with is said once."""
    told = []
    for start in ("for ", "with the width ", "with ", ""):
        alike = [place.removeprefix(start) for place in places if place.startswith(start)]
        places = [place for place in places if not place.startswith(start)]
        if alike:
            told.append(start + ", ".join(alike))
    return ", or ".join(told)
