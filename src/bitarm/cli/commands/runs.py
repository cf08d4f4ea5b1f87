"""`bitarm runs`: what the journal holds of past runs."""

import contextlib
import csv
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bitarm.cli.commands import prune
from bitarm.cli.flags.output import OUTPUT, JsonOption
from bitarm.cli.flags.storage import StoreOption, store_path
from bitarm.cli.show.live import PACE, LiveTable, standings_table
from bitarm.cli.show.reports import REPORT_COLUMNS, report_rows
from bitarm.cli.show.result import print_answer
from bitarm.cli.show.tables import plain_table
from bitarm.core.events import PullsCounted, dump_event
from bitarm.core.journal import Entry, RunSummary
from bitarm.core.replay import steps
from bitarm.core.result import result_of
from bitarm.core.standings import Standings, follow
from bitarm.errors import StoreError
from bitarm.peer_log import printable
from bitarm.store import MemoryJournal, SqliteJournal, find_run, is_missing

_runs = typer.Typer(no_args_is_help=True, help="Past runs, from the journal.")

RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's number, its fingerprint, or 'last'")
]
_LEFT_OUT = ("events", "arms", "fingerprint", "opened (UTC)")
"""What the list of runs leaves out on a narrow screen, in this order; `runs show` tells it all."""
_WIDER_THAN_ANY = 1000  # screen columns: a table that is measured within them is not cut
_NOTHING_CLOSED = ((0, False), (1, False))  # the progress of a run none of whose rounds has closed


class ExportFormat(Enum):
    """How a run is written out."""

    JSONL = "jsonl"
    CSV = "csv"


def add_to(app: typer.Typer) -> None:
    """Add the commands to the program, under one name."""
    prune.add_to(_runs)
    app.add_typer(_runs, name="runs")


@_runs.command("list")
def list_runs(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """All runs, the newest first."""
    path = store_path(store)
    runs: list[RunSummary] = []
    if not is_missing(path):
        with closing(SqliteJournal.open_read_only(path)) as journal:
            runs = journal.runs()
    if as_json:
        typer.echo(json.dumps({"runs": [_summary_json(run) for run in runs]}))
        return
    if not runs:
        typer.echo(f"no runs in {store_path(store)} yet: bitarm identify makes one")
        return
    console = Console()
    anything = console.options.update(max_width=_WIDER_THAN_ANY)
    for count in range(len(_LEFT_OUT) + 1):
        table = _list(runs, _LEFT_OUT[:count])
        if console.measure(table, options=anything).maximum <= console.width:
            break
    console.print(table)


def _list(runs: Sequence[RunSummary], left_out: Sequence[str]) -> Table:
    """The runs, a line each."""
    cells: dict[str, Callable[[RunSummary], str | Text]] = {
        "run": lambda run: str(run.run),
        "fingerprint": lambda run: f"{run.fingerprint:08x}",
        "opened (UTC)": lambda run: _moment(run.opened_at),
        "arms": lambda run: f"{run.arms:,}",
        "outcome": lambda run: run.outcome or "not ended",
        "best arm": lambda run: Text(printable(run.best_arm or "")),
        "events": lambda run: f"{run.entries:,}",
    }
    shown = [name for name in cells if name not in left_out]
    table = plain_table()
    for name in shown:
        table.add_column(
            name,
            no_wrap=True,
            max_width=16 if name == "best arm" else None,
            justify="right" if name in ("run", "arms", "events") else "left",
        )
    for run in runs:
        table.add_row(*(cells[name](run) for name in shown))
    return table


@_runs.command()
def show(run: RunArgument, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """One run: its arms, its answer and its price."""
    number, entries = _entries(run, store)
    with _named(store, number):
        standings = Standings.of(entry.event for entry in entries)
    ended = standings.ending is not None
    if as_json:
        facts: dict[str, Any] = {"run": number, "opened_at": entries[0].at}
        typer.echo(json.dumps(facts | (result_of(standings).to_json() if ended else {})))
        return
    console = Console()
    console.print(standings_table(standings, console.width))
    if ended:
        print_answer(console, result_of(standings), run=number)
    else:
        console.print("The run has not ended: it is still going on, or it was cut off.")


@_runs.command()
def replay(
    run: RunArgument,
    store: StoreOption = None,
    as_json: JsonOption = False,
    pace: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Between rounds, on a terminal",
            rich_help_panel=OUTPUT,
        ),
    ] = PACE,
) -> None:
    """Feed a run's reports to a new learner and check that it decides the same.

    On a terminal the race is shown as it went; in a pipe, a table for each round.
    """
    number, entries = _entries(run, store)
    checked = 0
    console = Console()
    standings: Standings | None = None
    drawn = (0, False)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_named(store, number))
        animated = console.is_terminal and not as_json
        table = stack.enter_context(LiveTable(console, pace=pace)) if animated else None
        for _, event in steps(entry.event for entry in entries):
            checked += 1
            if table is not None:
                table.watch((event,))
                continue
            standings = follow(standings, event)
            if as_json or standings.ending is not None:
                continue
            if standings.progress not in (*_NOTHING_CLOSED, drawn):
                drawn = standings.progress
                console.print(standings_table(standings, console.width))
        # No decision follows from these, but the last table does: what arms that gave up pulled.
        counted = [entry.event for entry in entries if isinstance(entry.event, PullsCounted)]
        if table is not None:
            table.watch(counted)
        elif not as_json and standings is not None and standings.ending is not None:
            for event in counted:
                standings = follow(standings, event)
            console.print(standings_table(standings, console.width))
    if as_json:
        typer.echo(json.dumps({"run": number, "events": checked, "agrees": True}))
    else:
        typer.echo(f"run {number}: {checked:,} events replayed, every decision agrees")


@_runs.command()
def export(
    run: RunArgument,
    store: StoreOption = None,
    file_format: Annotated[
        ExportFormat,
        typer.Option("--format", help="jsonl: events; csv: a row a report", rich_help_panel=OUTPUT),
    ] = ExportFormat.JSONL,
) -> None:
    """A run to stdout: every event as JSON, a line each, or a table of its reports as CSV."""
    _, entries = _entries(run, store)
    if file_format is ExportFormat.JSONL:
        for entry in entries:
            typer.echo(json.dumps(_entry_json(entry)))
        return
    writer = csv.DictWriter(sys.stdout, REPORT_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(report_rows(entries))


def _entries(run: str, store: StoreOption) -> tuple[int, list[Entry]]:
    path = store_path(store)
    if is_missing(path):
        return find_run(MemoryJournal(), run).run, []  # says that there is none
    with closing(SqliteJournal.open_read_only(path)) as journal:
        number = find_run(journal, run).run
        return number, list(journal.read(number))


@contextmanager
def _named(store: StoreOption, run: int) -> Iterator[None]:
    """Name the file and the run in what is wrong with a run's events: the core knows no files."""
    try:
        yield
    except StoreError as error:
        raise StoreError(f"{store_path(store)}: run {run}: {error}") from error


def _entry_json(entry: Entry) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(dump_event(entry.event))
    return {"sequence": entry.sequence, "at": entry.at, "event": event}


def _summary_json(run: RunSummary) -> dict[str, Any]:
    return {
        "run": run.run,
        "fingerprint": f"{run.fingerprint:08x}",
        "opened_at": run.opened_at,
        "ended_at": run.ended_at,
        "arms": run.arms,
        "outcome": run.outcome,
        "best_arm_name": run.best_arm,
        "events": run.entries,
    }


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
