"""The words of a problem: which there are, what each takes, and what is said of a wrong one.

The same words stand in problem files, in calls and in flags.
"""

import difflib
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bitarm.errors import ConfigError

Taker = Callable[[str, Any], Any]
"""Turns a word's value into Python's own type, or refuses it."""


def number(word: str, value: Any) -> float:
    """A number; a whole one will do."""
    try:
        return float(_checked(word, value, numbers.Real, "a number"))
    except OverflowError:
        raise ConfigError(f"{word} must be a number that a float can hold") from None


def whole_number(word: str, value: Any) -> int:
    """A whole number."""
    return int(_checked(word, value, numbers.Integral, "a whole number"))


def text(word: str, value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise ConfigError(f"{word} must be a text, got {value!r}")
    return value


def flag(word: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ConfigError(f"{word} must be true or false, got {value!r}")
    return value


def _interval(word: str, value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    items = _checked(word, value, Sequence, "two numbers")
    if len(items) != 2:
        raise ConfigError(f"{word} must be two numbers, got {value!r}")
    return number(f"each of {word}", items[0]), number(f"each of {word}", items[1])


def command(word: str, value: Any) -> str | tuple[str, ...]:
    """A command line, or its words."""
    if isinstance(value, str):
        return value
    items = _checked(word, value, Sequence, "a command line, or a list of its words")
    return tuple(text(f"each word of {word}", item) for item in items)


def _whole_numbers(word: str, value: Any) -> tuple[int, ...]:
    items = _checked(word, value, Sequence, "a list of whole numbers")
    return tuple(whole_number(f"each of {word}", item) for item in items)


PROBLEM: dict[str, Taker] = {
    "delta": number,
    "sigma": number,
    "bounds": _interval,
    "epsilon": number,
    "pull_budget": whole_number,
    "bit_budget": whole_number,
}
SCHEME: dict[str, Taker] = {
    "quantizer": text,
    "bits": whole_number,
    "epsilon_quban": number,
    "kappa": number,
    "kappa_first": number,
    "kappa_cut": number,
    "prior": text,
    "policy": text,
    "cap": number,
    "patience": number,
    "leader_first": flag,
    "pilot": flag,
    "width": text,
    "interval_delta": number,
    "growth": number,
    "first": whole_number,
    "checkpoints": _whole_numbers,
}
LIMITS: dict[str, Taker] = {
    "rounds": whole_number,
    "samples": whole_number,
    "bits": whole_number,
}
NETWORK: dict[str, Taker] = {
    "lost": text,
    "lost_after": number,
    "join_within": number,
    "link": text,
    "via": text,
    "application": text,
}
EVERY = (*PROBLEM, *SCHEME, *(f"max_{word}" for word in LIMITS))
"""All words as a call or a flag spells them: limits have `max_` before them."""


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


def unknown(kind: str, got: object, allowed: Iterable[str]) -> str:
    """The text of the error for a name that is none of those allowed."""
    names = list(allowed)
    close = difflib.get_close_matches(str(got), names, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"{kind} must be one of {', '.join(names)}, got {got!r}{hint}"


def _checked(word: str, value: Any, wanted: type[Any], what: str) -> Any:
    if isinstance(value, bool | str | bytes) or not isinstance(value, wanted):
        raise ConfigError(f"{word} must be {what}, got {value!r}")
    return value
