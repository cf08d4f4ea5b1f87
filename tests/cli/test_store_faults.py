"""A store that cannot be used: exit code 1, a reason, and a file that is left as it was."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli.program import Command

from bitarm.store import SqliteJournal
from bitarm.store.schema import VERSION

_COMMANDS = ["identify --seed 1", "runs list", "runs show last", "runs replay 1", "runs export 1"]


def _assert_fault(command: Command, words: str, store: Path, message: str) -> None:
    before = store.read_bytes() if store.is_file() else None
    done = command(*words.split(), "--store", store)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("bitarm: ")
    assert message in done.err
    assert "Traceback" not in done.err
    assert before == (store.read_bytes() if store.is_file() else None)


@pytest.fixture
def journal_file(tmp_path: Path, bitarm: Command) -> Path:
    """A good journal with one run."""
    file = tmp_path / "journal.sqlite"
    assert bitarm("identify", "--seed", 1, "--store", file).code == 0
    return file


@pytest.mark.parametrize("words", _COMMANDS)
def test_a_file_that_is_no_database_is_left_alone(
    words: str, bitarm: Command, tmp_path: Path
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("buy milk\n" * 100, encoding="utf-8")
    _assert_fault(bitarm, words, file, "is not a journal: the file is no SQLite database")


@pytest.mark.parametrize("words", _COMMANDS)
def test_a_database_of_another_program_is_left_alone(
    words: str, bitarm: Command, tmp_path: Path
) -> None:
    file = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE cookies (name TEXT)")
    _assert_fault(bitarm, words, file, "is a SQLite database of another program")


@pytest.mark.parametrize("words", _COMMANDS)
def test_a_journal_of_a_newer_version_is_left_alone(
    words: str, bitarm: Command, journal_file: Path
) -> None:
    with closing(sqlite3.connect(journal_file)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    message = f"has version {VERSION + 1} of the journal's format"
    _assert_fault(bitarm, words, journal_file, message)


@pytest.mark.parametrize("words", ["runs show last", "runs replay 1", "runs export 1"])
def test_a_damaged_journal_says_so(words: str, bitarm: Command, journal_file: Path) -> None:
    content = bytearray(journal_file.read_bytes())
    for page in range(4096, len(content), 4096):  # all but the first: it still looks like ours
        content[page : page + 200] = os.urandom(200)
    journal_file.write_bytes(content)
    done = bitarm(*words.split(), "--store", journal_file)
    assert (done.code, done.out) == (1, "")
    assert "is damaged" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("words", _COMMANDS)
def test_a_folder_is_no_store(words: str, bitarm: Command, tmp_path: Path) -> None:
    _assert_fault(bitarm, words, tmp_path, "is a folder, a journal is a file: add a file name")


def test_the_shell_sees_exit_code_1(apart: Command, tmp_path: Path) -> None:
    _assert_fault(apart, "identify", tmp_path, "is a folder")


def test_a_locked_journal_is_not_written(
    bitarm: Command, journal_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SqliteJournal.open.__func__.__kwdefaults__, "patience", 0.5)  # type: ignore[attr-defined]
    with closing(sqlite3.connect(journal_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = bitarm("identify", "--seed", 2, "--store", journal_file)
        other.execute("ROLLBACK")
    assert (done.code, done.out) == (1, "")
    assert "is locked by another process. Wait for it to finish" in done.err
    with closing(SqliteJournal.open(journal_file)) as journal:
        assert [run.run for run in journal.runs()] == [1]


@pytest.mark.slow  # where it fails, it waits for the lock first
@pytest.mark.parametrize("words", ["list", "show last", "replay last", "export last"])
def test_past_runs_can_be_read_while_another_process_writes(
    words: str, bitarm: Command, journal_file: Path
) -> None:
    with closing(sqlite3.connect(journal_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = bitarm("runs", *words.split(), "--store", journal_file)
        other.execute("ROLLBACK")
    assert (done.code, done.err) == (0, "")
    assert "water-tower" in done.out


def test_looking_for_runs_creates_no_file(bitarm: Command, tmp_path: Path) -> None:
    file = tmp_path / "typo" / "runs.sqlite"
    for words in ("list", "show last", "replay 1", "export 1"):
        bitarm("runs", *words.split(), "--store", file)
        assert not file.exists()
