"""Thousands of visitors who mean no good, and one who does: a real process, the real limits.

How long the one waits is printed (`pytest -s`), and not asserted: that the answer comes is.
"""

import re
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from dashboard.stores import identify_into
from e2e.served import Served, served_process
from loopback import PATIENCE

pytestmark = pytest.mark.slow

SLOW = 2_000  # connections that begin a request and never end it
BODIES = 8  # that are sent at once
BODY = 100 << 20  # bytes of each
MOST_MEMORY = 300 << 20


def _connect(address: str) -> socket.socket:
    parts = urlsplit(address)
    assert parts.hostname is not None
    return socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)


def _ask(address: str) -> float:
    """How many seconds an honest visitor waits for the list of runs."""
    begun = time.perf_counter()
    with urllib.request.urlopen(f"{address}/api/v1/runs", timeout=PATIENCE) as answer:
        assert answer.status == 200
    return time.perf_counter() - begun


def _most_memory(pid: int) -> int:
    """The most bytes that a process ever had."""
    (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("ascii"))
    return int(line) << 10


@contextmanager
def _unfinished(address: str, count: int) -> Iterator[list[socket.socket]]:
    """Connections that sent half of a request."""
    with ExitStack() as stack:
        found = []
        for number in range(count):
            connection = stack.enter_context(_connect(address))
            half = b"GET /api/v1/runs HTTP/1.1\r\nHost: loc"
            body = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\ntok"
            connection.sendall(half if number % 2 else body)
            found.append(connection)
        yield found


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    store = tmp_path_factory.mktemp("store") / "runs.sqlite"
    identify_into(store, seed=1)
    with served_process(store) as found:
        yield found


def test_an_honest_visitor_is_answered_among_thousands_who_never_finish(dashboard: Served) -> None:
    _ask(dashboard.address)
    with _unfinished(dashboard.address, SLOW):
        waited = sorted(_ask(dashboard.address) for _ in range(9))
        files = len(list(Path(f"/proc/{dashboard.pid}/fd").iterdir()))
        assert files < 1_000  # a login shell allows 1,024
    afterwards = _ask(dashboard.address)
    print(
        f"\namong {SLOW:,}: answered after {waited[4]:.2f} s, {waited[-1]:.2f} s at most, "
        f"{afterwards:.2f} s afterwards; {_most_memory(dashboard.pid) >> 20} MiB"
    )
    assert _most_memory(dashboard.pid) < MOST_MEMORY


@pytest.mark.parametrize("path", ["/sign-in", "/api/v1/compare", "/api/v1/runs"])
@pytest.mark.parametrize("framing", ["declared", "in chunks"])
def test_long_bodies_are_refused_and_not_kept(dashboard: Served, path: str, framing: str) -> None:
    is_chunked = framing == "in chunks"
    length = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {BODY}"
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"{length}\r\n\r\n"
    )
    piece = b"%x\r\n%s\r\n" % (1 << 16, b"x" * (1 << 16)) if is_chunked else b"x" * (1 << 16)
    sent = 0
    with ExitStack() as stack:
        senders = [stack.enter_context(_connect(dashboard.address)) for _ in range(BODIES)]
        for sender in senders:
            sender.sendall(head.encode() + piece)
        waited = _ask(dashboard.address)
        while senders and sent < BODIES * BODY:
            for sender in list(senders):
                try:
                    sender.sendall(piece)
                    sent += len(piece)
                except (BrokenPipeError, ConnectionResetError):
                    senders.remove(sender)  # it was refused, and not read any more
    assert not senders, "a body of 100 MB was read to its end"
    print(f"\n{path}: answered after {waited:.2f} s; {_most_memory(dashboard.pid) >> 20} MiB")
    assert _most_memory(dashboard.pid) < MOST_MEMORY
