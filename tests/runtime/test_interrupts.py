"""Ctrl-C while the journal writes: what was written is not written again, and the run ends."""

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import bitarm
from bitarm.core.events import LearnerEvent, RunOpened
from bitarm.core.journal import Entry, RunSummary
from bitarm.core.replay import replay
from bitarm.runtime.signals import held_interrupts, interrupted_by_any
from bitarm.store import SqliteJournal


class _Interrupted:
    """A journal at whose n-th write Ctrl-C comes, right after the commit."""

    def __init__(self, journal: SqliteJournal, at: int) -> None:
        self._journal, self._at, self._writes = journal, at, 0

    def _written(self) -> None:
        self._writes += 1
        if self._writes == self._at:
            os.kill(os.getpid(), signal.SIGINT)

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        run = self._journal.open_run(opened, then)
        self._written()
        return run

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        self._journal.append(run, events)
        self._written()

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        return self._journal.read(run, after)

    def runs(self) -> list[RunSummary]:
        return self._journal.runs()

    def close(self) -> None:
        self._journal.close()


@pytest.mark.parametrize("at", [1, 2, 4])
def test_ctrl_c_within_a_write_ends_the_run_once(tmp_path: Path, at: int) -> None:
    journal = _Interrupted(SqliteJournal.open(tmp_path / "runs.sqlite"), at)
    arms: dict[str, Any] = {"one": [0.0, 1.0] * 500, "other": [1.0, 0.0] * 500}
    shown: list[LearnerEvent] = []
    result = bitarm.identify(arms, bounds=(0, 1), seed=1, journal=journal, watch=shown.extend)
    assert result.outcome.value == "interrupted"
    (summary,) = journal.runs()
    assert summary.outcome == "interrupted"
    kept = [entry.event for entry in journal.read(summary.run)]
    replay(kept)
    assert shown == kept
    journal.close()


def test_ctrl_c_before_a_run_is_opened_leaves_nothing_behind(tmp_path: Path) -> None:
    journal = SqliteJournal.open(tmp_path / "runs.sqlite")
    reached = []

    class Interrupting:
        """A journal that Ctrl-C keeps from being written."""

        def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
            raise KeyboardInterrupt

        def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
            reached.append(run)

        def __getattr__(self, name: str) -> Any:
            return getattr(journal, name)

    with pytest.raises(KeyboardInterrupt):
        bitarm.identify({"a": [0.0] * 9, "b": [1.0] * 9}, bounds=(0, 1), journal=Interrupting())
    assert reached == []
    assert journal.runs() == []
    journal.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_is_late_and_not_lost(number: signal.Signals) -> None:
    order: list[str] = []

    def work() -> None:
        with held_interrupts():
            os.kill(os.getpid(), number)
            order.append("the block went on")
        order.append("and no further")

    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), interrupted_by_any():
        work()
    assert order == ["the block went on"]
    assert signal.getsignal(number) is before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_not_heard_is_not_held() -> None:
    """As under nohup, and in a job of a shell's background."""
    before = [signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGHUP)]
    try:
        with interrupted_by_any(), held_interrupts():
            os.kill(os.getpid(), signal.SIGHUP)
            os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGHUP), before, strict=True):
            signal.signal(number, handler)


def test_other_threads_leave_the_handler_alone() -> None:
    seen: list[object] = []

    def look() -> None:
        with held_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
