"""`bitarm dashboard`: the web page for live and past runs."""

import os
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from bitarm.api.extras import require
from bitarm.cli.exits import complain
from bitarm.cli.flags.storage import StoreOption, store_path

DEFAULT_PORT = 8370


def add_to(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("dashboard")(dashboard_command)


def dashboard_command(
    store: StoreOption = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes any free port")
    ] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option(help="Where to listen; anywhere but on loopback needs a token")
    ] = "127.0.0.1",
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file with the secret that visitors must know"),
    ] = None,
    until_stdin_ends: Annotated[
        bool, typer.Option("--until-stdin-ends", hidden=True, help="End with whoever started it")
    ] = False,
) -> None:
    """Show runs on a web page, live and past; prints its address. Ctrl-C ends it."""
    for module in ("fastapi", "uvicorn"):
        require(module, extra="dashboard", what="the dashboard")
    from bitarm.dashboard.serve import read_token, serve

    token = None if token_file is None else read_token(token_file)
    if until_stdin_ends:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        serve(store_path(store), host=host, port=port, token=token, ready=_announce)
    except KeyboardInterrupt:
        complain("the dashboard has ended")  # the way in which it is meant to end


def _announce(address: str) -> None:
    print(address, flush=True)


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)  # it only reads: there is nothing to put away
