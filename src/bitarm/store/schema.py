"""The SQL: the tables, how older ones are migrated to them, and runs and events as their rows.

An empty file is version 0, so a new file and an old one take the same road, and the schema is
written down nowhere else. A migration that was released is never edited. It reads events as plain
JSON of its own time, not through today's classes, which may have forgotten how to read them.

All functions work inside a transaction that the caller began. Runs are deleted whole or not at all,
and of what is written only a run's summary changes. Refuses to know files and locks.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from bitarm.core.journal import RunSummary
from bitarm.core.outcome import Outcome
from bitarm.errors import StoreError
from bitarm.store.faults import DamagedRowError

Migration = Callable[[sqlite3.Connection], None]
"""Brings the tables of one version to the next, inside a transaction."""

OLDEST = 4
"""Versions before this were never released: their events knew no questions, or others."""


def create_tables(connection: sqlite3.Connection) -> None:
    """Version 4: runs with a summary each, and their events."""
    # AUTOINCREMENT: a number is never used again, even if someone deletes the newest run by hand.
    connection.execute("""
        CREATE TABLE runs (
            run INTEGER PRIMARY KEY AUTOINCREMENT,
            fingerprint INTEGER NOT NULL,
            opened_at REAL NOT NULL,
            arms INTEGER NOT NULL DEFAULT 0,
            ended_at REAL,
            outcome TEXT,
            best_arm TEXT,
            entries INTEGER NOT NULL DEFAULT 0
        )
    """)
    # WITHOUT ROWID: a run's events lie beside one another, in order, and need no second index.
    connection.execute("""
        CREATE TABLE events (
            run INTEGER NOT NULL REFERENCES runs (run),
            sequence INTEGER NOT NULL,
            at REAL NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (run, sequence)
        ) WITHOUT ROWID
    """)


MIGRATIONS: tuple[Migration, ...] = (create_tables,)
"""Migration n leads to version OLDEST + n; the first also from nothing."""

VERSION = OLDEST + len(MIGRATIONS) - 1


def migrate(connection: sqlite3.Connection, found: int) -> None:
    """Bring a file from version `found` to VERSION, inside the caller's transaction."""
    for bring_up in MIGRATIONS[found - OLDEST + 1 if found else 0 :]:
        bring_up(connection)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def refuse_too_old(found: int) -> None:
    """Refuse a file of a version that no migration begins at."""
    if 0 < found < OLDEST:
        raise StoreError(
            f"it has version {found} of the journal's format, and this program reads versions from "
            f"{OLDEST} on. It was left as it is; choose another path for new runs, and read this "
            "one with the version of bitarm that wrote it"
        )


PAGE = 256
"""Entries fetched at a time: a slow reader must not hold a transaction open."""

Row = tuple[int, float, object]
"""Sequence number, time and body of one entry, as found."""

_COLUMNS = "run, fingerprint, arms, opened_at, ended_at, outcome, best_arm, entries"

_END_OF_TIME = 253402300800.0  # the year 10000, in seconds: no calendar here goes further

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


def require_tables(connection: sqlite3.Connection) -> None:
    """Ask for every column, of no row: SQLite refuses if one is missing."""
    connection.execute(f"SELECT {_COLUMNS} FROM runs LIMIT 0")
    connection.execute("SELECT run, sequence, at, body FROM events LIMIT 0")


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
    rows = connection.execute(
        "SELECT sequence, at, body FROM events "
        "WHERE run = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?",
        (run, after, end, PAGE),
    ).fetchall()
    for sequence, at, _ in rows:
        _require_moment(run, sequence, at)
    return rows


def newest_at(connection: sqlite3.Connection, run: int) -> float | None:
    """When the newest entry of a run was written; None if it has none. Reads no event."""
    row = connection.execute(
        "SELECT sequence, at FROM events WHERE run = ? ORDER BY sequence DESC LIMIT 1", (run,)
    ).fetchone()
    if row is None:
        return None
    sequence, at = row
    _require_moment(run, sequence, at)
    return float(at)


def sizes(connection: sqlite3.Connection) -> dict[int, int]:
    """The bytes of all events of each run, as text; reads every one of them."""
    size = "sum(length(CAST(body AS BLOB)))"
    rows = connection.execute(f"SELECT run, {size} FROM events GROUP BY run")
    return {run: size for run, size in rows if isinstance(size, int)}


def delete(connection: sqlite3.Connection, run: int) -> None:
    """Forget a run; its number is not used again."""
    connection.execute("DELETE FROM events WHERE run = ?", (run,))
    connection.execute("DELETE FROM runs WHERE run = ?", (run,))


def _require_moment(run: int, sequence: object, at: object) -> None:
    if not _is_moment(at):
        raise DamagedRowError(f"run {run}, entry {sequence}: at cannot be {at!r:.40}")


def _summary(row: tuple[Any, ...]) -> RunSummary:
    """A row as the summary that it must be: a file may hold anything in any column."""
    found = dict(zip(_COLUMNS.split(", "), row, strict=True))
    for column, value in found.items():
        if not _FITS[column](value):
            raise DamagedRowError(f"run {row[0]!r:.40}: {column} cannot be {value!r:.40}")
    return RunSummary(**found)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_moment(value: object) -> bool:
    return isinstance(value, float) and 0 <= value < _END_OF_TIME


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


_FITS: dict[str, Callable[[object], bool]] = {
    "run": _is_count,
    "fingerprint": lambda value: _is_count(value) and value < 1 << 32,  # type: ignore[operator]
    "arms": _is_count,
    "opened_at": _is_moment,
    "ended_at": lambda value: value is None or _is_moment(value),
    "outcome": lambda value: value is None or value in {outcome.value for outcome in Outcome},
    "best_arm": _is_text,
    "entries": _is_count,
}
