"""One setting: the words of a [scheme] table, as a value that can be compared and spelt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

_SIGNS = {
    "bits": "B=",
    "epsilon_quban": "ε=",
    "kappa": "κ=",
    "kappa_first": "κ₁=",
    "kappa_cut": "κ_cut=",
    "prior": "prior ",
    "width": "",
    "growth": "α=",
    "first": "t₁=",
    "cap": "cap ",
    "patience": "patience ",
}
_SWITCHES = {"leader_first": "leader first", "pilot": "pilot"}


@final
@dataclass(frozen=True, slots=True)
class Setting:
    """Words and their values, in a fixed order."""

    items: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> "Setting":
        """The setting that these words describe."""
        return cls(tuple(sorted(words.items())))

    @property
    def words(self) -> dict[str, Any]:
        """For a problem file or a call."""
        return dict(self.items)

    def with_word(self, word: str, value: Any) -> "Setting":
        """The same but for one word."""
        return Setting.of(self.words | {word: value})

    @property
    def kind(self) -> tuple[str, str, str]:
        """Quantizer, policy and width: what a search should not lose sight of too early."""
        words = self.words
        return words["quantizer"], words["policy"], words["width"]

    def describe(self) -> str:
        """In one line, for a person."""
        words = self.words
        named = (words.pop("quantizer"), words.pop("policy"))
        signed = [f"{_SIGNS[word]}{_short(words[word])}" for word in _SIGNS if word in words]
        off = [f"no {noun}" for word, noun in _SWITCHES.items() if words.get(word) is False]
        told = {*_SIGNS, *_SWITCHES}
        rest = [f"{word} {_short(words[word])}" for word in words if word not in told]
        return " ".join((*named, *signed, *off, *rest))

    def to_toml(self) -> str:
        """A [scheme] table for a problem file."""
        lines = [f"{word} = {_toml(value)}" for word, value in self.items]
        return "\n".join(["[scheme]", *lines, ""])


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)
