"""The flag that says how far a problem file is trusted: may it run code here?"""

from typing import Annotated

import typer

NoCodeOption = Annotated[
    bool,
    typer.Option("--no-code", help="Refuse arms whose rewards come from a command or a function"),
]
