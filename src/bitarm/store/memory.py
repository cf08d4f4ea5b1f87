"""The journal that is gone when the process is: the values themselves, in lists.

Refuses to know files and text: an event is frozen, so it is kept as it is.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import final

from bitarm.core.events import LearnerEvent, RunOpened
from bitarm.core.journal import Entry, RunSummary
from bitarm.errors import StoreError


@final
class MemoryJournal:
    """A Journal in memory; durable for as long as the object lives."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._entries: dict[int, list[Entry]] = {}
        self._openings: dict[int, RunOpened] = {}
        self._summaries: dict[int, RunSummary] = {}
        self._closed = False

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        """Begin a run with its first event and what came with it; returns its number."""
        self._require_open()
        run, at = len(self._summaries) + 1, self._clock()
        first = RunSummary.begun(opened, run=run, at=at)
        summary = first.continued(then, at=at, names=lambda: opened.setup.spec.arms)
        self._entries[run] = [
            Entry(sequence=sequence, at=at, event=event)
            for sequence, event in enumerate((opened, *then), start=1)
        ]
        self._openings[run] = opened
        self._summaries[run] = summary
        return run

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        """Keep events, in order, all of them or none."""
        summary, at = self._summary(run), self._clock()
        longer = summary.continued(events, at=at, names=lambda: self._openings[run].setup.spec.arms)
        # One extend: a reader in another thread finds all of these events or none.
        self._entries[run].extend(
            Entry(sequence=sequence, at=at, event=event)
            for sequence, event in enumerate(events, start=summary.entries + 1)
        )
        self._summaries[run] = longer

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        """The entries of a run whose sequence number is above `after`, as they stand now."""
        self._summary(run)
        return iter(self._entries[run][max(after, 0) :])

    def runs(self) -> list[RunSummary]:
        """All runs, the newest first."""
        self._require_open()
        return list(reversed(self._summaries.values()))

    def close(self) -> None:
        """Refuse everything from now on; closing again changes nothing."""
        self._closed = True

    def _summary(self, run: int) -> RunSummary:
        self._require_open()
        if run not in self._summaries:
            raise StoreError(
                f"this journal has no run {run}, it has {len(self._summaries)}: "
                "runs() lists their numbers"
            )
        return self._summaries[run]

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError("this journal is closed: open a new one")
