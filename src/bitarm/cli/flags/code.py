"""The flag of commands that open an arm's rewards: whether a problem file may run code here."""

from typing import Annotated

import typer

NoCodeOption = Annotated[
    bool,
    typer.Option("--no-code", help="Refuse arms whose rewards come from a command or a function"),
]
