"""The schema, as the migrations that lead to it from the oldest version that is still read.

An empty file is version 0, so a new file and an old one take the same road, and the schema is
written down nowhere else. A migration that was released is never edited. It reads events as plain
JSON of its own time, not through today's classes, which may have forgotten how to read them.
"""

import sqlite3
from collections.abc import Callable

from bitarm.errors import StoreError

Migration = Callable[[sqlite3.Connection], None]
"""Brings the tables of one version to the next, inside a transaction."""

OLDEST = 3
"""Versions before this were never released: their events knew no questions."""


def create_tables(connection: sqlite3.Connection) -> None:
    """Version 3: runs with a summary each, and their events."""
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
