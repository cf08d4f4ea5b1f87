"""The words of a problem as files and calls spell them, by table: known, and of the right type.

And the seed, which is no word: it is given with a call, or drawn.
"""

import secrets
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

from bitarm.api.table_words import NetworkWords
from bitarm.core.limits import Limits
from bitarm.core.registry import unheard_of
from bitarm.core.spec import check_seed
from bitarm.core.vocabulary import LIMIT_PREFIX, import_plugins, vocabulary
from bitarm.core.words import Taker, takers_of, typed
from bitarm.errors import ConfigError

LIMITS: dict[str, Taker] = takers_of(Limits)
NETWORK: dict[str, Taker] = takers_of(NetworkWords)
"""What takes the value of each word of [limits], and of [network]."""


def typed_words(given: Mapping[str, Any], table: str, beside: Iterable[str] = ()) -> dict[str, Any]:
    """The words given for [problem] or [scheme], each of its type.

    Other packages may extend both tables: they are imported if a word is not one of ours. Words
    `beside` those of the table are named in a refusal too. ConfigError for a word that nobody has.
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
    problem, scheme = (vocabulary().of_table(table) for table in ("problem", "scheme"))
    return (
        {word: value for word, value in words.items() if word in problem},
        {word: value for word, value in words.items() if word in scheme},
        {
            word: take(LIMIT_PREFIX + word, words[LIMIT_PREFIX + word])
            for word, take in LIMITS.items()
            if LIMIT_PREFIX + word in words
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


def new_seed() -> int:
    """A seed from the system, short enough to type again."""
    return secrets.randbits(32)


def seed_of(seed: int | None) -> int:
    """The seed that was given, or a new one; NumPy's whole numbers will do."""
    if seed is None:
        return new_seed()
    check_seed(seed if isinstance(seed, bool) or not isinstance(seed, Integral) else int(seed))
    return int(seed)
