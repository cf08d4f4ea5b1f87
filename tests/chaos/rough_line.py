"""A TCP proxy that delays, throttles, cuts and halves what passes between a client and a broker."""

import contextlib
import selectors
import socket
import struct
import threading
import time
from collections import deque
from dataclasses import dataclass, field

_AT_ONCE = 1 << 16
_RESET = struct.pack("ii", 1, 0)  # linger for no time: the other end is told by a reset


@dataclass
class _End:
    """One end of a connection, and what is on its way to it."""

    link: socket.socket
    waiting: deque[tuple[float, bytes]] = field(default_factory=deque)  # when it is due
    other: "_End | None" = None


class RoughLine:
    """A proxy in front of a port of the loopback; `delay` and `rate` may change at any time."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.delay = 0.0  # seconds
        self.rate = float("inf")  # bytes a second, in each direction of each connection
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._ends: list[_End] = []
        self._cut = threading.Event()
        self._halve = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name="rough line")
        self._thread.start()

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"mqtt://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Reset all connections; new ones pass."""
        self._cut.set()

    def halve(self) -> None:
        """Of what passes next, half arrives; then that connection is reset."""
        self._halve.set()

    def close(self) -> None:
        """End the proxy and all that passes through it."""
        self._closed.set()
        self._thread.join(10)

    def _work(self) -> None:
        while not self._closed.is_set():
            for key, _ in self._selector.select(0.01):
                if key.fileobj is self._listener:
                    self._accept()
                elif key.data in self._ends:
                    self._read(key.data)
            if self._cut.is_set():
                self._cut.clear()
                self._reset(*self._ends)
            for end in list(self._ends):
                self._write(end)
        self._reset(*self._ends)
        self._listener.close()
        self._selector.close()

    def _accept(self) -> None:
        near, _ = self._listener.accept()
        try:
            far = socket.create_connection(("127.0.0.1", self._target), 5)
        except OSError:
            near.close()  # the broker is down, and so is the way to it
            return
        ends = _End(near), _End(far)
        for end, other in (ends, ends[::-1]):
            end.other = other
            end.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            end.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self._ends.append(end)
            self._selector.register(end.link, selectors.EVENT_READ, end)

    def _read(self, end: _End) -> None:
        assert end.other is not None
        try:
            data = end.link.recv(_AT_ONCE)
        except OSError:
            data = b""
        if not data:
            self._write(end.other, at_once=True)
            self._reset(end, end.other)
            return
        if self._halve.is_set():
            self._halve.clear()
            end.other.waiting.append((0.0, data[: len(data) // 2]))
            self._write(end.other, at_once=True)
            self._reset(end, end.other)
            return
        now = time.monotonic()
        before = end.other.waiting[-1][0] if end.other.waiting else now
        due = max(now + self.delay, before + len(data) / self.rate)
        end.other.waiting.append((due, data))

    def _write(self, end: _End, *, at_once: bool = False) -> None:
        now = time.monotonic()
        while end.waiting and (at_once or end.waiting[0][0] <= now):
            _, data = end.waiting.popleft()
            with contextlib.suppress(OSError):  # its reading says that it is gone
                end.link.sendall(data)

    def _reset(self, *ends: _End) -> None:
        for end in ends:
            if end in self._ends:
                self._ends.remove(end)
                self._selector.unregister(end.link)
                end.link.close()
