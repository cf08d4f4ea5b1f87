"""`bitarm simulate`: Monte Carlo of one setting or a sweep. The work is in `cli/sweeping.py`."""

from pathlib import Path
from typing import Annotated

import typer

from bitarm.api.extras import require
from bitarm.cli.flags.words import Words, with_swept_words
from bitarm.cli.logs import LogLevel, configure


def add_to(app: typer.Typer) -> None:
    """Add the command to the program; each word of a scheme is a flag that takes a list."""
    app.command("simulate")(with_swept_words(simulate_command))


def simulate_command(
    context: typer.Context,
    problem: Annotated[
        Path | None, typer.Argument(metavar="[PROBLEM.toml]", help="A problem file with models")
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(metavar="FAMILY:MEANS", help="Arms in one line, such as bernoulli:0.7,0.5"),
    ] = None,
    sd: Annotated[float | None, typer.Option(help="Deviation of gaussian arms")] = None,
    concentration: Annotated[float | None, typer.Option(help="p + q of beta arms")] = None,
    trials: Annotated[int, typer.Option(help="Trials of every setting")] = 1000,
    seed: Annotated[int | None, typer.Option(help="Makes the numbers repeatable")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default one a core", show_default=False)
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, tcp://host:8786")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where finished chunks are kept", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, a row a setting")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the results (.png, .svg, .pdf)")
    ] = None,
    log_level: Annotated[LogLevel, typer.Option(help="What to log on stderr")] = LogLevel.WARNING,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log as JSON lines")] = False,
    *,
    words: Words,
) -> None:
    """Monte Carlo: mean and standard error of the price, and how often the answer is wrong."""
    configure(log_level, as_json=log_json)
    require("numba", extra="sim", what="a simulation")
    from bitarm.cli.sweeping import Output, run_sweep  # here: it loads a compiler

    run_sweep(
        problem,
        arms,
        {"sd": sd, "concentration": concentration},
        words,
        Output(as_json=as_json, as_csv=as_csv, plot=plot),
        trials=trials,
        seed=seed,
        workers=workers,
        cluster=cluster,
        cache=cache,
    )
