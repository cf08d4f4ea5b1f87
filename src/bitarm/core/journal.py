"""Where events are kept: the interface, and how a run's summary follows from what is kept.

The store implements it. One rule for the summary of every journal stands here, beside the value.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, Self, final

from bitarm.core.events import LearnerEvent, RunEnded, RunOpened
from bitarm.errors import StoreError

Watcher = Callable[[Sequence[LearnerEvent]], None]
"""Told of events after they are kept."""


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

    @classmethod
    def begun(cls, opened: RunOpened, *, run: int, at: float) -> Self:
        """The summary of a run that has only its opening, kept as number `run` at a time."""
        return cls(
            run=run,
            fingerprint=opened.setup.fingerprint,
            arms=len(opened.setup.spec.arms),
            opened_at=at,
            ended_at=None,
            outcome=None,
            best_arm=None,
            entries=1,
        )

    def continued(
        self,
        events: Sequence[LearnerEvent],
        *,
        at: float,
        names: Callable[[], Sequence[str]],
    ) -> "RunSummary":
        """The summary after `events` too, which are kept at a time.

        `names` gives the arms' names; it is asked only if one won, since a journal may have to look
        them up. StoreError if the events cannot be this run's.
        """
        if any(isinstance(event, RunOpened) for event in events):
            raise StoreError(
                f"run {self.run} is open: a second opening begins another run, "
                "give it to open_run instead of append"
            )
        longer = replace(self, entries=self.entries + len(events))
        endings = [event for event in events if isinstance(event, RunEnded)]
        if not endings:
            return longer
        outcome, best = endings[-1].outcome, endings[-1].best_arm
        if best is not None and not 0 <= best < self.arms:
            raise StoreError(
                f"run {self.run} has arms 0 to {self.arms - 1}, its ending names arm {best}: "
                "it belongs to another run"
            )
        return replace(
            longer,
            ended_at=at,
            outcome=outcome.value,
            best_arm=None if best is None else names()[best],
        )


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
