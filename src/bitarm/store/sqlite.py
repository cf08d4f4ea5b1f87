"""The journal in one SQLite file: transactions, turns, and what each method promises.

Refuses to know how a file is opened (`connection`), the SQL (`schema`), what SQLite's errors mean
(`faults`), how an event is spelt (`event_bodies`), and what a summary says (`core/journal.py`).
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Self, final

from bitarm.core.events import LearnerEvent, RunOpened
from bitarm.core.journal import Entry, RunSummary
from bitarm.errors import StoreError
from bitarm.store import schema
from bitarm.store.connection import connect_reader, connect_writer, found_version, transaction
from bitarm.store.event_bodies import read_body, write_body
from bitarm.store.faults import explained

PATIENCE = 5.0
"""Seconds that a reader waits for another process that is opening the file."""
WRITER_PATIENCE = 60.0
"""Seconds that a writer waits for others. A commit takes milliseconds; but SQLite serves whoever
asks at the right moment, and of fifty runs that begin at once some wait much longer than the rest.
"""


@final
class LastEntries:
    """The last sequence number that this writer wrote, or else read, of each run.

    It may add only where it has seen the end. This keeps two learners from writing one run's story
    together: each entry was decided from all entries before it.
    """

    def __init__(self) -> None:
        self._wrote: dict[int, int] = {}
        self._read: dict[int, int] = {}

    def read_to(self, run: int, sequence: int) -> None:
        """Note that an entry was handed out: whoever got it may go on from there."""
        self._read[run] = max(sequence, self._read.get(run, 0))

    def wrote_to(self, run: int, sequence: int) -> None:
        """Note that this writer wrote the run's last entry, and its number."""
        self._wrote[run] = sequence

    def require_end(self, run: int, end: int, *, place: str) -> None:
        """Refuse to go on unless this writer knows the run up to `end`.

        For a run that it writes, reading does not count: a look at the run's entries must not
        hide that another wrote some of them. After a refusal the run counts as read only.
        """
        known = self._wrote.get(run, self._read.get(run, 0))
        if known == end:
            return
        self._wrote.pop(run, None)
        self._read.pop(run, None)
        raise StoreError(
            f"{place} has {end} entries, this writer knows {known}: another process wrote to the "
            "run, or it was never read here. Nothing was added; read the run to its end, replay "
            "it, and go on from there"
        )


