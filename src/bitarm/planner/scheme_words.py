"""A setting: words of a [scheme] table and their values, as a value to compare, show and write."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from bitarm.core.confidence import Stride
from bitarm.core.policies import POLICIES
from bitarm.core.vocabulary import vocabulary
from bitarm.core.words import WordKind, words_of

NAMES = ("quantizer", "policy", "width")
"""Words whose value says by itself what it is."""


@final
@dataclass(frozen=True, slots=True)
class SchemeWords:
    """Words of [scheme] and their values, in a fixed order: all of a setting's, or those fixed."""

    items: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> "SchemeWords":
        """The setting that these words describe."""
        return cls(tuple(sorted(words.items())))

    @property
    def words(self) -> dict[str, Any]:
        """The words by name, for a problem file or a call."""
        return dict(self.items)

    def with_word(self, word: str, value: Any) -> "SchemeWords":
        """The same setting with another value of one word."""
        return SchemeWords.of(self.words | {word: value})

    @property
    def kind(self) -> tuple[str, str, str]:
        """Quantizer, policy and width: what a search should not lose sight of too early."""
        words = self.words
        return words["quantizer"], words["policy"], words["width"]

    @property
    def is_judged(self) -> bool:
        """Whether agents judge themselves, so that there are no checkpoints to choose."""
        return POLICIES[self.words["policy"]].stride is Stride.JUDGED

    def describe(self) -> str:
        """The setting in a line for a person: names, the quantizer's words, the grid, the policy's.

        Of the switches only those that are off.
        """
        known = [word for word in vocabulary().words if word in self.words]
        told = [
            word
            for word in sorted(known, key=_place)
            if not (_is_switch(word) and self.words[word])
        ]
        return " ".join(_label(word, self.words[word]) for word in told)

    def to_toml(self) -> str:
        """A [scheme] table for a problem file."""
        return toml_table("scheme", self.words)

    def to_flags(self) -> list[str]:
        """The words as flags of a command, each with its value."""
        return [flag for word, value in self.items for flag in flags_of(word, value)]


def flags_of(word: str, value: Any) -> list[str]:
    """A word as a flag, and its values."""
    name = word.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    values = value if isinstance(value, tuple | list) else (value,)
    return [
        " ".join(
            [
                f"--{name}",
                *(f"{one:.10g}" if isinstance(one, float) else str(one) for one in values),
            ]
        )
    ]


def toml_table(name: str, words: Mapping[str, Any]) -> str:
    """A table of a problem file."""
    return "\n".join(
        [f"[{name}]", *(f"{word} = {_toml(value)}" for word, value in words.items()), ""]
    )


def _place(word: str) -> int:
    """Where a word stands in a line; of words in one place the vocabulary has the order."""
    if word in ("quantizer", "policy"):
        return 0
    if _is_switch(word):
        return 3
    return 2 if any(word in words_of(policy) for policy in POLICIES.known.values()) else 1


def _is_switch(word: str) -> bool:
    return vocabulary()[word].kind is WordKind.FLAG


def _label(word: str, value: Any) -> str:
    rounded = float(f"{value:.4g}") if isinstance(value, float) else value
    return str(value) if word in NAMES else vocabulary()[word].label(rounded)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else repr(value)
