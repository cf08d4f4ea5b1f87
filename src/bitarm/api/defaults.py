"""What a word is where nobody says it, as the code that chooses it has it.

Many words have their default at their field. Of others it depends on what else was chosen: there
the page of words and the schema tell each value with where it holds.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

from bitarm.api.scheme import DEFAULT_DELTA, DEFAULT_QUANTIZER, default_policy, default_width
from bitarm.api.words import owners
from bitarm.core.budget import is_budgeted
from bitarm.core.confidence import Stride
from bitarm.core.policies import POLICIES
from bitarm.core.quantizer import Bounds
from bitarm.core.quantizers import CHOICES
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
    """Words whose default is chosen where a run is set up (api/scheme.py), not at a field."""
    on_a_grid = {
        name: policy
        for name, policy in POLICIES.known.items()
        if not is_budgeted(policy) and policy.stride is not Stride.JUDGED
    }
    return {
        "delta": [("", DEFAULT_DELTA)],
        "interval_delta": [("", DEFAULT_DELTA)],
        "quantizer": [("", DEFAULT_QUANTIZER.name)],
        "policy": _by_name(
            {name: default_policy(quantizer).name for name, quantizer in CHOICES.known.items()}
        ),
        "width": _by_name(
            {name: default_width(policy).name for name, policy in POLICIES.known.items()}
        ),
        "growth": _by_name({name: policy.growth for name, policy in on_a_grid.items()}),
        "first": _by_name({name: policy.first or _BY_GROWTH for name, policy in on_a_grid.items()}),
    }


def _by_name(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """A value for each scheme, the most common first."""
    counts = Counter(values.values())
    ordered = sorted(values.items(), key=lambda item: -counts[item[1]])  # stable
    return [(f"for {name}", value) for name, value in ordered]


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
    if all(place.startswith("for ") for place in places):
        return f"for {', '.join(place.removeprefix('for ') for place in places)}"
    return ", ".join(places)
