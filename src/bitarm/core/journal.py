"""Where events are kept: the interface; the store implements it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, final

from bitarm.core.events import LearnerEvent, RunOpened


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One event as it was kept."""

    sequence: int  # from 1, without gaps
    at: float  # seconds since 1970, UTC: the store's clock
    event: LearnerEvent


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run at a glance."""

    run: int  # its number in this journal
    fingerprint: int
    arms: int
    opened_at: float
    ended_at: float | None
    outcome: str | None  # None while it runs, or if it was cut off
    best_arm: str | None  # its name
    entries: int


class Journal(Protocol):
    """An append-only record of runs.

    Laws: what `append` was given is durable when it returns, all of it or nothing. `read` gives
    the entries of a run in the order in which they were appended. Numbers of runs are never used
    again. A run is continued only by a journal that opened it or read it to its end, and only while
    nobody else adds to it. Every failure is a StoreError and loses nothing that was kept.
    """

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        """Begin a run with its first event and what came with it; returns its number.

        One transaction: a crash leaves no run whose opening lacks the round that it opened.
        """
        ...

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        """Keep events, in order, in one transaction."""
        ...

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        """The entries of a run whose sequence number is above `after`."""
        ...

    def runs(self) -> list[RunSummary]:
        """All runs, the newest first."""
        ...

    def close(self) -> None:
        """Give the underlying resource back."""
        ...
