"""Where runs are kept: a journal in memory, a journal in one SQLite file, and finding a run in it.

    MemoryJournal    for tests, and for runs that nobody needs afterwards
    SqliteJournal    one file; what was acknowledged survives a crash and a loss of power
    find_run         the run that a person means by "12", "a1b2c3d4" or "last"
    is_missing       whether there is no file yet: one that may not be looked at is not missing

Both implement `bitarm.core.journal.Journal`; the format is told in docs/journal.md. No module
here knows what an event means beyond how a run began and how it ended.

    memory, sqlite, find    these three
    schema, event_bodies    the tables, and events as the text in them
    connection, faults      how the file is opened and written, and what SQLite's errors mean
    privacy, pruning        who may read it, and which runs of it may be forgotten
"""

from bitarm.store.connection import is_missing
from bitarm.store.find import find_run
from bitarm.store.memory import MemoryJournal
from bitarm.store.sqlite import SqliteJournal

__all__ = ["MemoryJournal", "SqliteJournal", "find_run", "is_missing"]
