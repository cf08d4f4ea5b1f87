"""Embedded runs for tests: sources with a plan, journals that note an order or fail."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from tapes import Problem, Tape, make_spec
from wires.feeds import TapeSource

from bitarm import wire
from bitarm.core.events import (
    LearnerEvent,
    RunEnded,
    RunOpened,
)
from bitarm.core.journal import Entry, Journal, RunSummary, Watcher
from bitarm.core.limits import Limits
from bitarm.core.messages import Message
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq
from bitarm.core.replay import replay
from bitarm.core.rewards import RewardSource
from bitarm.runtime.embedded import EmbeddedRun
from bitarm.store import MemoryJournal

TAPE = Tape(seed=0, means=(0, 0), spread=0, bounds=None)


class Planned:
    """Rewards of one value, until something else is planned to happen."""

    def __init__(self, value: float, at: int = 10**9, happening: Callable[[], Any] = list) -> None:
        self._value, self._at, self._happening, self._done = value, at, happening, 0

    def pull(self, count: int) -> Sequence[float]:
        self._done += count
        if self._done >= self._at:
            self._happening()
        return [self._value] * count


class Record:
    """A journal that writes down, in one list with the frames, what was kept when."""

    def __init__(self, order: list[object]) -> None:
        self._journal = MemoryJournal()
        self._order = order

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        self._order.extend((opened, *then))
        return self._journal.open_run(opened, then)

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        self._order.extend(events)
        self._journal.append(run, events)

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        return self._journal.read(run, after)

    def runs(self) -> list[RunSummary]:
        return self._journal.runs()

    def close(self) -> None:
        self._journal.close()


class Failing(Record):
    """A journal whose n-th step is stopped before anything of it is kept; 0 is the opening."""

    def __init__(self, at: int, error: BaseException) -> None:
        super().__init__([])
        self._left, self._error = at, error

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        self._step()
        return super().open_run(opened, then)

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        self._step()
        super().append(run, events)

    def _step(self) -> None:
        if self._left == 0:
            self._left = -1
            raise self._error
        self._left -= 1


def ignore(events: Sequence[LearnerEvent]) -> None:
    """Watch without a word."""


def embedded(
    problem: Problem,
    journal: Journal,
    sources: Sequence[RewardSource] | None = None,
    *,
    clip: bool = False,
    watch: Watcher = ignore,
) -> EmbeddedRun:
    arms = range(len(problem.spec.arms))
    sources = sources or [TapeSource(problem, arm) for arm in arms]
    return EmbeddedRun(problem.learner(), sources, journal, clip=clip, watch=watch)


def events_in(journal: Journal, run: int = 1) -> list[LearnerEvent]:
    return [entry.event for entry in journal.read(run)]


def problem_of(arms: int = 3, limits: Limits | None = None) -> Problem:
    means = tuple(200 + 250 * arm for arm in range(arms))
    return Problem(
        spec=make_spec(arms=arms, quantizer=Icq(bits=3, prior="uniform")),
        policy=SuccessiveElimination(),
        limits=limits or Limits(rounds=14),
        tape=Tape(seed=3, means=means, spread=150, bounds=(0, 1024)),
    )


def ending_in(journal: Journal) -> RunEnded:
    """The run's ending, after a replay that agrees with all of it."""
    ending = replay(events_in(journal)).ending
    assert ending is not None, "the run has no ending in the journal"
    return ending


def sent_frames(
    monkeypatch: pytest.MonkeyPatch, order: list[object]
) -> list[tuple[Message, bytes]]:
    """Spy on the wire: every message that is encoded, beside what is kept."""
    frames: list[tuple[Message, bytes]] = []
    encode = wire.encode

    def spying(message: Message) -> bytes:
        frame = encode(message)
        frames.append((message, frame))
        order.append(message)
        return frame

    monkeypatch.setattr(wire, "encode", spying)
    return frames
