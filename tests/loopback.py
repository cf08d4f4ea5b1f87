"""Processes that tests start on the loopback: a port for one, and the time that it is given."""

import random
import socket
import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds that a process is given for what takes it a few: ten others may have work to do on the
machine. Only a test that fails waits so long."""


def eventually(check: Callable[[], object], what: str, within: float = PATIENCE) -> None:
    """Poll until `check` is true; fails with `what` was waited for if it is not in time."""
    deadline = time.monotonic() + within
    while not check():
        assert time.monotonic() < deadline, f"waited {within} s for {what}"
        time.sleep(0.01)


_BELOW_EPHEMERAL = range(20_000, 32_768)


def free_port() -> int:
    """A TCP port that nobody holds, and that nobody is given while this process lives.

    A port that the system chooses can be the end of somebody's connection a moment later, or be
    chosen again for another test. So it lies below those that connections get, and its UDP port is
    kept bound: that is how tests in other processes see that it is taken.
    """
    while True:
        port = random.choice(_BELOW_EPHEMERAL)
        claim = socket.socket(type=socket.SOCK_DGRAM)
        try:
            claim.bind(("127.0.0.1", port))
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
            continue
        claim.detach()  # stays open until this process ends
        return port
