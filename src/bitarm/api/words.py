"""The words of a problem as files and calls spell them, by table: known, and of the right type."""

from collections.abc import Iterable, Mapping
from typing import Any

from bitarm.api.tables import NETWORK
from bitarm.core.limits import Limits
from bitarm.core.registry import unheard_of
from bitarm.core.vocabulary import (
    LIMIT,
    import_plugins,
    taker_of,
    vocabulary,
)
from bitarm.core.words import Taker, typed, words_of
from bitarm.errors import ConfigError

LIMITS: dict[str, Taker] = {name: taker_of(declared) for name, declared in words_of(Limits).items()}


def typed_words(given: Mapping[str, Any], table: str, beside: Iterable[str] = ()) -> dict[str, Any]:
    """The same for [problem] or [scheme], whose words other packages may extend.

    Words `beside` them are named in a refusal too.
    """
    known = vocabulary().of_table(table)
    faults: list[str] = []
    if any(word not in known for word in given):
        faults = import_plugins()
        known = vocabulary().of_table(table)
    for word in given:
        if word not in known:
            known_words = (*known, *beside)
            raise ConfigError(unheard_of(f"a word of [{table}]", word, known_words, faults))
    return typed(given, known, f"[{table}]")


def split(
    words: Mapping[str, Any], beside: Iterable[str] = ()
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Words as a call spells them, by table: problem, scheme, limits.

    Parameters that the call has `beside` them are named in a refusal too.
    """
    require_known(words, "a word", beside)
    known = vocabulary()
    return (
        {word: words[word] for word in words if word in known.of_table("problem")},
        {word: words[word] for word in words if word in known.of_table("scheme")},
        {
            word: take(LIMIT + word, words[LIMIT + word])
            for word, take in LIMITS.items()
            if LIMIT + word in words
        },
    )


def require_known(words: Iterable[str], what: str, beside: Iterable[str] = ()) -> None:
    """Refuse a word, as a call spells them, that no scheme has; `beside` as in `split`."""
    faults: list[str] = []
    if any(word not in vocabulary().words for word in words):
        faults = import_plugins()
    for word in words:
        if word not in vocabulary().words:
            known = (*vocabulary().words, *beside)
            raise ConfigError(unheard_of(what, word, known, faults))


def table_with(word: str) -> str | None:
    """The table of a problem file that has this word; None if none has."""
    known = vocabulary()
    for table in ("problem", "scheme"):
        if word in known.of_table(table):
            return table
    if word in LIMITS:
        return "limits"
    return "network" if word in NETWORK else None
