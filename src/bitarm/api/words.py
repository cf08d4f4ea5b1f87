"""The words of a problem: all that its parts declare, as files, calls and flags spell them.

A scheme's words are declared at its fields (`bitarm.core.words`). Here they are gathered, in one
vocabulary: a word means the same wherever it stands.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass, replace
from typing import Annotated, Any, final

from bitarm.core.limits import Limits
from bitarm.core.policies import POLICIES
from bitarm.core.policy import Outcome
from bitarm.core.quantizers import CHOICES
from bitarm.core.schedule import SCHEDULES
from bitarm.core.spec import RunSpec
from bitarm.core.widths import WIDTHS
from bitarm.core.words import (
    Declared,
    Kind,
    Word,
    flag,
    number,
    text,
    unknown,
    whole_number,
    words_of,
)
from bitarm.errors import ConfigError

__all__ = [
    "EVERY",
    "LABELLED",
    "LIMITS",
    "NETWORK",
    "PROBLEM",
    "SCHEME",
    "VOCABULARY",
    "Taker",
    "command",
    "flag",
    "number",
    "split",
    "text",
    "typed",
    "unknown",
    "users",
    "whole_number",
]

Taker = Callable[[str, Any], Any]
"""Turns a word's value into Python's own type, or refuses it."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetWords:
    """Words of runs with a fixed budget that no policy has for itself."""

    bit_budget: Annotated[
        int | None,
        Word("Payload bits of all arms together", sign="bits=", table="problem"),
    ] = None
    interval_delta: Annotated[
        float | None,
        Word("Sizes icq's intervals under a budget; guarantees nothing", sign="interval δ="),
    ] = None


def gathered(owners: Iterable[type[Any]]) -> dict[str, Declared]:
    """The words of several owners; one that two of them mean differently is refused."""
    found: dict[str, tuple[Declared, type[Any]]] = {}
    for owner in owners:
        for name, declared in words_of(owner).items():
            first, other = found.setdefault(name, (declared, owner))
            if (first.kind, first.word, first.choices) != (
                declared.kind,
                declared.word,
                declared.choices,
            ):
                raise ConfigError(
                    f"{name} means one thing to {other.__name__} and another to {owner.__name__}: "
                    "a word has one type, one range and one help"
                )
    return {name: declared for name, (declared, _) in found.items()}


def _name(word: str, help_text: str, sign: str | None = None) -> Declared:
    """A word whose value is the name of a scheme."""
    return Declared(
        name=word,
        kind=Kind.TEXT,
        word=Word(help_text, sign=sign),
        choices=(),
        required=False,
        default=None,
    )


def _vocabulary() -> dict[str, Declared]:
    """Every word as a call or a flag spells it, in the order in which they are shown."""
    every = gathered((RunSpec, *CHOICES.values(), *POLICIES.values(), BudgetWords))
    every |= gathered(SCHEDULES.values())
    problem = {name: it for name, it in every.items() if it.word.table == "problem"}
    quantizers, policies = gathered(CHOICES.values()), gathered(POLICIES.values())
    names = ", ".join
    return {
        **problem,
        "quantizer": _name("quantizer", names(CHOICES), sign=""),
        **quantizers,
        "policy": _name("policy", names(POLICIES), sign=""),
        **{name: it for name, it in policies.items() if it.word.table == "scheme"},
        "width": _name("width", names(WIDTHS)),
        "interval_delta": every["interval_delta"],
        **gathered(SCHEDULES.values()),
        **{f"max_{name}": replace(it, name=f"max_{name}") for name, it in words_of(Limits).items()},
    }


VOCABULARY: dict[str, Declared] = _vocabulary()
"""Every word, with its type, its help and its sign in a label."""

LABELLED = tuple(sorted(VOCABULARY, key=lambda word: VOCABULARY[word].word.table == "problem"))
"""The words in the order in which a label names them: how it is run, then what is run."""

EVERY = tuple(VOCABULARY)
"""All words as a call or a flag spells them: limits have `max_` before them."""


def _takers(table: str) -> dict[str, Taker]:
    return {
        name: _taker(declared)
        for name, declared in VOCABULARY.items()
        if declared.word.table == table and not name.startswith("max_")
    }


def _taker(declared: Declared) -> Taker:
    if declared.name in ("quantizer", "policy"):
        return _name_or_value
    return lambda word, value: declared.take(value)


def _name_or_value(word: str, value: Any) -> Any:
    """A scheme by its name, or as a value that was made in Python."""
    if is_dataclass(value) and not isinstance(value, type):
        return value
    if not isinstance(value, str):
        raise ConfigError(f"{word} must be a name, or in Python a value, got {value!r}")
    return value


PROBLEM: dict[str, Taker] = _takers("problem")
SCHEME: dict[str, Taker] = _takers("scheme")
LIMITS: dict[str, Taker] = {name: _taker(it) for name, it in words_of(Limits).items()}
NETWORK: dict[str, Taker] = {
    "lost": text,
    "lost_after": number,
    "join_within": number,
    "link": text,
    "via": text,
    "application": text,
}


def command(word: str, value: Any) -> str | tuple[str, ...]:
    """A command line, or its words."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list | tuple):
        raise ConfigError(f"{word} must be a command line, or a list of its words, got {value!r}")
    return tuple(text(f"each word of {word}", item) for item in value)


def users(word: str) -> list[str]:
    """The schemes that a word belongs to; none for one that belongs to every run."""
    if word in words_of(BudgetWords):
        return [name for name, it in POLICIES.items() if it.answers is Outcome.BUDGET_SPENT]
    every = {**CHOICES, **POLICIES}
    return [name for name, owner in every.items() if word in words_of(owner)]


def typed(given: Mapping[str, Any], known: Mapping[str, Taker], where: str) -> dict[str, Any]:
    """The given words with their values checked; a word that is not known is refused."""
    for word in given:
        if word not in known:
            raise ConfigError(unknown(f"a word of {where}", word, known))
    return {word: known[word](word, value) for word, value in given.items()}


def split(words: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Words as a call spells them, by table: problem, scheme, limits."""
    for word in words:
        if word not in EVERY:
            raise ConfigError(unknown("a word", word, EVERY))
    return (
        {word: words[word] for word in words if word in PROBLEM},
        {word: words[word] for word in words if word in SCHEME},
        {word: words[f"max_{word}"] for word in LIMITS if f"max_{word}" in words},
    )
