"""The vocabulary as flags: every word that a scheme declares is a flag of the commands that run it.

    with_words(identify)  # def identify(context: typer.Context, …, words: Words) -> None: …

The command gets a flag for each word, and its function, as `words`, those that were given.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, get_args

import typer
from rich.markup import escape
from typer.models import OptionInfo

from bitarm.api.defaults import default_of, shown
from bitarm.cli.flags.output import OUTPUT
from bitarm.cli.flags.plan import PLANNING
from bitarm.cli.flags.signatures import Command, expanded, sign
from bitarm.core.vocabulary import users, vocabulary
from bitarm.core.words import Declared, WordKind
from bitarm.errors import ConfigError

Words = dict[str, Any]
"""Words with their values, in the order in which they were typed."""

_PANELS = {"problem": "Problem", "scheme": "Scheme", "limits": "Limits"}
_FIXED_PANELS = _PANELS | {"scheme": "Scheme: fixes what may not vary"}
_ORDER = ("Problem", "Scheme", _FIXED_PANELS["scheme"], "Limits", PLANNING, OUTPUT)
_TYPES: dict[WordKind, Any] = {
    WordKind.NUMBER: float,
    WordKind.WHOLE: int,
    WordKind.FLAG: bool,
    WordKind.TEXT: str,
    WordKind.RANGE: tuple[float, float],
    WordKind.WHOLES: str,  # numbers with commas
}
_MOST_OWNERS = 2  # that a help text names
_LONGEST_DEFAULT = 60  # letters of a help text that say where each default holds
_METAVARS = {WordKind.RANGE: "A B", WordKind.WHOLES: "N,N,…"}


def with_words(function: Command) -> Command:
    """The function as a command with a flag for each word; `words` has those that were given."""
    return _with_flags(function, vocabulary().words.values(), _one, _value)


def with_fixed_words(function: Command, takes: Callable[[str], bool]) -> Command:
    """The function as a command that chooses a setting: a word that is given may not be varied.

    `takes` says of a word's name whether the command has a flag for it.
    """
    declared = [word for word in vocabulary().words.values() if takes(word.name)]
    return _with_flags(function, declared, _fixed, _value)


def with_swept_words(function: Command) -> Command:
    """The function as a command that runs all combinations: each word is a list of values."""
    declared = [word for word in vocabulary().words.values() if word.kind is not WordKind.WHOLES]
    return _with_flags(function, declared, _swept, _values)


def _with_flags(
    function: Command,
    declared: Iterable[Declared],
    annotation: Callable[[Declared], Any],
    value: Callable[[Declared, Any], Any],
) -> Command:
    """The function with a flag for each word in place of its parameter `words`, panel by panel."""
    words = {word.name: word for word in declared}
    command = expanded(
        "words",
        {name: annotation(word) for name, word in words.items()},
        lambda given: {name: value(words[name], held) for name, held in given.items()},
    )(function)
    sign(command, sorted(inspect.signature(command).parameters.values(), key=_place))
    return command


def _place(parameter: inspect.Parameter) -> int:
    """Where a flag stands in the help: by its panel; those without one lead."""
    for told in get_args(parameter.annotation):
        if isinstance(told, OptionInfo) and told.rich_help_panel:
            return _ORDER.index(told.rich_help_panel)
    return -1


def _one(declared: Declared, panels: Mapping[str, str] = _PANELS) -> Any:
    """The type of a flag with one value."""
    names = []
    if declared.kind is WordKind.FLAG:
        flag = declared.name.replace("_", "-")
        names = [f"--{flag}/--no-{flag}"]
    option = typer.Option(
        *names,
        help=_help(declared),
        metavar=_METAVARS.get(declared.kind),
        show_default=False,
        rich_help_panel=panels[_table(declared)],
    )
    return Annotated[_TYPES[declared.kind] | None, option]


def _fixed(declared: Declared) -> Any:
    """The type of a flag that fixes a word for a command that varies the others."""
    return _one(declared, _FIXED_PANELS)


def _swept(declared: Declared) -> Any:
    """The type of a flag with a list of values."""
    if declared.kind is WordKind.RANGE:
        return _one(declared)
    choice = "yes, no: " if declared.kind is WordKind.FLAG else ""
    option = typer.Option(
        help=f"{choice}{_help(declared)}",
        metavar="LIST",
        show_default=False,
        rich_help_panel=_PANELS[_table(declared)],
    )
    return Annotated[str | None, option]


def _value(declared: Declared, given: Any) -> Any:
    return _listed(declared.name, given, int) if declared.kind is WordKind.WHOLES else given


def _values(declared: Declared, given: Any) -> Any:
    match declared.kind:
        case WordKind.NUMBER:
            return _listed(declared.name, given, float)
        case WordKind.WHOLE:
            return _listed(declared.name, given, int)
        case WordKind.FLAG:
            return _switches(declared.name, given)
        case WordKind.TEXT:
            return given.split(",")
    return given


def by_table(words: Words) -> dict[str, dict[str, Any]]:
    """Words by the table of a problem file that they stand in: problem, scheme, limits.

    A limit such as `max_rounds` is called `rounds` there.
    """
    tables: dict[str, dict[str, Any]] = {"problem": {}, "scheme": {}, "limits": {}}
    for name, value in words.items():
        if name.startswith("max_"):
            tables["limits"][name.removeprefix("max_")] = value
        else:
            tables[vocabulary()[name].word.table][name] = value
    return tables


def _help(declared: Declared) -> str:
    """The help of a word: what it is, its choices, whose it is, and its default.

    Owners are named where only a few have it. Where a default holds is told if that is short;
    docs/words.md tells it of all.
    """
    choices = f": {', '.join(declared.choices)}" if declared.choices else ""
    owners = users(declared.name)
    whose = f" ({', '.join(owners)})" if 0 < len(owners) <= _MOST_OWNERS else ""
    return escape(f"{declared.word.help}{choices}{whose}{_default(declared)}")


def _default(declared: Declared) -> str:
    usual = default_of(declared)
    if usual is None:
        return ""
    if len(str(usual)) <= _LONGEST_DEFAULT:
        return f"; default {usual}"
    *others, last = dict.fromkeys(shown(value) for _, value in usual.cases)
    return f"; default {', '.join(others)} or {last}, by what else is chosen"


def _table(declared: Declared) -> str:
    return "limits" if declared.name.startswith("max_") else declared.word.table


def _listed(word: str, text: str, kind: Callable[[str], Any]) -> list[Any]:
    try:
        return [kind(item) for item in text.split(",")]
    except ValueError:
        raise ConfigError(
            f"{word} must be {'whole ' if kind is int else ''}numbers with commas, got {text!r}"
        ) from None


def _switches(word: str, text: str) -> list[bool]:
    items = text.split(",")
    if not set(items) <= {"yes", "no"}:
        raise ConfigError(f"{word} must be yes, no or both with a comma, got {text!r}")
    return [item == "yes" for item in items]
