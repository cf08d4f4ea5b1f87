"""`bitarm reproduce`: the paper's figures beside its published numbers."""

from pathlib import Path
from typing import Annotated

import typer

from bitarm.api.extras import require
from bitarm.cli.logs import LogLevel, configure


def add_to(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("reproduce")(reproduce_command)


def reproduce_command(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[EXPERIMENT]...",
            help="bounded, gaussian, hardness, alpha, bits, or a .py file with a SWEEP; "
            "all of the paper's by default",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(help="Trials a point; by default as many as the paper's", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Makes the numbers repeatable")] = 1,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where report, pictures and numbers go")
    ] = Path("reproduction"),
    instance: Annotated[
        str, typer.Option(metavar="fitted|random", help="Arms fitted to the paper, or drawn anew")
    ] = "fitted",
    full: Annotated[bool, typer.Option("--full", help="Also what the paper does not show")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what another run left in the folder")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default one a core", show_default=False)
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where finished chunks are kept", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False,
    log_level: Annotated[LogLevel, typer.Option(help="What to log on stderr")] = LogLevel.WARNING,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log as JSON lines")] = False,
) -> None:
    """Every figure of the paper beside its published numbers, as one page."""
    configure(log_level, as_json=log_json)
    require("numba", extra="sim", what="a reproduction")
    from bitarm.cli.reproducing import run_reproduction  # here: it loads a compiler

    run_reproduction(
        experiments or [],
        trials=trials,
        seed=seed,
        out=out,
        instance=instance,
        full=full,
        overwrite=overwrite,
        workers=workers,
        cache=cache,
        as_json=as_json,
    )
