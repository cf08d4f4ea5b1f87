"""The flags of a plan: a guess of the gaps, and prices. `plan` and `identify --plan` share them."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from bitarm.errors import ConfigError

_WORDS = (
    *("gap", "gaps", "gap_prior", "mean", "spread"),
    *("per_bit", "per_message", "per_downlink", "per_pull", "per_round", "per_frame_unit"),
)


PLANNING = "Planning"
"""The title of these flags in a command's help."""


def _option(text: str, metavar: str | None = None) -> Any:
    return typer.Option(help=text, metavar=metavar, show_default=False, rich_help_panel=PLANNING)


GapOption = Annotated[float | None, _option("Guess: the others are this far below the best")]
GapsOption = Annotated[str | None, _option("Guess: each other arm's gap, 0.1,0.2,0.4", "LIST")]
GapPriorOption = Annotated[
    str | None, _option("Guess: uniform:LOW:HIGH or loguniform:LOW:HIGH", "PRIOR")
]
MeanOption = Annotated[
    float | None,
    _option("Guess, with bounds and no sigma: mean of the best arm; else about their middle"),
]
SpreadOption = Annotated[
    float | None,
    _option("Guess, with bounds and no sigma: deviation of a reward; else that of coins"),
]
PerBitOption = Annotated[float | None, _option("Price of a payload bit")]
PerMessageOption = Annotated[float | None, _option("Price of a report of one arm")]
PerDownlinkOption = Annotated[float | None, _option("Price of a question or a dismissal")]
PerPullOption = Annotated[float | None, _option("Price of a pull of one arm")]
PerRoundOption = Annotated[float | None, _option("Price of a round")]
PerFrameUnitOption = Annotated[
    float | None,
    _option("Price of the link's second of air time, or byte; else 1"),
]


def plan_words(given: Mapping[str, Any]) -> dict[str, Any]:
    """The guess and the prices among a command's parameters, as a call of `bitarm.plan` has them.

    What was not given is left out. ConfigError if gaps are no numbers.
    """
    words = {word: given[word] for word in _WORDS if given[word] is not None}
    if "gaps" in words:
        try:
            words["gaps"] = [float(gap) for gap in words["gaps"].split(",")]
        except ValueError:
            raise ConfigError(f"gaps must be numbers with commas, got {words['gaps']!r}") from None
    return words
