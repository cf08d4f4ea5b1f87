"""SQLite's errors as StoreErrors: what happened to which file, whose doing it is, what to do.

Refuses to know what was being done: after any of these the file holds what it held before.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bitarm.errors import StoreError

_PRIMARY = 0xFF  # the low byte of an extended result code is the code that it refines

_DAMAGED = (
    "is damaged: something other than this program changed it, or the disk did. "
    "Keep the file, restore a backup, or rescue what is left with sqlite3's .dump"
)

_OTHER_TABLES = (
    "has not the tables of a journal: something other than this program changed them. "
    "Keep the file, and restore a backup"
)

_MEANINGS: dict[int, str] = {
    sqlite3.SQLITE_ERROR: _OTHER_TABLES,
    sqlite3.SQLITE_CONSTRAINT: (
        "holds entries that its list of runs does not know of: something other than this program "
        "changed it. Nothing was added; keep the file, and restore a backup"
    ),
    sqlite3.SQLITE_BUSY: (
        "is locked by another process. Wait for it to finish, or stop it, and try again"
    ),
    sqlite3.SQLITE_LOCKED: "is locked by another use of it in this process; try again",
    sqlite3.SQLITE_READONLY: (
        "cannot be written: the file, its folder or the disk is read-only for this user. "
        "Change the permissions or choose another path; readers can still open it"
    ),
    sqlite3.SQLITE_PERM: "may not be used by this user. Change the permissions of the file",
    sqlite3.SQLITE_IOERR: (
        "could not be read or written: the disk failed. Check the disk, then try again"
    ),
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_FULL: (
        "has no room left: the disk is full. Nothing of the last step was kept, all before it was; "
        "free some space and try again"
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened: this user may not read it, or may not create files beside it. "
        "Change the permissions or choose another path"
    ),
    sqlite3.SQLITE_NOTADB: (
        "is not a journal: the file is no SQLite database. It was left as it is; "
        "choose another path"
    ),
}


class DamagedRowError(Exception):
    """A row holds what this program never writes; its text says which and what."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn whatever SQLite raises inside, and rows that are damaged, into StoreErrors on `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(path, error) from error
    except DamagedRowError as error:
        raise StoreError(f"{path} {_DAMAGED} ({error})") from error
    except UnicodeDecodeError as error:  # by Python's module: SQLite quotes what is no text
        raise StoreError(f"{path} {_DAMAGED}") from error


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """The StoreError that says what `error` means."""
    meaning = _MEANINGS.get(result_code(error))
    if meaning is None and isinstance(error, sqlite3.OperationalError) and not result_code(error):
        meaning = _DAMAGED  # Python's module itself: a text that is none
    if meaning is None:
        return StoreError(f"{path} cannot be used as a journal: SQLite says {error}")
    return StoreError(f"{path} {meaning} (SQLite: {error})")


def result_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 where Python's module raised by itself."""
    code: int = getattr(error, "sqlite_errorcode", 0)  # absent then: there is no other way to ask
    return code & _PRIMARY
