"""`bitarm plan`: which setting costs least, and what it will cost. The work is in `planning.py`."""

from pathlib import Path
from typing import Annotated

import typer

from bitarm.api.extras import require
from bitarm.cli.flags.plan import (
    GapOption,
    GapPriorOption,
    GapsOption,
    PerBitOption,
    PerFrameUnitOption,
    PerMessageOption,
    PerPullOption,
    PerRoundOption,
    plan_words,
)
from bitarm.cli.flags.words import Words, with_fixed_words
from bitarm.cli.logs import LogLevel, configure
from bitarm.cli.show.link import LinkOption
from bitarm.planner.fixed import is_planned


def add_to(app: typer.Typer) -> None:
    """Add the command to the program, with a flag for each word of a scheme that a plan takes."""
    app.command("plan")(with_fixed_words(plan_command, is_planned))


def plan_command(
    context: typer.Context,
    problem: Annotated[
        Path | None,
        typer.Argument(metavar="[PROBLEM.toml]", help="A problem file: its arms, δ, σ and bounds"),
    ] = None,
    arms: Annotated[int | None, typer.Option(help="Number of arms, K", show_default=False)] = None,
    gap: GapOption = None,
    gaps: GapsOption = None,
    gap_prior: GapPriorOption = None,
    per_bit: PerBitOption = None,
    per_message: PerMessageOption = None,
    per_pull: PerPullOption = None,
    per_round: PerRoundOption = None,
    link: LinkOption = None,
    per_frame_unit: PerFrameUnitOption = None,
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
        typer.Option(metavar="FILE", help="Write the scheme as a table for a problem file"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Makes the plan repeatable", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False,
    log_level: Annotated[LogLevel, typer.Option(help="What to log on stderr")] = LogLevel.WARNING,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log as JSON lines")] = False,
    *,
    words: Words,
) -> None:
    """The setting of least expected cost, what it will cost, and what if the guess is wrong.

    Words of the scheme, such as --quantizer icq --bits 2, fix what the plan may not vary.
    """
    given = dict(locals())
    configure(log_level, as_json=log_json)
    require("numba", extra="sim", what="a plan")
    from bitarm.cli.planning import Output, run_plan  # here: it loads a compiler

    named = ("rewards", "offset", "link", "seed")
    own = plan_words(given) | {word: given[word] for word in named if given[word] is not None}
    run_plan(problem, arms, own | words, Output(as_json=as_json, plot=plot, save=save))
