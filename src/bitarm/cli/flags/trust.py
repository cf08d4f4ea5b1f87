"""The flag that says how far a problem file is trusted: may it run code here?

Not beside the other flags of a problem file: an agent takes this one, and loads no links for it.
"""

from typing import Annotated

import typer

NoCodeOption = Annotated[
    bool,
    typer.Option("--no-code", help="Refuse arms whose rewards come from a command or a function"),
]
