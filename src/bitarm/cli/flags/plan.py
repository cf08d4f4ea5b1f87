"""The flags of a plan: a guess of the gaps, and prices. `plan` and `identify --plan` share them."""

from typing import Annotated, Any

import typer

from bitarm.cli.flags.signatures import Command, expanded
from bitarm.errors import ConfigError

PLANNING = "Planning"
"""The title of these flags in a command's help."""

PlanWords = dict[str, Any]
"""The guess and the prices that were given, as a call of `bitarm.plan` has them."""


def _number(text: str) -> Any:
    return Annotated[float | None, _option(text)]


def _text(text: str, metavar: str) -> Any:
    return Annotated[str | None, _option(text, metavar)]


def _option(text: str, metavar: str | None = None) -> Any:
    return typer.Option(help=text, metavar=metavar, show_default=False, rich_help_panel=PLANNING)


_FLAGS = {
    "gap": _number("Guess: the others are this far below the best"),
    "gaps": _text("Guess: each other arm's gap, 0.1,0.2,0.4", "LIST"),
    "gap_prior": _text("Guess: uniform:LOW:HIGH or loguniform:LOW:HIGH", "PRIOR"),
    "mean": _number(
        "Guess, with bounds and no sigma: mean of the best arm; else about their middle"
    ),
    "spread": _number("Guess, with bounds and no sigma: deviation of a reward; else that of coins"),
    "per_bit": _number("Price of a payload bit"),
    "per_message": _number("Price of a report of one arm"),
    "per_downlink": _number("Price of a question or a dismissal"),
    "per_pull": _number("Price of a pull of one arm"),
    "per_round": _number("Price of a round"),
    "per_frame_unit": _number("Price of the link's second of air time, or byte; else 1"),
}
"""The flags of a plan, by the names of the parameters of `bitarm.plan`, as the help lists them."""


def with_plan_flags(function: Command) -> Command:
    """The function with these flags; `planning` has those that were given.

    ConfigError if gaps are no numbers.
    """
    return expanded("planning", _FLAGS, _plan_words)(function)


def _plan_words(given: dict[str, Any]) -> PlanWords:
    words = {word: given[word] for word in _FLAGS if word in given}
    if "gaps" in words:
        try:
            words["gaps"] = [float(gap) for gap in words["gaps"].split(",")]
        except ValueError:
            raise ConfigError(f"gaps must be numbers with commas, got {words['gaps']!r}") from None
    return words
