"""Which versions of the file are read: those before questions are refused, and left as they are."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bitarm.core.events import RunOpened
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal
from bitarm.store.connection import APPLICATION_ID
from bitarm.store.schema import OLDEST, VERSION

Open = Callable[..., SqliteJournal]

_SUMMARIES = (
    "arms INTEGER NOT NULL DEFAULT 0",
    "ended_at REAL",
    "outcome TEXT",
    "best_arm TEXT",
    "entries INTEGER NOT NULL DEFAULT 0",
)
_EVENTS = (
    {"name": "run_opened", "spec": {"arms": ["a", "b"]}},
    {"name": "round_opened", "round": 1, "advances": [{"arm": 0, "until": 2}]},
)


def _write_old(path: Path, version: int) -> None:
    """A file as that version left it: runs, events in the words of their time, a log folded in."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        columns = ", ".join(_SUMMARIES) if version == 2 else ""
        connection.execute(
            "CREATE TABLE runs (run INTEGER PRIMARY KEY AUTOINCREMENT, "
            f"fingerprint INTEGER NOT NULL, opened_at REAL NOT NULL{columns and ', '}{columns})"
        )
        connection.execute(
            "CREATE TABLE events (run INTEGER NOT NULL REFERENCES runs (run), "
            "sequence INTEGER NOT NULL, at REAL NOT NULL, body TEXT NOT NULL, "
            "PRIMARY KEY (run, sequence)) WITHOUT ROWID"
        )
        connection.execute("INSERT INTO runs (fingerprint, opened_at) VALUES (7, 1.5)")
        for sequence, event in enumerate(_EVENTS, start=1):
            connection.execute(
                "INSERT INTO events VALUES (1, ?, 1.5, ?)", (sequence, json.dumps(event))
            )
        connection.execute(f"PRAGMA user_version = {version}")


def _dump(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("how", ["to write", "to read"])
def test_a_version_that_was_never_released_is_refused_and_left_as_it_is(
    path: Path, open_journal: Open, version: int, how: str
) -> None:
    _write_old(path, version)
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        open_journal(read_only=how == "to read")
    assert str(caught.value) == (
        f"{path} cannot be read: it has version {version} of the journal's format, and this "
        "program reads versions from 4 on. It was left as it is; choose another path for new "
        "runs, and read this one with the version of bitarm that wrote it"
    )
    assert path.read_bytes() == before
    log = path.with_name(path.name + "-wal")  # a reader makes one, and leaves it empty
    assert not log.exists() or not log.stat().st_size


def test_a_new_file_has_the_present_version(path: Path, open_journal: Open) -> None:
    open_journal().close()
    assert _dump(path, "PRAGMA user_version") == [(VERSION,)]
    assert _dump(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert OLDEST <= VERSION


def test_a_file_that_is_opened_again_is_not_made_anew(
    path: Path, open_journal: Open, opened: RunOpened
) -> None:
    journal = open_journal()
    run = journal.open_run(opened)
    journal.close()
    before = _dump(path, "SELECT type, name, sql FROM sqlite_master ORDER BY name")
    again = open_journal()
    assert [entry.event for entry in again.read(run)] == [opened]
    assert _dump(path, "SELECT type, name, sql FROM sqlite_master ORDER BY name") == before


def test_a_newer_version_is_refused_by_both_numbers(path: Path, open_journal: Open) -> None:
    open_journal().close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    for read_only in (False, True):
        with pytest.raises(
            StoreError, match=rf"has version {VERSION + 1} .* up to {VERSION}.* upgrade"
        ):
            open_journal(read_only=read_only)
    assert _dump(path, "PRAGMA user_version") == [(VERSION + 1,)]
