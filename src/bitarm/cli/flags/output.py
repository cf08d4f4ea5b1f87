"""The flags that say how a command prints its result, and what it logs."""

from typing import Annotated

import typer

from bitarm.cli.logs import LogLevel

OUTPUT = "Output"
"""The title of these flags in a command's help."""

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object", rich_help_panel=OUTPUT)
]
ResultJsonOption = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON", rich_help_panel=OUTPUT)
]
LogLevelOption = Annotated[
    LogLevel,
    typer.Option(
        metavar="LEVEL",
        help="Log on stderr: debug, info, warning or error",
        rich_help_panel=OUTPUT,
    ),
]
LogJsonOption = Annotated[
    bool, typer.Option("--log-json", help="Log as JSON lines", rich_help_panel=OUTPUT)
]
