"""Processes that tests start on the loopback: a port for one, and the time that it is given."""

import socket
import time
from collections.abc import Callable

PATIENCE = 60.0
"""Seconds for what a process does at once, on a machine that has much else to do."""


def eventually(check: Callable[[], object], what: str, within: float = PATIENCE) -> None:
    """Poll until `check` is true; fails with `what` was waited for if it is not in time."""
    deadline = time.monotonic() + within
    while not check():
        assert time.monotonic() < deadline, f"waited {within} s for {what}"
        time.sleep(0.01)


def free_port() -> int:
    """A port that nobody holds right now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port
