"""`bitarm plan`: which setting costs least, and what it will cost."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from bitarm.api.extras import require
from bitarm.api.problem import load_problem
from bitarm.cli.flags.output import JsonOption, LogJsonOption, LogLevelOption
from bitarm.cli.flags.plan import PlanWords, with_plan_flags
from bitarm.cli.flags.problem import LinkOption, PullPacketsOption, PullSecondsOption
from bitarm.cli.flags.words import Words, with_fixed_words
from bitarm.cli.logs import LogLevel, configure
from bitarm.cli.show.progress import measurements_bar
from bitarm.errors import ConfigError
from bitarm.planner.fixed_words import is_planned

if TYPE_CHECKING:
    from bitarm.planner.plan import Plan

_PICTURES = (".svg", ".png", ".pdf")


def add_to(app: typer.Typer) -> None:
    """Add the command to the program, with a flag for each word of a scheme that a plan takes."""
    app.command("plan")(with_fixed_words(with_plan_flags(plan_command), is_planned))


def plan_command(
    context: typer.Context,
    problem: Annotated[
        Path | None,
        typer.Argument(metavar="PROBLEM.toml", help="A problem file: its arms, δ, σ and bounds"),
    ] = None,
    arms: Annotated[int | None, typer.Option(help="Number of arms, K", show_default=False)] = None,
    link: LinkOption = None,
    pull_packets: PullPacketsOption = None,
    pull_seconds: PullSecondsOption = None,
    rewards: Annotated[
        str | None,
        typer.Option(
            metavar="FAMILY",
            help="Rewards to simulate: gaussian, bernoulli or beta; else what suits the bounds "
            "and sigma",
            show_default=False,
        ),
    ] = None,
    offset: Annotated[
        float | None,
        typer.Option(
            help="Without bounds: how far from 0 the best mean may lie; else 3 sigma",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the trade-off (.svg, .png, .pdf)")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            help=escape("Write [problem] and [scheme] of a problem file; add the arms"),
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Makes the plan repeatable", show_default=False)
    ] = None,
    as_json: JsonOption = False,
    log_level: LogLevelOption = LogLevel.WARNING,
    log_json: LogJsonOption = False,
    *,
    planning: PlanWords,
    words: Words,
) -> None:
    """The setting of least expected cost, what it will cost, and what if the guess is wrong.

    Words of the scheme, such as --quantizer icq --bits 2, fix what the plan may not vary.
    """
    configure(log_level, as_json=log_json)
    require("numba", extra="sim", what="a plan")
    own = {
        "rewards": rewards,
        "offset": offset,
        "link": link,
        "pull_packets": pull_packets,
        "pull_seconds": pull_seconds,
        "seed": seed,
    }
    given = {
        **planning,
        **{word: value for word, value in own.items() if value is not None},
        **words,
    }
    _check_outputs(plot, save)
    if problem is not None and arms is not None:
        raise ConfigError("arms does not apply to a problem file: it has its own")
    read = None if problem is None else load_problem(problem)
    from bitarm.planner.plan import plan, plan_problem  # here: it loads a compiler

    with measurements_bar() as progress:
        made = (
            plan(arms, **given, progress=progress)
            if read is None
            else plan_problem(read, **given, progress=progress)
        )
    if plot is not None:
        _draw(made, plot)
    if save is not None:
        _save(made, save)
    if as_json:
        typer.echo(json.dumps(made.to_json()))
    else:
        from bitarm.cli.show.plan import print_plan

        print_plan(Console(), made, file=problem)


def _check_outputs(plot: Path | None, save: Path | None) -> None:
    """A plan takes seconds: what could not be written afterwards is refused before."""
    if plot is not None and plot.suffix not in _PICTURES:
        raise ConfigError(f"a plot must end in {', '.join(_PICTURES)}, got {plot}")
    for path in (plot, save):
        if path is not None and not os.path.isdir(path.parent):
            raise ConfigError(f"there is no folder {path.parent} to write {path.name} to")


def _draw(made: "Plan", path: Path) -> None:
    require("matplotlib", extra="sim", what="a plot")
    from bitarm.planner.picture import draw_plan

    draw_plan(made, path)


def _save(made: "Plan", path: Path) -> None:
    try:
        path.write_text(made.to_toml(), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"the plan cannot be written to {path}: {error.strerror}") from None
