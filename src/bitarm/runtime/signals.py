"""A wish to stop, noticed between two steps: never in the middle of a transaction."""

import signal
import socket
import threading
from types import FrameType, TracebackType
from typing import Any, Self, final

_STOPS = [one for one in signal.Signals if one.name in ("SIGINT", "SIGTERM", "SIGHUP")]
# By name: Windows has no SIGHUP.


def obeyed(*numbers: signal.Signals) -> list[signal.Signals]:
    """Those of the signals that this process was not told to ignore when it was started."""
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
