"""The flags that say how a command prints its result, and what it logs."""

from typing import Annotated

import typer

from bitarm.cli.logs import LogLevel

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object")]
ResultJsonOption = Annotated[
    bool, typer.Option("--json", help="Print the result as one JSON object")
]
LogLevelOption = Annotated[LogLevel, typer.Option(help="What to log on stderr")]
LogJsonOption = Annotated[bool, typer.Option("--log-json", help="Log as JSON lines")]
