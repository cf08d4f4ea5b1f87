"""The flag that names a thin link, on which a run must fit and whose cost is shown."""

from typing import Annotated

import typer

from bitarm.api.tables import NetworkWords
from bitarm.core.words import words_of

_LINK = words_of(NetworkWords)["link"]

LinkOption = Annotated[
    str | None,
    typer.Option(
        metavar="LINK",
        help=f"{_LINK.word.help}: {', '.join(_LINK.choices)}",
        show_default=False,
    ),
]
