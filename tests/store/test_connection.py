"""Opening: what is created, what is refused, and with which promises a file is written."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import cast

import pytest

from bitarm.core.events import CaveatNoted, RunOpened
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal
from bitarm.store.connection import APPLICATION_ID, _use_write_ahead_log, connect_writer

Notes = Callable[..., list[CaveatNoted]]
Open = Callable[..., SqliteJournal]
NOBODY = 65534


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


class TestWriter:
    def test_creates_file_and_folders(self, tmp_path: Path) -> None:
        path = tmp_path / "a b" / "100% ?#" / "journal.sqlite"
        SqliteJournal.open(str(path)).close()
        assert [file.name for file in path.parent.iterdir()] == ["journal.sqlite"]

    def test_a_commit_is_on_the_disk_before_it_is_acknowledged(self, path: Path) -> None:
        with closing(connect_writer(path, patience=0.25)) as connection:
            assert pragma(connection, "journal_mode") == "wal"
            assert pragma(connection, "synchronous") == 2  # FULL
            assert pragma(connection, "foreign_keys") == 1
            assert pragma(connection, "busy_timeout") == 250
            assert pragma(connection, "application_id") == APPLICATION_ID == 0x4241726D

    def test_an_empty_file_becomes_a_journal(self, path: Path, open_journal: Open) -> None:
        path.touch()
        assert open_journal().runs() == []

    def test_a_number_is_not_used_again_even_if_its_run_was_deleted_by_hand(
        self, path: Path, open_journal: Open, opened: RunOpened
    ) -> None:
        journal = open_journal()
        assert [journal.open_run(opened), journal.open_run(opened)] == [1, 2]
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DELETE FROM events WHERE run = 2")
            connection.execute("DELETE FROM runs WHERE run = 2")
            connection.commit()
        assert journal.open_run(opened) == 3


class TestReader:
    def test_reads_what_a_writer_keeps_meanwhile(
        self, open_journal: Open, opened: RunOpened, notes: Notes
    ) -> None:
        writer = open_journal()
        run = writer.open_run(opened)
        reader = open_journal(read_only=True)
        assert len(list(reader.read(run))) == 1
        writer.append(run, notes("a"))
        assert [entry.event for entry in reader.read(run, after=1)] == notes("a")
        assert reader.runs() == writer.runs()

    def test_a_slow_reader_does_not_hold_the_writer_up(
        self, open_journal: Open, opened: RunOpened, notes: Notes
    ) -> None:
        writer = open_journal()
        run = writer.open_run(opened)
        writer.append(run, notes(*range(600)))
        entries = open_journal(read_only=True).read(run)
        next(entries)
        writer.append(run, notes("a"))
        assert len(list(entries)) == 600

    def test_cannot_write(self, open_journal: Open, opened: RunOpened, notes: Notes) -> None:
        run = open_journal().open_run(opened)
        reader = open_journal(read_only=True)
        for use in (lambda: reader.open_run(opened), lambda: reader.append(run, notes("a"))):
            with pytest.raises(StoreError, match="opened for reading: to write, use"):
                use()

    def test_creates_nothing(self, path: Path, tmp_path: Path, open_journal: Open) -> None:
        with pytest.raises(StoreError, match="there is no journal at"):
            open_journal(read_only=True)
        assert list(tmp_path.iterdir()) == []
        path.touch()
        with pytest.raises(StoreError, match="holds no journal yet"):
            open_journal(read_only=True)
        assert path.read_bytes() == b""


@pytest.mark.parametrize("read_only", [False, True])
class TestFilesThatAreNotOurs:
    def refused(self, open_journal: Open, path: Path, *, read_only: bool, why: str) -> None:
        before = path.read_bytes()
        with pytest.raises(StoreError, match=why) as caught:
            open_journal(read_only=read_only)
        assert str(path) in str(caught.value)
        assert path.read_bytes() == before

    def test_a_text(self, path: Path, open_journal: Open, *, read_only: bool) -> None:
        path.write_text("Dear diary,\n" * 200)
        self.refused(open_journal, path, read_only=read_only, why="is not a journal.*left as it is")

    @pytest.mark.parametrize("application", [0, 7, -7])
    def test_a_database_of_another_program(
        self, path: Path, open_journal: Open, application: int, *, read_only: bool
    ) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE runs (run)")
            connection.execute(f"PRAGMA application_id = {application}")
        self.refused(open_journal, path, read_only=read_only, why="of another program: its appl")

    def test_a_folder(self, path: Path, open_journal: Open, *, read_only: bool) -> None:
        path.mkdir()
        with pytest.raises(StoreError, match="is a folder, a journal is a file"):
            open_journal(read_only=read_only)
        assert list(path.iterdir()) == []

    def test_a_pipe(self, path: Path, open_journal: Open, *, read_only: bool) -> None:
        os.mkfifo(path)
        with pytest.raises(StoreError, match="is a pipe or a device, a journal is a file"):
            open_journal(read_only=read_only)


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"the folder of .* cannot be created"):
        SqliteJournal.open(tmp_path / "file" / "journal.sqlite")
    with pytest.raises(StoreError, match="there is no journal at"):
        SqliteJournal.open_read_only(tmp_path / "file" / "journal.sqlite")


def test_a_place_without_a_write_ahead_log(path: Path) -> None:
    # SQLite's in-memory file system is one, as a network share is.
    with (
        closing(sqlite3.connect(":memory:")) as memory,
        pytest.raises(StoreError, match=r"offers memory.*choose a path on a local disk"),
    ):
        _use_write_ahead_log(memory, path, patience=0.0)


class Racing:
    """A connection that finds the file locked a few times: as when two processes create it.

    SQLite does not wait by itself when both switch to the log, about once in a thousand times.
    """

    def __init__(self, connection: sqlite3.Connection, *, refusals: int) -> None:
        self.connection = connection
        self.refusals = refusals

    def execute(self, statement: str) -> sqlite3.Cursor:
        if self.refusals:
            self.refusals -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return self.connection.execute(statement)


def test_processes_that_create_one_file_wait_for_each_other_but_not_forever(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        racing = Racing(connection, refusals=4)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            _use_write_ahead_log(cast("sqlite3.Connection", racing), path, patience=-1.0)
        assert racing.refusals == 3
        _use_write_ahead_log(cast("sqlite3.Connection", racing), path, patience=5.0)
        assert pragma(connection, "journal_mode") == "wal"


def test_backups_made_while_a_run_goes_on_are_journals(
    tmp_path: Path, path: Path, open_journal: Open, opened: RunOpened, notes: Notes
) -> None:
    journal = open_journal()
    journal.append(journal.open_run(opened), notes("a"))
    copies = [tmp_path / "backup.sqlite", tmp_path / "vacuum.sqlite"]
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copies[0])) as target:
        source.backup(target)
        source.execute("VACUUM INTO ?", (str(copies[1]),))
    for copy in copies:
        for how in (SqliteJournal.open_read_only, SqliteJournal.open):
            with closing(how(copy)) as again:
                assert again.runs() == journal.runs()
                assert list(again.read(1)) == list(journal.read(1))


class TestWithoutPermission:
    """Root may write anything, so these act as a user who may not."""

    @pytest.fixture
    def folder(self) -> Iterator[Path]:
        # Not tmp_path: its parents are closed to other users.
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            folder.chmod(0o755)
            yield folder
            folder.chmod(0o755)

    @pytest.fixture
    def path(self, folder: Path, opened: RunOpened, notes: Notes) -> Path:
        path = folder / "journal.sqlite"
        with closing(SqliteJournal.open(path)) as journal:
            journal.append(journal.open_run(opened), notes("a"))
        return path

    @contextmanager
    def unprivileged(self) -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        try:
            os.seteuid(NOBODY)
        except OSError as error:
            pytest.skip(f"cannot give up root here: {error}")
        try:
            yield
        finally:
            os.seteuid(0)

    def refused(self, path: Path, why: str) -> None:
        with self.unprivileged(), pytest.raises(StoreError, match=why) as caught:
            SqliteJournal.open(path)
        assert str(path) in str(caught.value)

    def test_a_read_only_file_is_refused_when_opened_not_when_used(self, path: Path) -> None:
        path.chmod(0o444)
        path.parent.chmod(0o777)
        self.refused(path, "cannot be written: the file, its folder or the disk is read-only")

    def test_a_read_only_folder(self, path: Path) -> None:
        path.chmod(0o666)
        path.parent.chmod(0o555)
        self.refused(path, "permissions or choose another path")
        self.refused(path.with_name("new.sqlite"), "permissions or choose another path")
        self.refused(path.parent / "new" / "journal.sqlite", "the folder of .* cannot be created")

    def test_a_file_that_may_not_be_read(self, path: Path) -> None:
        path.chmod(0)
        with self.unprivileged(), pytest.raises(StoreError, match="this user may not read it"):
            SqliteJournal.open_read_only(path)

    def test_a_journal_in_a_read_only_folder_can_be_read(self, path: Path, notes: Notes) -> None:
        path.chmod(0o444)
        path.parent.chmod(0o555)
        with self.unprivileged(), closing(SqliteJournal.open_read_only(path)) as journal:
            assert [entry.event for entry in journal.read(1, after=1)] == notes("a")

    def test_also_while_it_is_written(self, path: Path, notes: Notes) -> None:
        path.chmod(0o644)  # as its owner may: it was made for nobody else
        with closing(SqliteJournal.open(path)) as writer:
            path.parent.chmod(0o555)
            list(writer.read(1))
            writer.append(1, notes("b"))
            with self.unprivileged(), closing(SqliteJournal.open_read_only(path)) as journal:
                assert [entry.event for entry in journal.read(1, after=1)] == notes("a", "b")
