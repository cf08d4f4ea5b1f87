"""`bitarm reproduce`: the paper's figures beside its published numbers."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from bitarm.api.extras import require
from bitarm.cli.exits import Exit, notify
from bitarm.cli.flags.output import JsonOption, LogJsonOption, LogLevelOption
from bitarm.cli.flags.storage import chunk_folder
from bitarm.cli.logs import LogLevel, configure
from bitarm.cli.show.progress import trials_bar
from bitarm.core.words import unknown
from bitarm.errors import ConfigError


def add_to(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("reproduce")(reproduce_command)


def reproduce_command(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXPERIMENT",
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
    as_json: JsonOption = False,
    log_level: LogLevelOption = LogLevel.WARNING,
    log_json: LogJsonOption = False,
) -> None:
    """Every figure of the paper beside its published numbers, as one page."""
    configure(log_level, as_json=log_json)
    for package in ("numba", "matplotlib", "jinja2"):
        require(package, extra="sim", what="a reproduction")
    from bitarm.cli.show.reproduction import print_reproduction, reproduction_json
    from bitarm.experiments.reproduce import INSTANCES, reproduce  # here: it loads a compiler
    from bitarm.sim.chunks import forget_oldest

    if instance not in INSTANCES:
        raise ConfigError(unknown("--instance", instance, INSTANCES))
    folder = chunk_folder(cache)
    forget_oldest(folder)
    try:
        with trials_bar() as progress:
            found = reproduce(
                experiments or [],
                trials=trials,
                seed=seed,
                out=out,
                instance=instance,
                full=full,
                overwrite=overwrite,
                workers=workers or os.cpu_count() or 1,
                cache=folder,
                progress=progress,
            )
    except KeyboardInterrupt:
        notify("interrupted; the same command goes on from here")
        raise typer.Exit(Exit.INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(reproduction_json(found)))
    else:
        print_reproduction(found)
