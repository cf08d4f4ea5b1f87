"""`bitarm identify`: a run with learner and agents in this process."""

import contextlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from bitarm.api.extras import require
from bitarm.api.identify import run_problem
from bitarm.api.problem import Problem, load_problem, parse_problem
from bitarm.api.words import new_seed
from bitarm.cli.exits import exit_for_outcome
from bitarm.cli.flags.output import OUTPUT, LogJsonOption, LogLevelOption, ResultJsonOption
from bitarm.cli.flags.plan import PLANNING, PlanWords, with_plan_flags
from bitarm.cli.flags.problem import (
    LinkOption,
    PullPacketsOption,
    PullSecondsOption,
    built_in_problem,
)
from bitarm.cli.flags.storage import StoreOption, store_path
from bitarm.cli.flags.trust import NoCodeOption
from bitarm.cli.flags.words import Words, by_table, with_words
from bitarm.cli.logs import LogLevel, configure
from bitarm.cli.show.dashboard_process import DashboardProcess, dashboard_process
from bitarm.cli.show.live import PACE
from bitarm.cli.show.progress import measurements_bar
from bitarm.cli.show.result import show_result
from bitarm.cli.show.watching import watching
from bitarm.core.events import LearnerEvent, RunOpened
from bitarm.core.journal import Journal, Watcher
from bitarm.errors import ConfigError
from bitarm.links.cost import LinkLedger
from bitarm.links.profiles import find_link
from bitarm.links.pull_cost import PullCost
from bitarm.runtime.signals import interrupted_by_any
from bitarm.store import SqliteJournal

_BUILT_IN_PACKETS = 20  # that a pull of the built-in example sends, as its file says


def add_to(app: typer.Typer) -> None:
    """Add the command to the program, with a flag for each word of a scheme."""
    app.command("identify")(with_words(with_plan_flags(identify_command)))


def identify_command(
    context: typer.Context,
    problem: Annotated[
        Path | None,
        typer.Argument(metavar="PROBLEM.toml", help="A problem file; else a built-in example"),
    ] = None,
    clip: Annotated[
        bool | None,
        typer.Option(
            "--clip",
            help="Clip rewards to the bounds; voids the guarantee",
            rich_help_panel="Problem",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Makes the run repeatable to the byte", show_default=False)
    ] = None,
    no_code: NoCodeOption = False,
    link: LinkOption = None,
    pull_packets: PullPacketsOption = None,
    pull_seconds: PullSecondsOption = None,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan", help="First choose the scheme of least cost", rich_help_panel=PLANNING
        ),
    ] = False,
    store: StoreOption = None,
    as_json: ResultJsonOption = False,
    dashboard: Annotated[
        bool,
        typer.Option(
            "--dashboard", help="Open the run's web page beside it", rich_help_panel=OUTPUT
        ),
    ] = False,
    pace: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Between rounds of the live table",
            rich_help_panel=OUTPUT,
        ),
    ] = PACE,
    log_level: LogLevelOption = LogLevel.WARNING,
    log_json: LogJsonOption = False,
    *,
    planning: PlanWords,
    words: Words,
) -> None:
    """Find the best arm with one process; a live table, then the answer and its price."""
    configure(log_level, as_json=log_json)
    overrides = by_table(words)
    if clip is not None:
        overrides["problem"]["clip"] = clip
    task = _load(problem, overrides)
    if no_code:
        task.refuse_code()
    chosen = new_seed() if seed is None else seed
    planned: dict[str, Any] = {}
    pull_cost = _pull_cost(link, pull_packets, pull_seconds, is_built_in=problem is None)
    if plan:
        _refuse_with_plan(overrides["scheme"])
        asked = planning | _on_link(link, pull_cost)
        task, planned = _planned(task, asked, seed=chosen)
    else:
        _refuse_without_plan(planning)
    ledger = None if link is None else LinkLedger(find_link(link), pull_cost=pull_cost)
    screen = Console(stderr=True)
    live = screen.is_terminal and not as_json
    with contextlib.ExitStack() as stack:
        stack.enter_context(interrupted_by_any())
        journal = stack.enter_context(contextlib.closing(SqliteJournal.open(store_path(store))))
        page = stack.enter_context(dashboard_process(store_path(store))) if dashboard else None
        others: list[Watcher] = []
        if ledger is not None:
            others.append(ledger.watch)
        if page is not None:
            others.append(_opening_page(page, journal))
        with watching(*others, table_on=screen if live else None, pace=pace) as watch:
            run, result = run_problem(
                task,
                seed=chosen,
                journal=journal,
                watch=watch,
                link=None if ledger is None else ledger.link,
            )
        show_result(result, run=run, as_json=as_json, ledger=ledger, more=planned)
        if page is not None and live:
            page.stay()
    raise typer.Exit(exit_for_outcome(result.outcome))


def _load(path: Path | None, overrides: dict[str, dict[str, Any]]) -> Problem:
    """The problem of a file, or the built-in example; `overrides` win over its tables."""
    if path is not None:
        return load_problem(path, overrides)
    return parse_problem(built_in_problem(), Path(), overrides)


def _pull_cost(
    link: str | None, packets: int | None, seconds: float | None, *, is_built_in: bool
) -> PullCost:
    """What a pull takes; ConfigError if there is no link to tell it of."""
    for flag, given in (("--pull-packets", packets), ("--pull-seconds", seconds)):
        if given is not None and link is None:
            raise ConfigError(f"{flag} says what pulls take beside frames on a link: name --link")
    usual = _BUILT_IN_PACKETS if is_built_in else 0
    return PullCost(packets=usual if packets is None else packets, seconds=seconds or 0.0)


def _on_link(link: str | None, pull_cost: PullCost) -> dict[str, Any]:
    """The link and what pulls take there, as arguments of a plan."""
    if link is None:
        return {}
    return {"link": link, "pull_packets": pull_cost.packets, "pull_seconds": pull_cost.seconds}


def _planned(task: Problem, words: dict[str, Any], *, seed: int) -> tuple[Problem, dict[str, Any]]:
    """The problem with the scheme that a plan chose for it, and the plan as JSON for the result.

    A person reads of the plan on stderr: stdout is the run's.
    """
    require("numba", extra="sim", what="a plan")
    from bitarm.cli.show.plan import sketch  # here: it loads a compiler
    from bitarm.planner.plan import plan_problem

    with measurements_bar() as progress:
        made = plan_problem(task, **words, seed=seed, progress=progress)
    print(f"plan: {sketch(made)}", file=sys.stderr)
    return replace(task, scheme=made.words), {"plan": made.to_json()}


def _refuse_with_plan(scheme: Mapping[str, Any]) -> None:
    """A plan chooses the scheme: what would be overruled is refused."""
    if scheme:
        raise ConfigError(f"--plan chooses the scheme: leave out {_flags(scheme)}")


def _refuse_without_plan(words: Mapping[str, Any]) -> None:
    """A guess or a price without a plan would have no effect."""
    if words:
        verb = "has" if len(words) == 1 else "have"
        raise ConfigError(f"{_flags(words)} {verb} no effect without --plan")


def _flags(words: Mapping[str, Any]) -> str:
    return ", ".join(f"--{word.replace('_', '-')}" for word in words)


def _opening_page(page: DashboardProcess, journal: Journal) -> Watcher:
    """A watcher that opens the run's page as soon as the journal has given the run a number."""

    def watch(events: Sequence[LearnerEvent]) -> None:
        for event in events:
            if isinstance(event, RunOpened):
                run = event.setup.fingerprint
                page.show(next(kept.run for kept in journal.runs() if kept.fingerprint == run))

    return watch
