"""A run's events on their way into the journal: which ones wait for others, and until when.

Reports from which nothing follows yet wait a moment, to be written in one transaction with those
that come after them. What a crash then loses was never acted on, and is asked for again.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import final

from bitarm.core.events import LearnerEvent, ReportIgnored, RoundOpened
from bitarm.core.journal import Journal, Watcher
from bitarm.runtime.learner.meter import Meter

_WRITTEN_WITHIN = 0.2  # seconds that an event may wait: a sync of the disk for each is slow
_MOST_WAITING = 256  # events: written while others are on their way, not all at the end


@final
class Transactions:
    """Writes the events of one run to its journal, then shows them to `watch`.

    A transaction that opens a round also says what the meter has counted until then.
    """

    def __init__(
        self, journal: Journal, run: int, *, watch: Watcher, meter: Meter, now: float
    ) -> None:
        self._journal = journal
        self._run = run
        self._watch = watch
        self._meter = meter
        self._waiting: list[LearnerEvent] = []
        self._repeats = Repeats()
        self._due_at = now

    @property
    def due_at(self) -> float:
        """When what waits must be written; infinite if nothing does."""
        return self._due_at if self._waiting else math.inf

    def add(self, events: Iterable[LearnerEvent]) -> None:
        """Events that are to be written, in this order; of repeated reports only their number."""
        for event in events:
            if isinstance(event, ReportIgnored):
                self._waiting.extend(self._repeats.note(event))
            else:
                self._waiting.append(event)

    def commit(self, now: float, *, at_once: bool) -> None:
        """Write all that waits: `at_once`, or only if it waited long enough or is much.

        StoreError if the journal cannot be written: then nothing that waits was acted on.
        """
        if not self._waiting:
            self._due_at = now + _WRITTEN_WITHIN
            return
        if not at_once and now < self._due_at and len(self._waiting) < _MOST_WAITING:
            return
        self._due_at = now + _WRITTEN_WITHIN
        if any(isinstance(event, RoundOpened) for event in self._waiting):
            self._waiting.extend(self._repeats.drain())
            self._waiting.append(self._meter.measured(by_arm=False))
        events = tuple(self._waiting)
        self._journal.append(self._run, events)
        self._waiting.clear()
        self._watch(events)

    def flush(self) -> None:
        """Write what waits, and nothing besides: the process is about to stop."""
        self._waiting.extend(self._repeats.drain())
        if self._waiting:
            self._journal.append(self._run, tuple(self._waiting))
            self._waiting.clear()


@final
class Repeats:
    """How often each arm's agent repeated itself, and how much of that is written down.

    Each of them would otherwise be an entry of the journal, and one agent that repeats itself could
    fill a disk. What they are ignored for follows from the other events; only their number is news.
    It is written whenever it has doubled, so that n repeats take log₂ n entries, and when a round
    opens.
    """

    def __init__(self) -> None:
        self._written: Counter[int] = Counter()
        self._pending: dict[int, ReportIgnored] = {}

    def note(self, ignored: ReportIgnored) -> list[ReportIgnored]:
        """Count one; returns what is to be written now."""
        arm = ignored.arm
        before = self._pending.get(arm)
        times = ignored.times if before is None else before.times + ignored.times
        self._pending[arm] = replace(ignored, times=times)
        return [self._write(arm)] if times >= self._written[arm] else []

    def drain(self) -> list[ReportIgnored]:
        """What is counted and not written yet; the caller writes it."""
        return [self._write(arm) for arm in list(self._pending)]

    def _write(self, arm: int) -> ReportIgnored:
        event = self._pending.pop(arm)
        self._written[arm] += event.times
        return event
