"""`bitarm simulate`: Monte Carlo of one setting, or of a sweep over several."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitarm.api.applicable import displaced_words
from bitarm.api.extras import require
from bitarm.api.problem import load_problem
from bitarm.api.words import new_seed
from bitarm.cli.exits import Exit, notify
from bitarm.cli.flags.output import OUTPUT, JsonOption, LogJsonOption, LogLevelOption
from bitarm.cli.flags.problem import LinkOption
from bitarm.cli.flags.storage import chunk_folder
from bitarm.cli.flags.words import Words, with_swept_words
from bitarm.cli.logs import LogLevel, configure
from bitarm.cli.show.progress import trials_bar
from bitarm.errors import ConfigError

if TYPE_CHECKING:
    from bitarm.api.simulate import Simulation
    from bitarm.sim.models import RewardModel


def add_to(app: typer.Typer) -> None:
    """Add the command to the program; each word of a scheme is a flag that takes a list."""
    app.command("simulate")(with_swept_words(simulate_command))


def simulate_command(
    context: typer.Context,
    problem: Annotated[
        Path | None, typer.Argument(metavar="PROBLEM.toml", help="A problem file with models")
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
    link: LinkOption = None,
    as_json: JsonOption = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV, a row a setting", rich_help_panel=OUTPUT)
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw the results (.png, .svg, .pdf)", rich_help_panel=OUTPUT
        ),
    ] = None,
    log_level: LogLevelOption = LogLevel.WARNING,
    log_json: LogJsonOption = False,
    *,
    words: Words,
) -> None:
    """Monte Carlo: what a setting costs, and how often its answer is wrong.

    A LIST with commas sweeps: every value of it is run, crossed with those of the other lists.
    """
    configure(log_level, as_json=log_json)
    require("numba", extra="sim", what="a simulation")
    from bitarm.api.simulate import simulate  # here: it loads a compiler
    from bitarm.sim.chunks import forget_oldest

    if as_json and as_csv:
        raise ConfigError("give either --json or --csv, not both")
    models, of_file = _task(problem, arms, {"sd": sd, "concentration": concentration})
    kept = {word: value for word, value in of_file.items() if word not in _displaced(words)}
    chosen = new_seed() if seed is None else seed
    if workers is None and cluster is None:
        workers = os.cpu_count()
    folder = chunk_folder(cache)
    forget_oldest(folder)
    try:
        with trials_bar() as progress:
            result = simulate(
                models,
                trials=trials,
                seed=chosen,
                workers=workers,
                cluster=cluster,
                cache=folder,
                progress=progress,
                sigma_from_models=problem is None,  # a file's run knows no models
                link=link,
                **(kept | words),
            )
        _show(result, as_json=as_json, as_csv=as_csv, plot=plot)
    except KeyboardInterrupt:
        notify(f"interrupted; the same command with --seed {chosen} goes on from here")
        raise typer.Exit(Exit.INTERRUPTED) from None


def _task(
    path: Path | None, arms: str | None, parameters: Mapping[str, float | None]
) -> tuple[tuple["RewardModel", ...], dict[str, Any]]:
    """The arms, and the words that a problem file gives; arms in one line come without words."""
    from bitarm.sim.models import parse_models  # here: it loads numpy

    given = {word: value for word, value in parameters.items() if value is not None}
    if (path is None) == (arms is None):
        raise ConfigError("give either a problem file or --arms, such as --arms bernoulli:0.7,0.5")
    if arms is not None:
        return parse_models(arms, given), {}
    if given:
        raise ConfigError(f"{', '.join(given)} applies to --arms only: the file has its own arms")
    assert path is not None  # one of the two is given
    problem = load_problem(path)
    limits = {f"max_{word}": value for word, value in problem.limits.items()}
    return problem.models(), {**problem.problem, **problem.scheme, **limits}


def _displaced(given: Words) -> set[str]:
    """Words of a file that lose their meaning to every value of a flag."""
    lost: set[str] = set()
    for word, values in given.items():
        lost |= set.intersection(*(displaced_words({word: value}) for value in values))
    return lost


def _show(result: "Simulation", *, as_json: bool, as_csv: bool, plot: Path | None) -> None:
    from bitarm.cli.show.sweep import plot_simulation, print_csv, print_table

    unproven = (point.guarantee for point in result.points if not point.guarantee.delta)
    for reason in sorted({guarantee.reason for guarantee in unproven}):
        notify(f"no guarantee: {reason}")
    if as_json:
        typer.echo(json.dumps(result.to_json()))
    elif as_csv:
        print_csv(result)
    else:
        print_table(result)
    if plot is not None:  # last: a picture that cannot be written costs nobody the numbers
        plot_simulation(result, plot)
