"""`bitarm dashboard`: the web page for live and past runs."""

import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bitarm.api.extras import require
from bitarm.cli.exits import notify
from bitarm.cli.flags.output import LogJsonOption, LogLevelOption
from bitarm.cli.flags.storage import StoreOption, store_path
from bitarm.cli.logs import LogLevel, configure
from bitarm.cli.metrics.figures import Measure, journal_measures
from bitarm.cli.metrics.option import MetricsOption, metrics_at
from bitarm.errors import StoreError

if TYPE_CHECKING:
    from bitarm.dashboard.library import Library  # needs an extra

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
    metrics: MetricsOption = None,
    log_level: LogLevelOption = LogLevel.WARNING,
    log_json: LogJsonOption = False,
    until_stdin_ends: Annotated[
        bool, typer.Option("--until-stdin-ends", hidden=True, help="End with whoever started it")
    ] = False,
) -> None:
    """Show runs on a web page, live and past; prints its address. Ctrl-C ends it."""
    configure(log_level, as_json=log_json)
    for module in ("fastapi", "uvicorn"):
        require(module, extra="dashboard", what="the dashboard")
    from bitarm.dashboard.library import Library
    from bitarm.dashboard.serve import read_token, serve

    library = Library(store_path(store))
    token = None if token_file is None else read_token(token_file)
    if until_stdin_ends:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        with metrics_at(metrics, lambda: _measures(library), lambda: _health(library)):
            serve(library.path, host=host, port=port, token=token, ready=_announce)
    except KeyboardInterrupt:
        notify("the dashboard has ended")  # the way in which it is meant to end


def _measures(library: "Library") -> list[Measure]:
    is_readable = True
    runs = 0
    try:
        runs = library.runs(limit=1).total
    except StoreError:
        is_readable = False
    return [
        Measure(name="bitarm_store_readable", help="1 if the store can be read", value=is_readable),
        Measure(name="bitarm_runs", help="Runs in the store", value=runs),
        *journal_measures(library.path),
    ]


def _health(library: "Library") -> str | None:
    library.look()  # raises what makes the store unusable, which is the reason
    return None


def _announce(address: str) -> None:
    print(address, flush=True)


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)  # it only reads: there is nothing to put away
