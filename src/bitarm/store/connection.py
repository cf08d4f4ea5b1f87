"""Connections to a journal's file: whose file it is, which version, and how safely it is written.

Refuses to know runs and events. Nothing is written to a file before it is known to be ours.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from bitarm.errors import StoreError
from bitarm.store.faults import explained, result_code
from bitarm.store.privacy import create_private, warn_if_public
from bitarm.store.schema import VERSION, migrate, refuse_too_old, require_tables

APPLICATION_ID = int.from_bytes(b"BArm")
"""What SQLite's header says of our files; `file` and other programs can read it too."""

# What a reader gets that cannot create the log's index.
_NO_INDEX = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def connect_writer(path: Path, *, patience: float) -> sqlite3.Connection:
    """A connection that may write; creates what is missing, migrates what is old.

    `patience` is how many seconds to wait for another process that is writing.
    """
    _refuse_other_things(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the folder of {path} cannot be created: {error.strerror}. Choose another path, "
            "or create the folder with permission to write in it"
        ) from error
    create_private(path)
    with explained(path):
        connection = _connect(path, "mode=rwc", patience=patience)
        try:
            with transaction(connection, begin="BEGIN"):
                found_version(connection, path)
            _use_write_ahead_log(connection, path, patience=patience)
            # FULL: each commit is on the disk before it is acknowledged, not only at checkpoints.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            _bring_up_to_date(connection, path)
        except BaseException:
            connection.close()
            raise
    warn_if_public(path)
    return connection


def connect_reader(path: Path, *, patience: float) -> sqlite3.Connection:
    """A connection that cannot write, to a file that exists and has the current version."""
    _refuse_other_things(path)
    if is_missing(path):
        raise StoreError(f"there is no journal at {path}: check the path, or begin a run there")
    with explained(path):
        try:
            return _checked_reader(path, "mode=ro", patience=patience)
        except sqlite3.OperationalError as error:
            # A reader of a write-ahead log needs an index file beside it, which it cannot create
            # in a read-only folder. Without a log there is nothing in it to read: the file alone
            # is the whole journal, and nobody is writing it.
            log = path.with_name(path.name + "-wal")
            if result_code(error) not in _NO_INDEX or os.path.exists(log):
                raise
        return _checked_reader(path, "mode=ro&immutable=1", patience=patience)


def is_missing(path: Path) -> bool:
    """Whether there is nothing at a path; what cannot be looked at is not missing."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # nobody may look there, or nothing can have such a name: SQLite's to say
    return False


def found_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the schema, 0 for an empty file; refuses files of others and other times.

    Inside a transaction: all looks must see one state while another process creates the file.
    """
    assert connection.in_transaction
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if (application, version, objects) == (0, 0, 0):
        return 0
    if application != APPLICATION_ID:
        raise StoreError(
            f"{path} is a SQLite database of another program: its application_id is "
            f"{application & 0xFFFFFFFF:#010x}, a journal's is {APPLICATION_ID:#010x}. "
            "It was left as it is; choose another path"
        )
    try:
        refuse_too_old(version)
    except StoreError as error:
        raise StoreError(f"{path} cannot be read: {error}") from None
    if version > VERSION:
        raise StoreError(
            f"{path} has version {version} of the journal's format, this program knows versions "
            f"up to {VERSION}. It was left as it is; upgrade bitarm to read it"
        )
    return int(version)


@contextmanager
def transaction(
    connection: sqlite3.Connection, *, begin: Literal["BEGIN", "BEGIN IMMEDIATE"]
) -> Iterator[None]:
    """All that is done inside, or nothing.

    BEGIN reads one state of the file. BEGIN IMMEDIATE takes the write lock first, so that what is
    read inside stays true until it is committed.
    """
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite undoes some by itself, as on a full disk
            connection.execute("ROLLBACK")
        raise


def _connect(path: Path, options: str, *, patience: float) -> sqlite3.Connection:
    # A URI, because only a URI can say that nothing may be created. Transactions are begun by
    # hand (isolation_level None); threads take turns by the journal's lock.
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?{options}",
        uri=True,
        timeout=patience,
        isolation_level=None,
        check_same_thread=False,
    )


def _checked_reader(path: Path, options: str, *, patience: float) -> sqlite3.Connection:
    connection = _connect(path, options, patience=patience)
    try:
        with transaction(connection, begin="BEGIN"):
            _require_current(found_version(connection, path), path)
            require_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _require_current(version: int, path: Path) -> None:
    if version == 0:
        raise StoreError(f"{path} is empty, it holds no journal yet: begin a run there first")
    if version < VERSION:
        raise StoreError(
            f"{path} has version {version} of the journal's format, readers need {VERSION}: "
            "open it once for writing to migrate it"
        )


def _use_write_ahead_log(connection: sqlite3.Connection, path: Path, *, patience: float) -> None:
    """Let readers go on while one process writes; the file remembers it."""
    deadline = time.monotonic() + patience
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            # SQLite does not wait here when another process creates the same file.
            if result_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise StoreError(
                f"{path} lies where SQLite cannot keep a write-ahead log (it offers {mode}), "
                "as on a network share: choose a path on a local disk"
            )
        return


def _bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Migrate in one transaction: all steps or none."""
    # The version is read again, for another process may have come first. It is written even if it
    # is right: a file that cannot be written is refused now, not at the first event (to begin is
    # not enough, SQLite begins a transaction on a read-only file too).
    with transaction(connection, begin="BEGIN IMMEDIATE"):
        found = found_version(connection, path)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        migrate(connection, found)
        require_tables(connection)


def _refuse_other_things(path: Path) -> None:
    if os.path.isdir(path):  # not the path's own method, which fails where nobody may look
        raise StoreError(f"{path} is a folder, a journal is a file: add a file name")
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe: waited for, without end
        raise StoreError(f"{path} is a pipe or a device, a journal is a file: choose another path")
