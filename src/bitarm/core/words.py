"""Words: the parameters of a run, each declared once, at the field of the class that owns it.

    kappa: Annotated[float, Word("Step of a mean, in deviations", sign="κ=", above=0)] = 2.0

From that follow the key in a problem file, the flag, the label of a swept value, the field in JSON
and CSV, the line on the dashboard, the JSON Schema, the page of words in the docs, and the refusal
of a value that makes no sense. Knows nothing of files and flags: it says what there is.
"""

import dataclasses
import difflib
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import NoneType
from typing import Annotated, Any, Literal, final, get_args, get_origin, get_type_hints

from bitarm.errors import ConfigError

Taker = Callable[[str, Any], Any]
"""Turns a word's value into Python's own type, or refuses it."""


@final
@dataclass(frozen=True, slots=True)
class Word:
    """What is said of a parameter beside its name, its type and its default."""

    help: str  # one line, for whoever reads a flag's help
    sign: str | None = None  # what stands before a value in a label; by default the word
    table: str = "scheme"  # of a problem file
    above: float | None = None  # it must be greater than this
    least: float | None = None  # or at least this
    most: float | None = None  # and at most this
    below: float | None = None  # or less than this
    choices: tuple[str, ...] = ()  # of a text, where they are not known to a type checker


class WordKind(Enum):
    """The type of a word: what a file, a call and a flag may give for it."""

    NUMBER = "a number"
    WHOLE = "a whole number"
    FLAG = "true or false"
    TEXT = "a text"
    RANGE = "two numbers"
    WHOLES = "a list of whole numbers"
    COMMAND = "a line for the shell, or a list of words"


_KINDS: dict[Any, WordKind] = {
    float: WordKind.NUMBER,
    int: WordKind.WHOLE,
    bool: WordKind.FLAG,
    str: WordKind.TEXT,
    tuple[float, float]: WordKind.RANGE,
    tuple[int, ...]: WordKind.WHOLES,
    str | tuple[str, ...]: WordKind.COMMAND,
}
TABLES = ("problem", "scheme", "arm", "network")
"""Tables of a problem file to which a word can belong; limits have theirs by their class."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A word as its owner declares it."""

    name: str
    kind: WordKind
    word: Word
    choices: tuple[str, ...]  # of a text that is one of a few
    required: bool
    default: Any  # None if it is required, or may be left open

    @property
    def sign(self) -> str:
        """What stands before a value in a label."""
        return f"{self.name.replace('_', ' ')} " if self.word.sign is None else self.word.sign

    def label(self, value: Any) -> str:
        """The word and a value of it, as they stand beside others in a table or a picture."""
        if self.kind is WordKind.FLAG:
            return self.name.replace("_", " ") if value else f"no {self.name.replace('_', ' ')}"
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        return f"{self.sign}{shown}"

    @property
    def taker(self) -> Taker:
        """Turns a value into Python's own type; ConfigError, which names the word, if it cannot."""
        return _TAKERS[self.kind]

    def check(self, value: Any) -> None:
        """Refuse a value of the right type that makes no sense."""
        if self.choices and value not in self.choices:
            raise ConfigError(unknown(self.name, value, self.choices))
        if isinstance(value, int | float) and not isinstance(value, bool):
            self._check_range(value)

    def _check_range(self, value: float) -> None:
        word = self.word
        high = math.inf if word.most is None else word.most
        low = -math.inf if word.least is None else word.least
        inside = low <= value <= high and (word.above is None or value > word.above)
        inside = inside and (word.below is None or value < word.below)
        if inside and math.isfinite(value):
            return
        raise ConfigError(f"{self.name} must {self._range_in_words()}, got {value}")

    def _range_in_words(self) -> str:
        word, what = self.word, "number" if self.kind is WordKind.NUMBER else "whole number"
        if word.least is not None and word.most is not None:
            return f"lie between {word.least} and {word.most}"
        if word.above is not None and word.most is not None:
            return f"lie above {word.above} and be at most {word.most}"
        if word.above is not None and word.below is not None:
            return f"lie in ({word.above}, {word.below})"
        if word.least is not None and word.below is not None:
            return f"lie in [{word.least}, {word.below})"
        finite = "finite " if self.kind is WordKind.NUMBER else ""
        if word.below is not None:
            return f"be a {finite}{what} below {word.below}"
        if word.above is not None:
            return f"be a {finite}{what} above {word.above}"
        if word.least is not None:
            return f"be a {finite}{what}, {word.least} or more"
        return f"be a {finite}{what}"


def words_of(owner: type[Any]) -> Mapping[str, Declared]:
    """The words that a class declares at its fields, in their order."""
    if owner not in _KNOWN:
        _KNOWN[owner] = _read(owner)
    return _KNOWN[owner]


_KNOWN: dict[type[Any], Mapping[str, Declared]] = {}  # read once: values are made by the thousand


def _read(owner: type[Any]) -> dict[str, Declared]:
    hints = get_type_hints(owner, include_extras=True)
    found: dict[str, Declared] = {}
    for field in dataclasses.fields(owner):
        hint = hints[field.name]
        if get_origin(hint) is Annotated:
            word = next((note for note in hint.__metadata__ if isinstance(note, Word)), None)
            if word is not None:
                found[field.name] = _declared(owner, field, get_args(hint)[0], word)
    return found


