"""The problem file of a run: every word that was set, as `bitarm identify` would read it again.

Where the rewards came from is not in a journal, so the arms stand there with their names alone.
"""

import json
from collections.abc import Mapping
from typing import Any

from bitarm.core.budget import is_budgeted
from bitarm.core.quantizers import CHOICES
from bitarm.core.schedule import LooksSchedule, RecordedSchedule
from bitarm.core.setup import Setup
from bitarm.core.words import values_of, words_of

_MOST_ARMS = 200  # that are written out
_NO_SOURCE = '# source = "…": a journal does not keep where rewards come from'


def problem_text(setup: Setup) -> str:
    """A TOML text from which, with the arms' sources, the same setup is built."""
    spec = setup.spec
    named = spec.arms[:_MOST_ARMS]
    arms = [f"[[arm]]\nname = {_value(name)}\n{_NO_SOURCE}\n" for name in named]
    if len(spec.arms) > len(named):
        arms.append(f"# and {len(spec.arms) - len(named):,} arms more\n")
    limits = {} if is_budgeted(setup.policy) else values_of(setup.limits)
    tables = (("problem", _problem(setup)), ("scheme", _scheme(setup)), ("limits", limits))
    return "\n".join([*(_table(name, words) for name, words in tables if _given(words)), *arms])


def _problem(setup: Setup) -> dict[str, Any]:
    spec, terms = setup.spec, setup.terms
    words = {
        "delta": terms.delta,
        "sigma": spec.sigma if spec.sampling.needs_sigma else None,
        "bounds": spec.bounds,
        "pull_budget": terms.pull_budget,
        "bit_budget": terms.bit_budget,
    }
    return words | {name: value for name, value in _of(setup.policy, "problem").items() if value}


def _scheme(setup: Setup) -> dict[str, Any]:
    spec, policy = setup.spec, setup.policy
    words: dict[str, Any] = {"policy": policy.name, **_of(policy, "scheme")}
    if spec.quantizer.name in CHOICES:  # one that a bit_budget sized is made from it again
        words |= {"quantizer": spec.quantizer.name, **_of(spec.quantizer, "scheme")}
    if is_budgeted(setup.policy):
        return words | {"width": setup.terms.width, "interval_delta": setup.terms.interval_delta}
    schedule = spec.schedule
    grid = schedule.grid if isinstance(schedule, RecordedSchedule) else schedule
    return (
        words | {"width": spec.width} | ({} if isinstance(grid, LooksSchedule) else values_of(grid))
    )


def _of(scheme: Any, table: str) -> dict[str, Any]:
    """The words of a scheme that stand in this table."""
    declared = words_of(type(scheme))
    words = values_of(scheme)
    return {name: words[name] for name in words if declared[name].word.table == table}


def _given(words: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in words.items() if value is not None}


def _table(name: str, words: Mapping[str, Any]) -> str:
    lines = (f"{word} = {_value(value)}" for word, value in _given(words).items())
    return f"[{name}]\n" + "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """A value as TOML spells it, which for these types is as JSON does."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
