"""`bitarm runs prune`: past runs forgotten, by age, number, size or silence."""

import json
import sys
import time
from contextlib import closing
from typing import Annotated

import typer

from bitarm.cli.exits import Exit, notify
from bitarm.cli.flags.output import JsonOption
from bitarm.cli.flags.storage import StoreOption, store_path
from bitarm.core.journal import RunSummary
from bitarm.peer_log import printable
from bitarm.store import SqliteJournal, is_missing
from bitarm.store.pruning import Pruning, prunable

_DAY = 86_400.0
_MEGABYTE = 1_000_000
_MOST_SHOWN = 20
_NO_RULE = float("inf")


def add_to(runs: typer.Typer) -> None:
    """Add the command to those of past runs."""
    runs.command("prune")(prune_command)


def prune_command(
    older_than: Annotated[
        float, typer.Option(metavar="DAYS", help="Forget runs that ended longer ago than this")
    ] = _NO_RULE,
    keep: Annotated[
        float, typer.Option(metavar="N", help="Of the runs that ended, keep the newest N")
    ] = _NO_RULE,
    max_size: Annotated[
        float, typer.Option(metavar="MB", help="Keep the newest that fit into this many megabytes")
    ] = _NO_RULE,
    silent_for: Annotated[
        float,
        typer.Option(
            metavar="DAYS", help="Also runs without an end in which nothing happened for so long"
        ),
    ] = _NO_RULE,
    store: StoreOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask")] = False,
    as_json: JsonOption = False,
) -> None:
    """Forget past runs for good; later ones take their room. Asks first; never a live run."""
    rule = Pruning(
        older_than=older_than * _DAY,
        newest=keep,
        most_bytes=max_size * _MEGABYTE,
        silent_for=silent_for * _DAY,
    )
    path = store_path(store)
    found: list[RunSummary] = []
    if not is_missing(path):
        with closing(SqliteJournal.open(path)) as journal:
            found = prunable(
                rule,
                journal.runs(),
                now=time.time(),
                sizes=journal.sizes(),
                last_at=journal.last_at,
            )
            if found:
                _ask(found, yes=yes)
            for run in found:
                journal.delete(run)  # one by one: nobody who writes another run waits for long
    if as_json:
        typer.echo(json.dumps({"pruned": [run.run for run in found]}))
    else:
        typer.echo(f"{len(found):,} runs forgotten" if found else "no run is to be forgotten")


def _ask(found: list[RunSummary], *, yes: bool) -> None:
    """Show what would go, and go on only if the user agrees; where nobody can, not at all."""
    if yes:
        return
    for run in found[:_MOST_SHOWN]:
        said = run.outcome or "without an end"
        best = f", best arm {printable(run.best_arm)}" if run.best_arm else ""
        typer.echo(f"run {run.run}: {run.arms:,} arms, {said}{best}", err=True)
    if len(found) > _MOST_SHOWN:
        typer.echo(f"and {len(found) - _MOST_SHOWN:,} more", err=True)
    question = f"Forget {len(found):,} runs for good?"
    if not (sys.stdin.isatty() and typer.confirm(question, err=True)):
        notify("nothing was forgotten; --yes forgets without asking")
        raise typer.Exit(Exit.USAGE)