def check_words(instance: Any) -> None:
    """Check every word of a frozen value as it is made; whole numbers become floats where due."""
    for name, declared in words_of(type(instance)).items():
        value = getattr(instance, name)
        if value is None and declared.default is None and not declared.required:
            continue
        if declared.kind is WordKind.NUMBER:
            value = float(value)
            object.__setattr__(instance, name, value)
        declared.check(value)


def values_of(instance: Any) -> dict[str, Any]:
    """The words of a value with what they are set to."""
    return {name: getattr(instance, name) for name in words_of(type(instance))}


def _declared(owner: type[Any], field: "dataclasses.Field[Any]", hint: Any, word: Word) -> Declared:
    without_none = [arg for arg in get_args(hint) if arg is not NoneType]
    if NoneType in get_args(hint) and len(without_none) == 1:
        hint = without_none[0]
    choices = word.choices
    if get_origin(hint) is Literal:
        choices, hint = get_args(hint), str
    if hint not in _KINDS:
        raise ConfigError(
            f"{owner.__name__}.{field.name} is a word of type {hint}: a word is a float, an int, a "
            "bool, a str, a Literal of strings, tuple[float, float] or tuple[int, ...]"
        )
    if word.table not in TABLES:
        raise ConfigError(
            f"{owner.__name__}.{field.name} is a word of the table {word.table!r}: a word belongs "
            f"to one of {', '.join(TABLES)}"
        )
    required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    return Declared(
        name=field.name,
        kind=_KINDS[hint],
        word=word,
        choices=choices,
        required=required,
        default=None if field.default is dataclasses.MISSING else field.default,
    )


def unknown(kind: str, got: object, allowed: Iterable[str]) -> str:
    """The text of the error for a name that is none of those allowed."""
    names = list(allowed)
    close = difflib.get_close_matches(str(got).lower(), names, n=1)  # names are in small letters
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"{kind} must be one of {', '.join(names)}, got {got!r}{hint}"


# -- values from outside ---------------------------------------------------------------------


def takers_of(owner: type[Any]) -> dict[str, Taker]:
    """What takes the value of each word that a class declares: `known` for `typed`."""
    return {name: declared.taker for name, declared in words_of(owner).items()}


def typed(given: Mapping[str, Any], known: Mapping[str, Taker], where: str) -> dict[str, Any]:
    """The given words with their values checked; a word that is not known is refused."""
    for word in given:
        if word not in known:
            raise ConfigError(unknown(f"a word of {where}", word, known))
    return {word: known[word](word, value) for word, value in given.items()}


def number(word: str, value: Any) -> float:
    """The number that a word is given; a whole one will do. ConfigError for anything else."""
    try:
        return float(_checked(word, value, numbers.Real, WordKind.NUMBER.value))
    except OverflowError:
        raise ConfigError(f"{word} must be a number that a float can hold") from None


def whole_number(word: str, value: Any) -> int:
    """The whole number that a word is given; ConfigError for anything else, 3.0 included."""
    if isinstance(value, float) and value.is_integer():
        raise ConfigError(f"{word} must be a whole number: write {value:.0f}, not {value!r}")
    return int(_checked(word, value, numbers.Integral, WordKind.WHOLE.value))


def text(word: str, value: Any) -> str:
    """The text that a word is given; ConfigError for anything else."""
    if not isinstance(value, str):
        raise ConfigError(f"{word} must be a text, got {value!r}")
    return value


def flag(word: str, value: Any) -> bool:
    """The truth value that a word is given; ConfigError for anything else."""
    if not isinstance(value, bool):
        raise ConfigError(f"{word} must be true or false, got {value!r}")
    return value


def number_range(word: str, value: Any) -> tuple[float, float] | None:
    """The two numbers that a word is given, or None; ConfigError for anything else."""
    if value is None:
        return None
    items = _items(word, value, WordKind.RANGE.value)
    if len(items) != 2:
        raise ConfigError(f"{word} must be two numbers, got {value!r}")
    return number(f"each of {word}", items[0]), number(f"each of {word}", items[1])


def _command(word: str, value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return value
    if not isinstance(value, list | tuple):
        raise ConfigError(f"{word} must be {WordKind.COMMAND.value}, got {value!r}")
    return tuple(text(f"each word of {word}", item) for item in value)


def _whole_numbers(word: str, value: Any) -> tuple[int, ...]:
    items = _items(word, value, WordKind.WHOLES.value)
    return tuple(whole_number(f"each of {word}", item) for item in items)


_TAKERS: dict[WordKind, Taker] = {
    WordKind.NUMBER: number,
    WordKind.WHOLE: whole_number,
    WordKind.TEXT: text,
    WordKind.FLAG: flag,
    WordKind.RANGE: number_range,
    WordKind.WHOLES: _whole_numbers,
    WordKind.COMMAND: _command,
}


def _items(word: str, value: Any, what: str) -> list[Any]:
    if getattr(value, "ndim", None) == 1:  # an array of NumPy, a column of pandas
        return list(value)
    checked: Iterable[Any] = _checked(word, value, Sequence, what)
    return list(checked)


def _checked(word: str, value: Any, wanted: Any, what: str) -> Any:
    if isinstance(value, bool | str | bytes) or not isinstance(value, wanted):
        raise ConfigError(f"{word} must be {what}, got {value!r}")
    return value
