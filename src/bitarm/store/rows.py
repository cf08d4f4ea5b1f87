"""The SQL: summaries and entries as rows, inside a transaction that the caller began.

Refuses to know files, locks and versions. Nothing is ever deleted, and of what is written only
a run's summary changes.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import asdict

from bitarm.core.journal import RunSummary

PAGE = 256
"""Entries fetched at a time: a slow reader must not hold a transaction open."""

Row = tuple[int, float, object]
"""Sequence number, time and body of one entry, as found."""

_COLUMNS = "run, fingerprint, arms, opened_at, ended_at, outcome, best_arm, entries"
_LARGEST = 2**63 - 1  # what SQLite's integers hold


def insert_run(connection: sqlite3.Connection, *, fingerprint: int, at: float) -> int:
    """A new run without entries; returns its number."""
    run = connection.execute(
        "INSERT INTO runs (fingerprint, opened_at) VALUES (?, ?)", (fingerprint, at)
    ).lastrowid
    assert run is not None  # an INSERT that did not fail has one
    return run


def add(
    connection: sqlite3.Connection, summary: RunSummary, bodies: Sequence[str], *, at: float
) -> None:
    """The newest entries of a run, and the summary that they lead to."""
    first = summary.entries - len(bodies) + 1
    connection.executemany(
        "INSERT INTO events (run, sequence, at, body) VALUES (?, ?, ?, ?)",
        [(summary.run, sequence, at, body) for sequence, body in enumerate(bodies, first)],
    )
    connection.execute(
        "UPDATE runs SET arms = :arms, ended_at = :ended_at, outcome = :outcome, "
        "best_arm = :best_arm, entries = :entries WHERE run = :run",
        asdict(summary),
    )


def summary_of(connection: sqlite3.Connection, run: int) -> RunSummary | None:
    """One run at a glance; None if there is no such run."""
    if not 0 < run <= _LARGEST:
        return None
    row = connection.execute(f"SELECT {_COLUMNS} FROM runs WHERE run = ?", (run,)).fetchone()
    return None if row is None else _summary(row)


def summaries(connection: sqlite3.Connection) -> list[RunSummary]:
    """All runs at a glance, the newest first; reads no events."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM runs ORDER BY run DESC")
    return [_summary(row) for row in rows]


def page(connection: sqlite3.Connection, run: int, *, after: int, end: int) -> list[Row]:
    """The next entries of a run above `after` and up to `end`, at most PAGE of them."""
    return connection.execute(
        "SELECT sequence, at, body FROM events "
        "WHERE run = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?",
        (run, after, end, PAGE),
    ).fetchall()


def _summary(
    row: tuple[int, int, int, float, float | None, str | None, str | None, int],
) -> RunSummary:
    run, fingerprint, arms, opened_at, ended_at, outcome, best_arm, entries = row
    return RunSummary(
        run=run,
        fingerprint=fingerprint,
        arms=arms,
        opened_at=opened_at,
        ended_at=ended_at,
        outcome=outcome,
        best_arm=best_arm,
        entries=entries,
    )
