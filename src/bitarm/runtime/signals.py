"""Signals at moments of our own choosing: never in the middle of a transaction.

`Stopper` is for the services, which notice a wish to stop between two steps; `held_interrupts` for
a run in one process, where Ctrl-C waits until a write and the note that it was made are both done,
and `interrupted_by_any` for its program, where other signals to stop are as good as Ctrl-C.
"""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self, final

_STOPS = [one for one in signal.Signals if one.name in ("SIGINT", "SIGTERM", "SIGHUP")]
# By name: Windows has no SIGHUP.


def obeyed(*numbers: signal.Signals) -> list[signal.Signals]:
    """The signals, of those given, that this process was not told to ignore when it was started."""
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]


@final
class Stopper:
    """While it is entered, the first signal to stop is only noted; a second one is obeyed.

    These are SIGINT, SIGTERM, and SIGHUP, which comes when a terminal is closed; one that whoever
    started us told us to ignore, as nohup does, is ignored. Its file descriptor becomes readable
    when a signal comes, so that a select wakes up.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._previous: dict[signal.Signals, Any] = {}
        self._wakeup = -1
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # others get no signals
            for number in obeyed(*_STOPS):
                self._previous[number] = signal.signal(number, self._note)
            self._wakeup = signal.set_wakeup_fd(self._writer.fileno())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore()
        self._reader.close()
        self._writer.close()

    def fileno(self) -> int:
        """The descriptor that becomes readable when a signal comes."""
        return self._reader.fileno()

    def drain(self) -> None:
        """Read what the signal wrote, so that the descriptor waits for the next one."""
        while True:
            try:
                self._reader.recv(4096)
            except BlockingIOError:
                return

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received = signal.Signals(number)
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        if self._previous:
            signal.set_wakeup_fd(self._wakeup)
        self._previous = {}


@contextmanager
def interrupted_by_any() -> Iterator[None]:
    """In the block SIGTERM and SIGHUP do what Ctrl-C does: the run ends, and says what is known.

    By default they would end the process at once, and leave what it has started behind.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in obeyed(*_STOPS)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Whatever Ctrl-C does here, it does it when the block is left; other signals to stop, too.

    Python raises KeyboardInterrupt between any two steps, and so between a commit and what follows
    from it: the same events would be written twice. Other threads are never interrupted.
    """
    usual = {number: signal.getsignal(number) for number in _STOPS}
    held = {number: does for number, does in usual.items() if callable(does)}
    if threading.current_thread() is not threading.main_thread() or not held:
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    for number in held:
        signal.signal(number, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        for number, does in held.items():
            signal.signal(number, does)
    if came:
        first, frame = came[0]
        held[signal.Signals(first)](first, frame)
