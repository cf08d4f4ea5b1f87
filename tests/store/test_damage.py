"""Rows, texts and tables that this program never wrote: each a StoreError that names the file."""

import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from docs_blocks import blocks_run_by
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bitarm.core.events import RunOpened
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal

Open = Callable[..., SqliteJournal]

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20),
    st.binary(max_size=20),
)
PLACES = st.sampled_from(
    [
        *(("runs", column) for column in ("run", "fingerprint", "opened_at", "arms")),
        *(("runs", column) for column in ("ended_at", "outcome", "best_arm", "entries")),
        *(("events", column) for column in ("run", "sequence", "at", "body")),
    ]
)


@pytest.fixture
def kept(path: Path, open_journal: Open, opened: RunOpened, notes: Callable[..., Any]) -> Path:
    """A journal with two runs, which nobody has open."""
    journal = open_journal()
    for _ in range(2):
        journal.append(journal.open_run(opened), notes("a", "b"))
    journal.close()
    return path


def _change(path: Path, *statements: str, values: tuple[object, ...] = ()) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement, values)
        connection.commit()


def _use(path: Path) -> None:
    """Do with a journal all that one can: whatever is wrong must come out as a StoreError."""
    with closing(SqliteJournal.open_read_only(path)) as journal:
        for run in journal.runs():
            f"{run.fingerprint:08x} {run.arms:,} {run.entries:,}".encode()
            entries = list(journal.read(run.run))
            assert all(entry.at >= 0 for entry in entries)
    with closing(SqliteJournal.open(path)) as journal:
        for run in journal.runs():
            events = [entry.event for entry in journal.read(run.run)]
            # A run that seems to have one entry ends with its opening, which none may append.
            journal.append(run.run, [one for one in events if not isinstance(one, RunOpened)][-1:])


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(place=PLACES, value=VALUES, row=st.integers(0, 1))
def test_any_value_in_any_column_is_read_or_refused(
    kept: Path, place: tuple[str, str], value: object, row: int
) -> None:
    table, column = place
    copy = kept.with_name("copy.sqlite")
    shutil.copy(kept, copy)
    key = "run" if table == "runs" else "sequence"
    try:
        _change(
            copy,
            f"UPDATE {table} SET {column} = ? WHERE run = 1 AND {key} = {1 + row * (key != 'run')}",
            values=(value,),
        )
    except sqlite3.Error:
        return  # SQLite itself does not keep such a value there
    why = ""
    try:
        _use(copy)
    except StoreError as error:
        why = str(error)
    assert not why or why.startswith(str(copy))


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE runs SET fingerprint = 'x' WHERE run = 1", r"run 1: fingerprint cannot be 'x'"),
        ("UPDATE runs SET entries = x'ff' WHERE run = 1", r"run 1: entries cannot be b'\xff'"),
        ("UPDATE runs SET opened_at = 1e300 WHERE run = 2", "run 2: opened_at cannot be 1e+300"),
        ("UPDATE runs SET outcome = 'won' WHERE run = 2", "run 2: outcome cannot be 'won'"),
        ("UPDATE events SET at = 'noon' WHERE run = 1", "run 1, entry 1: at cannot be 'noon'"),
        ("UPDATE events SET body = cast(x'fffe' AS TEXT)", "decode to UTF-8"),
    ],
)
def test_a_damaged_row_is_named_with_what_to_do(kept: Path, statement: str, why: str) -> None:
    _change(kept, statement)
    with pytest.raises(StoreError) as caught:
        _use(kept)
    assert str(caught.value).startswith(f"{kept} is damaged: ")
    assert why in str(caught.value)
    assert "restore a backup" in str(caught.value)


@pytest.mark.parametrize(
    "statements",
    [
        ["DROP TABLE events"],
        ["DROP TABLE runs"],
        ["ALTER TABLE runs RENAME COLUMN entries TO rows"],
        ["ALTER TABLE events DROP COLUMN body"],
        ["ALTER TABLE runs RENAME TO old", "CREATE VIEW runs AS SELECT run FROM old"],
    ],
)
@pytest.mark.parametrize("how", [SqliteJournal.open, SqliteJournal.open_read_only])
def test_other_tables_are_refused_before_anything_is_done(
    kept: Path, statements: list[str], how: Callable[[Path], SqliteJournal]
) -> None:
    _change(kept, *statements)
    with pytest.raises(StoreError, match=r"has not the tables of a journal.*restore a backup"):
        how(kept)


def test_entries_that_the_list_of_runs_does_not_know_of(
    kept: Path, open_journal: Open, notes: Callable[..., Any]
) -> None:
    _change(kept, "UPDATE runs SET entries = 1 WHERE run = 1")
    journal = open_journal()
    list(journal.read(1))
    with pytest.raises(StoreError, match="holds entries that its list of runs does not know of"):
        journal.append(1, notes("c"))


(_BACKUPS, _RESCUE) = blocks_run_by("tests/store/test_damage.py")


@pytest.mark.parametrize("words", _BACKUPS.commands, ids=" ".join)
def test_each_backup_of_docs_journal_md_is_a_journal(
    path: Path,
    open_journal: Open,
    opened: RunOpened,
    notes: Callable[..., Any],
    words: list[str],
) -> None:
    journal = open_journal()
    journal.append(journal.open_run(opened), notes("a", "b"))
    path.with_name("runs.sqlite").symlink_to(path)
    subprocess.run(words, cwd=path.parent, capture_output=True, check=True)  # while it is open
    with closing(SqliteJournal.open(path.with_name("copy.sqlite"))) as copy:
        assert [entry.event for entry in copy.read(1)] == [entry.event for entry in journal.read(1)]


def test_the_rescue_of_docs_journal_md_saves_what_is_left(
    path: Path, open_journal: Open, opened: RunOpened, notes: Callable[..., Any]
) -> None:
    journal = open_journal()
    journal.append(journal.open_run(opened), notes(*("x" * 200 for _ in range(400))))
    journal.close()
    page = path.rename(path.with_name("runs.sqlite"))
    with page.open("r+b") as file:
        file.seek(page.stat().st_size // 4096 // 2 * 4096)
        file.write(b"\xff" * 4096)
    subprocess.run(
        ["/bin/sh", "-c", _RESCUE.text], cwd=path.parent, capture_output=True, check=True
    )
    rescued = path.with_name("rescued.sqlite")
    with closing(SqliteJournal.open(rescued)) as saved:
        assert [run.run for run in saved.runs()] == [1]
    with closing(sqlite3.connect(rescued)) as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM events")
    assert 100 < count < 401


@pytest.mark.parametrize("read_only", [False, True])
def test_a_statement_that_is_no_text_any_more(
    kept: Path, open_journal: Open, *, read_only: bool
) -> None:
    """SQLite quotes it in its complaint, which then is no text either."""
    whole = kept.read_bytes()
    assert whole.count(b"CREATE TABLE runs") == 1
    kept.write_bytes(whole.replace(b"CREATE TABLE runs", b"CREATE T\xa4BLE runs"))
    with pytest.raises(StoreError, match="is damaged: something other than this program changed"):
        open_journal(read_only=read_only)
