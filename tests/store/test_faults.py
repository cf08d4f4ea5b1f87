"""What SQLite reports in the middle of work: each its own StoreError, and nothing lost."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bitarm.core.events import CaveatNoted, RunOpened
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal, faults
from bitarm.store.connection import connect_writer
from bitarm.store.schema import VERSION

Notes = Callable[..., list[CaveatNoted]]
Open = Callable[..., SqliteJournal]


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def texts(journal: SqliteJournal, run: int) -> list[str]:
    return [e.event.text for e in journal.read(run) if isinstance(e.event, CaveatNoted)]


@pytest.fixture
def run(open_journal: Open, opened: RunOpened, notes: Notes) -> int:
    """A run with three entries, in a file that nobody has open."""
    journal = open_journal()
    run = journal.open_run(opened)
    journal.append(run, notes("a", "b"))
    journal.close()
    return run


class TestLocked:
    @pytest.fixture
    def other(self, path: Path, run: int) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            yield other

    def test_an_append_waits_then_is_refused_and_can_be_repeated(
        self, open_journal: Open, other: sqlite3.Connection, run: int, notes: Notes
    ) -> None:
        journal = open_journal()
        assert texts(journal, run) == ["a", "b"]
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="is locked by another process"):
            journal.append(run, notes("c"))
        assert texts(journal, run) == ["a", "b"]  # a writer does not keep readers out
        other.execute("ROLLBACK")
        journal.append(run, notes("c"))
        assert texts(journal, run) == ["a", "b", "c"]

    def test_opening(self, path: Path, open_journal: Open, other: sqlite3.Connection) -> None:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        for read_only in (False, True):
            with pytest.raises(StoreError, match="is locked by another process") as caught:
                open_journal(read_only=read_only)
            assert str(path) in str(caught.value)


class TestDiskFull:
    def test_the_transaction_that_found_no_room_is_undone(
        self, path: Path, opened: RunOpened, notes: Notes
    ) -> None:
        connection = connect_writer(path, patience=0.05)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 8}")
        journal = SqliteJournal(connection, path, clock=lambda: 1.0, read_only=False)
        run = journal.open_run(opened)
        journal.append(run, notes("a"))
        for _ in range(2):
            with pytest.raises(StoreError, match=r"has no room left: the disk is full") as caught:
                journal.append(run, notes("b", *("x" * 1000 for _ in range(100))))
        assert str(path) in str(caught.value)
        assert texts(journal, run) == ["a"]
        connection.execute("PRAGMA max_page_count = 100000")
        journal.append(run, notes("c"))
        assert texts(journal, run) == ["a", "c"]
        journal.close()


class TestDamage:
    @pytest.fixture
    def long_run(self, open_journal: Open, opened: RunOpened, run: int, notes: Notes) -> int:
        """A run that fills many pages, beside the short one."""
        journal = open_journal()
        long_run = journal.open_run(opened)
        journal.append(long_run, notes(*(f"{number} {'x' * 500}" for number in range(2000))))
        journal.close()
        return long_run

    def test_found_in_the_middle_of_reading(
        self, path: Path, open_journal: Open, run: int, long_run: int
    ) -> None:
        content = bytearray(path.read_bytes())
        middle = len(content) // 8192 * 4096
        content[middle : middle + 4096] = b"\xa5" * 4096
        path.write_bytes(content)
        journal = open_journal(read_only=True)
        entries = journal.read(long_run)
        got: list[int] = []
        with pytest.raises(StoreError, match=r"is damaged.*restore a backup") as caught:
            got.extend(entry.sequence for entry in entries)
        assert str(path) in str(caught.value)
        assert got == list(range(1, len(got) + 1))
        assert 256 <= len(got) < 2000  # the pages before the damage were handed out
        assert texts(journal, run) == ["a", "b"]
        assert [summary.run for summary in journal.runs()] == [long_run, run]

    def test_a_file_cut_in_half(self, path: Path, open_journal: Open, long_run: int) -> None:
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        with pytest.raises(StoreError, match="is damaged"):
            list(open_journal(read_only=True).read(long_run))

    @pytest.mark.parametrize(
        "body",
        [
            "",
            "{",
            "null",
            '{"name":"no_such_event"}',
            '{"name":["run_opened"]}',
            '{"name":"caveat_noted"}',
            '{"name":"caveat_noted","text":1}',
            "[" * 100_000,
            b"\xff\x00",
            7,
        ],
    )
    def test_a_body_that_does_not_parse(
        self, path: Path, open_journal: Open, run: int, body: object
    ) -> None:
        change(path, "UPDATE events SET body = ? WHERE sequence = 2", body)
        journal = open_journal()
        entries = journal.read(run)
        assert next(entries).sequence == 1
        with pytest.raises(StoreError, match=f"run {run}, entry 2 is no event") as caught:
            next(entries)
        assert str(path) in str(caught.value)
        assert [entry.sequence for entry in journal.read(run, after=2)] == [3]

    def test_text_that_is_no_text(self, path: Path, open_journal: Open, run: int) -> None:
        change(path, "UPDATE events SET body = CAST(x'ff00fe' AS TEXT) WHERE sequence = 2")
        with pytest.raises(StoreError, match=r"journal\.sqlite"):
            list(open_journal().read(run))

    def test_an_event_that_no_learner_has(self, path: Path, open_journal: Open, run: int) -> None:
        body = '{"arm":0,"message":1,"name":"request_taken","until":2}'
        change(path, "UPDATE events SET body = ? WHERE sequence = 2", body)
        with pytest.raises(StoreError, match=r"entry 2 is no event .*'request_taken'"):
            list(open_journal().read(run))

    @pytest.mark.parametrize("missing", [1, 2, 3])
    def test_a_missing_entry(self, path: Path, open_journal: Open, run: int, missing: int) -> None:
        change(path, "DELETE FROM events WHERE sequence = ?", missing)
        with pytest.raises(StoreError, match=f"run {run} lacks entry {missing}"):
            list(open_journal().read(run))


def test_a_file_migrated_by_a_newer_program_meanwhile(
    path: Path, open_journal: Open, run: int, notes: Notes
) -> None:
    journal = open_journal()
    list(journal.read(run))
    change(path, f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoreError, match=f"has version {VERSION + 1}"):
        journal.append(run, notes("c"))
    assert texts(journal, run) == ["a", "b"]


class TestWhatSqliteSays:
    def test_every_known_code_has_its_own_words(self, path: Path) -> None:
        said = set()
        for code in faults._MEANINGS:
            error = sqlite3.OperationalError("the original words")
            error.sqlite_errorcode = code | 3 << 8  # an extended code means what it refines
            message = str(faults.store_error(path, error))
            assert message.startswith(f"{path} ")
            assert message.endswith("(SQLite: the original words)")
            said.add(message)
        assert len(said) == len(faults._MEANINGS)

    def test_an_unknown_one_is_quoted(self, path: Path) -> None:
        error = sqlite3.ProgrammingError("something new")
        assert "SQLite says something new" in str(faults.store_error(path, error))
