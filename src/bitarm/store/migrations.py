"""The schema, as the steps that lead to it: step n turns version n − 1 into version n.

An empty file is version 0, so a new file and an old one take the same road, and the schema is
written down nowhere else. A step that was released is never edited. It reads events as plain JSON
of its own time, not through today's classes, which may have forgotten how to read them.
"""

import json
import sqlite3
from collections.abc import Callable
from typing import Any

from bitarm.errors import StoreError

Step = Callable[[sqlite3.Connection], None]


def create_tables(connection: sqlite3.Connection) -> None:
    """Version 1: runs, and their events."""
    # AUTOINCREMENT: a number is never used again, even if someone deletes the newest run by hand.
    connection.execute("""
        CREATE TABLE runs (
            run INTEGER PRIMARY KEY AUTOINCREMENT,
            fingerprint INTEGER NOT NULL,
            opened_at REAL NOT NULL
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


def add_summaries(connection: sqlite3.Connection) -> None:
    """Version 2: a run at a glance, so that listing runs reads no events."""
    for column in (
        "arms INTEGER NOT NULL DEFAULT 0",
        "ended_at REAL",
        "outcome TEXT",
        "best_arm TEXT",
        "entries INTEGER NOT NULL DEFAULT 0",
    ):
        connection.execute(f"ALTER TABLE runs ADD COLUMN {column}")
    for (run,) in connection.execute("SELECT run FROM runs").fetchall():
        _summarise(connection, run)


MIGRATIONS: tuple[Step, ...] = (create_tables, add_summaries)
VERSION = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, found: int) -> None:
    """Bring a file from version `found` to VERSION, inside the caller's transaction."""
    for step in MIGRATIONS[found:]:
        step(connection)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _summarise(connection: sqlite3.Connection, run: int) -> None:
    """Fill the columns of version 2 from a run's events."""
    entries, last = connection.execute(
        "SELECT count(*), max(sequence) FROM events WHERE run = ?", (run,)
    ).fetchone()
    openings = _named(connection, run, "run_opened")
    endings = _named(connection, run, "run_ended")
    if not openings or entries != last:
        raise _unreadable(run, "an entry is missing")
    ended_at, ending = endings[-1] if endings else (None, {})
    try:
        arms = openings[0][1]["spec"]["arms"]
        best = ending.get("best_arm")
        summary = (len(arms), ended_at, ending.get("outcome"), None if best is None else arms[best])
    except (LookupError, TypeError) as error:
        raise _unreadable(run, f"its opening or its ending lacks {error}") from error
    connection.execute(
        "UPDATE runs SET arms = ?, ended_at = ?, outcome = ?, best_arm = ?, entries = ? "
        "WHERE run = ?",
        (*summary, entries, run),
    )


def _named(
    connection: sqlite3.Connection, run: int, name: str
) -> list[tuple[float, dict[str, Any]]]:
    """Time and content of the events with this name, in order."""
    # The text search spares parsing the others: quotes inside a JSON string would be escaped.
    rows = connection.execute(
        "SELECT at, body FROM events WHERE run = ? AND instr(body, ?) ORDER BY sequence",
        (run, f'"name":"{name}"'),
    ).fetchall()
    try:
        events = [(at, json.loads(body)) for at, body in rows]
    except (ValueError, TypeError, RecursionError) as error:
        raise _unreadable(run, str(error)) from error
    return [
        (at, event) for at, event in events if isinstance(event, dict) and event.get("name") == name
    ]


def _unreadable(run: int, why: str) -> StoreError:
    return StoreError(
        f"run {run} cannot be migrated: {why}. Nothing was changed; restore a backup, or stay with "
        "the version that wrote it"
    )
