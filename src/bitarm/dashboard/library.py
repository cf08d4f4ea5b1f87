"""The store behind the pages: opened read-only, looked at again, and folded once for everybody.

Refuses to know HTTP. One connection serves the whole process, however many people look.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import final

from bitarm.core.confidence import Stride
from bitarm.core.events import RunEnded
from bitarm.core.journal import Entry, RunSummary
from bitarm.dashboard.history import History
from bitarm.dashboard.views import RunList, RunRow
from bitarm.errors import ConfigError, StoreError
from bitarm.store import SqliteJournal

_PATIENCE = 0.5  # seconds for a lock: somebody waits for the page
_HISTORIES_KEPT = 16
_TAIL = 16  # entries in which an ended run's ending is looked for first


class UnknownEntryError(ConfigError):
    """Somebody asked for a run or an entry that the store does not have."""


@final
@dataclass(slots=True)
class _Open:
    """The store while it is open, and what was made of it."""

    journal: SqliteJournal
    identity: tuple[int, int]  # device and inode: a file that was replaced is another store
    seen: int = -1
    summaries: dict[int, RunSummary] = field(default_factory=dict)
    rows: dict[int, RunRow] = field(default_factory=dict)
    histories: OrderedDict[int, History] = field(default_factory=OrderedDict)

    def forget_what_is_undone(self) -> None:
        """Forget what was made of runs that are gone, shorter now, or others under their number.

        A backup may be put back into the very file: then its runs are those of the past.
        """
        for number in {*self.rows, *self.histories}:
            summary, row = self.summaries.get(number), self.rows.get(number)
            history = self.histories.get(number)
            is_longer = summary is not None and any(
                made is not None and made.entries > summary.entries for made in (row, history)
            )
            is_other = (
                summary is not None
                and row is not None
                and row.fingerprint != f"{summary.fingerprint:08x}"
            )
            if summary is None or is_longer or is_other:
                self.rows.pop(number, None)
                self.histories.pop(number, None)


@final
class Library:
    """All runs of one store. Threads may share one object; every failure is a StoreError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._open: _Open | None = None
        self._version = 0

    def look(self) -> int:
        """A number that grows whenever the store changes; raises what makes it unusable.

        Whoever looks compares with what they saw themselves: nobody takes the news from others.
        """
        with self._lock:
            store = self._opened()
            changes = store.journal.changes()
            if changes != store.seen:
                store.summaries = {run.run: run for run in store.journal.runs()}
                store.forget_what_is_undone()
                store.seen = changes
                self._version += 1
            return self._version

    def runs(self, *, limit: int, before: int | None = None) -> RunList:
        """The newest runs, or the newest below number `before`."""
        with self._lock:
            self.look()
            numbers = [n for n in self._opened().summaries if before is None or n < before]
            return RunList(
                runs=[self.row(number) for number in numbers[:limit]],
                total=len(self._opened().summaries),
            )

    def row(self, run: int) -> RunRow:
        """One run at a glance, kept until it changes.

        An ended run costs two short reads; an open one, and one whose agents judge themselves, all
        its events.
        """
        with self._lock:
            store, summary = self._opened(), self._summary(run)
            known = store.rows.get(run)
            if known is None or known.entries != summary.entries:
                history = self._ended(summary) or self._history(run)
                store.rows[run] = known = history.row()
            return known

    @contextmanager
    def history(self, run: int) -> Iterator[History]:
        """One run as it stands now, and as it stays for the time of a block."""
        with self._lock:
            self.look()
            yield self._history(run)

    def entries(self, run: int, *, after: int, limit: int) -> list[Entry]:
        """Some entries of a run, from above `after` on."""
        with self._lock:
            self.look()
            self._summary(run)
            return list(islice(self._opened().journal.read(run, after=after), limit))

    def close(self) -> None:
        """Give the store back."""
        with self._lock:
            self._forget()

    def _opened(self) -> _Open:
        try:
            found = os.stat(self.path)
            identity: tuple[int, int] | None = (found.st_dev, found.st_ino)
        except OSError:
            identity = None  # the journal says it better
        if self._open is not None and self._open.identity != identity:
            self._forget()
        if self._open is None:
            journal = SqliteJournal.open_read_only(self.path, patience=_PATIENCE)
            self._open = _Open(journal=journal, identity=identity or (0, 0))
        return self._open

    def _forget(self) -> None:
        if self._open is not None:
            self._open.journal.close()
            self._open = None

    def _summary(self, run: int) -> RunSummary:
        summaries = self._opened().summaries
        if run not in summaries:
            raise UnknownEntryError(
                f"there is no run {run} in {self.path}, it has {len(summaries)}"
            )
        return summaries[run]

    def _history(self, run: int) -> History:
        store, summary = self._opened(), self._summary(run)
        history = store.histories.get(run)
        if history is None:
            history = store.histories[run] = self._begun(run)
            if len(store.histories) > _HISTORIES_KEPT:
                store.histories.popitem(last=False)
        store.histories.move_to_end(run)
        if history.entries < summary.entries:
            for entry in store.journal.read(run, after=history.entries):
                history.add(entry)
        return history

    def _begun(self, run: int) -> History:
        first = next(self._opened().journal.read(run), None)
        if first is None:
            raise StoreError(f"{self.path}: run {run} has no entries")
        return History(run, first)

    def _ended(self, summary: RunSummary) -> History | None:
        """An ended run from its opening and its ending alone: enough for its row."""
        if summary.outcome is None or summary.run in self._opened().histories:
            return None
        journal = self._opened().journal
        tail = list(journal.read(summary.run, after=max(summary.entries - _TAIL, 1)))
        while tail and not isinstance(tail[0].event, RunEnded):
            del tail[0]
        if not tail:
            return None
        history = self._begun(summary.run)
        if history.standings.opened.setup.policy.stride is Stride.JUDGED:
            return None  # what arms that gave up were spared is known from all events alone
        for entry in tail:
            history.add(entry)
        return history