@final
class SqliteJournal:
    """A Journal in a file.

    Many processes may read while one writes; several may write to different runs in turn. To add
    to a run, a journal must have opened it or read it to its end, and nobody else may have added
    to it since. Threads may share one object.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        clock: Callable[[], float],
        read_only: bool,
    ) -> None:
        self._connection = connection
        self._path = path
        self._clock = clock
        self._read_only = read_only
        self._closed = False
        self._lock = threading.RLock()
        self._last_entries = LastEntries()

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        clock: Callable[[], float] = time.time,
        patience: float = WRITER_PATIENCE,
    ) -> Self:
        """The journal at `path`, for writing; created if missing, migrated if old."""
        place = Path(path)
        connection = connect_writer(place, patience=patience)
        return cls(connection, place, clock=clock, read_only=False)

    @classmethod
    def open_read_only(cls, path: str | PathLike[str], *, patience: float = PATIENCE) -> Self:
        """The journal at `path`, for reading, also while another process writes it."""
        place = Path(path)
        connection = connect_reader(place, patience=patience)
        return cls(connection, place, clock=time.time, read_only=True)

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        """Begin a run with its first event and what came with it; returns its number."""
        bodies = [write_body(event) for event in (opened, *then)]
        with self._lock:
            with self._writing() as connection:
                at = self._clock()
                run = schema.insert_run(connection, fingerprint=opened.setup.fingerprint, at=at)
                first = RunSummary.begun(opened, run=run, at=at)
                summary = first.continued(then, at=at, names=lambda: opened.setup.spec.arms)
                schema.add(connection, summary, bodies, at=at)
            # Only after COMMIT: a step that was undone was not written.
            self._last_entries.wrote_to(run, len(bodies))
        return run

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        """Keep events, in order, in one transaction."""
        bodies = [write_body(event) for event in events]
        with self._lock:
            with self._writing() as connection:
                at = self._clock()
                summary = self._summary(run)
                self._last_entries.require_end(run, summary.entries, place=self._place(run))
                longer = summary.continued(events, at=at, names=lambda: self._names(run))
                schema.add(connection, longer, bodies, at=at)
            self._last_entries.wrote_to(run, longer.entries)

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        """The entries of a run whose sequence number is above `after`, as they stand now.

        Whole transactions only: the end is fixed by this call, and what others add meanwhile is
        for the next one.
        """
        with self._reading():
            end = self._summary(run).entries
        after = min(max(after, 0), end)
        self._last_entries.read_to(run, after)
        return self._entries(run, after, end)

    def runs(self) -> list[RunSummary]:
        """All runs, the newest first; reads no events."""
        with self._reading() as connection:
            return schema.summaries(connection)

    def sizes(self) -> dict[int, int]:
        """About how many bytes each run takes; reads every event."""
        with self._reading() as connection:
            return schema.sizes(connection)

    def last_at(self, run: int) -> float:
        """When the newest entry of a run was written."""
        entries = list(self.read(run, after=max(self._known(run).entries - 1, 0)))
        return entries[-1].at if entries else self._known(run).opened_at

    def delete(self, run: RunSummary) -> None:
        """Forget a run for good; later ones take its room in the file.

        StoreError, and nothing is deleted, if the run has changed since it was looked at.
        """
        with self._lock, self._writing() as connection:
            if self._summary(run.run) != run:
                raise StoreError(
                    f"{self._place(run.run)} has changed since it was looked at: somebody is "
                    "writing it. It was left as it is; look again"
                )
            schema.delete(connection, run.run)

    def changes(self) -> int:
        """A number that differs from an earlier one if others committed in between.

        Reads a counter and no table, so a reader may ask many times a second.
        """
        with self._reading() as connection:
            (counter,) = connection.execute("PRAGMA data_version").fetchone()
        return int(counter)

    def close(self) -> None:
        """Give the file back; closing again changes nothing."""
        with self._lock, explained(self._path):
            self._closed = True
            self._connection.close()

    # -- what a run holds --------------------------------------------------------------------

    def _entries(self, run: int, after: int, end: int) -> Iterator[Entry]:
        while after < end:
            with self._reading() as connection:
                page = schema.page(connection, run, after=after, end=end)
            if not page:
                raise self._gap(run, after + 1)
            for sequence, at, body in page:
                if sequence != after + 1:
                    raise self._gap(run, after + 1)
                event = read_body(body, place=f"{self._place(run)}, entry {sequence}")
                after = sequence
                self._last_entries.read_to(run, after)
                yield Entry(sequence=sequence, at=at, event=event)

    def _known(self, run: int) -> RunSummary:
        with self._reading():
            return self._summary(run)

    def _summary(self, run: int) -> RunSummary:
        summary = schema.summary_of(self._connection, run)
        if summary is None:
            raise StoreError(f"{self._path} has no run {run}: runs() lists their numbers")
        return summary

    def _names(self, run: int) -> tuple[str, ...]:
        """The arms' names, from the run's opening."""
        opening = next(self._entries(run, 0, 1)).event
        if not isinstance(opening, RunOpened):
            raise StoreError(
                f"{self._place(run)}, entry 1 must be the run's opening, found {opening.name}"
            )
        return opening.setup.spec.arms

    # -- turns and transactions --------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, explained(self._path):
            if self._closed:
                raise StoreError(f"{self._path} is closed: open it again")
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all that is done inside, or nothing."""
        with self._reading() as connection:
            if self._read_only:
                raise StoreError(
                    f"{self._path} was opened for reading: to write, use SqliteJournal.open"
                )
            with transaction(connection, begin="BEGIN IMMEDIATE"):
                # A newer program may have migrated the file since it was opened here.
                found_version(connection, self._path)
                yield connection

    def _place(self, run: int) -> str:
        return f"{self._path}: run {run}"

    def _gap(self, run: int, sequence: int) -> StoreError:
        return StoreError(
            f"{self._place(run)} lacks entry {sequence}: something other than this program "
            "changed the file. Restore a backup; the other runs are untouched"
        )
