"""Flags beside a problem file: on which link, and what does a pull take?

And the example that stands in where no file is named.
"""

from importlib import resources
from typing import Annotated

import typer

from bitarm.api.table_words import NetworkWords
from bitarm.core.words import words_of

_LINK = words_of(NetworkWords)["link"]

LinkOption = Annotated[
    str | None,
    typer.Option(
        metavar="LINK",
        help=f"What it costs there: {', '.join(_LINK.choices)}",
        show_default=False,
    ),
]

PullPacketsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Packets that a pull itself sends over the link, under the same limits",
        show_default=False,
    ),
]
PullSecondsOption = Annotated[
    float | None,
    typer.Option(metavar="S", help="Seconds that a pull takes", show_default=False),
]


def built_in_problem() -> str:
    """The problem file that comes with the program, as text: which of eight gateways is best?"""
    return resources.files("bitarm.cli").joinpath("gateways.toml").read_text(encoding="utf-8")
