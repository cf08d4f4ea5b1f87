"""What visitors may take, with limits that are small enough to reach: bodies, time, connections."""

import asyncio
import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import uvicorn
from loopback import PATIENCE, eventually
from starlette.testclient import TestClient

from bitarm.dashboard.app import create_app
from bitarm.dashboard.limits import VISITOR_LIMITS, VisitorLimits
from bitarm.dashboard.serve import listen, make_server

SMALL = VisitorLimits(body_bytes=1_000, compared_bytes=2_000, bodies_bytes=3_000, streams=2)


def _client(store: Path, limits: VisitorLimits = SMALL) -> TestClient:
    return TestClient(create_app(store, pace=0.02, limits=limits), base_url="http://localhost")


@contextmanager
def _served(store: Path, limits: VisitorLimits) -> Iterator[int]:
    """The port of a server within limits."""
    server = make_server(store, token=None, limits=limits)
    with listen("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            eventually(lambda: server.started, "the server to start")
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        yield connection


def _answer(connection: socket.socket) -> str:
    """All that the server says until it hangs up."""
    said = b""
    while piece := connection.recv(1 << 16):
        said += piece
    return said.decode()


WHOLE = b"GET /api/v1/store HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
HALF = b"GET /api/v1/store HTTP/1.1\r\nHost: loc"


def test_visitors_wait_in_line_while_others_are_served(decided_store: Path) -> None:
    """Whom the system turns away for want of room tries again after seconds."""
    with ExitStack() as stack, listen("127.0.0.1", 0) as listener:
        server = make_server(decided_store, token=None)
        asyncio.run(_begin(server, listener))  # it takes in nobody now
        for _ in range(600):
            visitor = stack.enter_context(socket.socket())
            visitor.settimeout(0.9)  # less than the system's first wait
            visitor.connect(listener.getsockname())


async def _begin(server: uvicorn.Server, listener: socket.socket) -> None:
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup([listener])


# -- bodies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "length", "most"),
    [("/api/v1/compare", 2_001, "2,000"), ("/sign-in", 1_001, "1,000"), ("/", 1_001, "1,000")],
)
@pytest.mark.parametrize("framing", ["declared", "in chunks"])
def test_a_body_that_is_too_long_is_refused_with_a_sentence(
    decided_store: Path,
    caplog: pytest.LogCaptureFixture,
    path: str,
    length: int,
    most: str,
    framing: str,
) -> None:
    body = b"x" * length
    token = "a secret that is long enough"
    app = create_app(decided_store, token=token, limits=SMALL)
    with TestClient(app, base_url="http://localhost") as client:
        response = client.post(
            path,
            content=iter([body]) if framing == "in chunks" else body,
            headers={"authorization": f"Bearer {token}"},
        )
    if path == "/" and framing == "in chunks":
        assert response.status_code == 405  # answered before the body was looked at
        return
    assert response.status_code == 413
    assert f"a request here has at most {most} bytes" in response.text
    assert f"refused, from testclient: a request here has at most {most}" in caplog.text


def test_a_body_at_the_limit_is_read(decided_store: Path) -> None:
    wanted = json.dumps({"runs": [1], "results": []})
    with _client(decided_store) as client:

        def status(length: int) -> int:
            headers = {"content-type": "application/json"}
            content = wanted.ljust(length)
            return client.post("/api/v1/compare", content=content, headers=headers).status_code

        assert [status(2_000), status(2_001)] == [200, 413]
        assert [status(2_000) for _ in range(3)] == [200] * 3  # what was held is given back


def test_bodies_that_are_held_at_once_have_a_limit_together(decided_store: Path) -> None:
    head = (
        "POST /api/v1/compare HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\nConnection: close\r\n\r\n"
    )
    wanted = json.dumps({"runs": [], "results": []}).ljust(1_800).encode()
    whole = head.format(len(wanted)).encode() + wanted
    with _served(decided_store, SMALL) as port:
        with _connected(port) as first:
            first.sendall(head.format(2_000).encode() + b"x" * 1_900)
            refusal = ""

            def is_full() -> bool:
                nonlocal refusal
                with _connected(port) as second:
                    second.sendall(whole)
                    refusal = _answer(second)
                return " 503 " in refusal

            eventually(is_full, "a refusal")
            assert "too much is being sent to this dashboard at once" in refusal
            assert "retry-after: 5" in refusal

        def is_read() -> bool:
            with _connected(port) as third:
                third.sendall(whole)
                return " 200 " in _answer(third)

        eventually(is_read, "room")  # the first one gave up


# -- time ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "half",
    [HALF, b"POST /api/v1/compare HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"],
    ids=["headers", "body"],
)
def test_a_request_that_does_not_end_is_given_up(decided_store: Path, half: bytes) -> None:
    with (
        _served(decided_store, replace(VISITOR_LIMITS, request_seconds=0.2)) as port,
        _connected(port) as slow,
    ):
        slow.sendall(half)
        answer = _answer(slow)
    assert answer.startswith("HTTP/1.1 408 Request Timeout\r\n")
    assert answer.endswith("the request did not come to its end in time\n")


def test_the_second_request_of_a_connection_has_no_more_time(decided_store: Path) -> None:
    limits = replace(VISITOR_LIMITS, request_seconds=0.2)
    with _served(decided_store, limits) as port, _connected(port) as slow:
        slow.sendall(b"GET /api/v1/store HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert slow.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        slow.sendall(HALF)
        assert "408 Request Timeout" in _answer(slow)


def test_who_never_says_a_word_is_sent_away_in_silence(decided_store: Path) -> None:
    limits = replace(VISITOR_LIMITS, request_seconds=0.2)
    with _served(decided_store, limits) as port, _connected(port) as silent:
        assert _answer(silent) == ""


def test_an_answer_that_nobody_reads_is_given_up(
    decided_store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        _served(decided_store, replace(VISITOR_LIMITS, stalled_seconds=0.2)) as port,
        socket.socket() as deaf,
    ):
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", port))
        asked = b"GET /assets/vendor/d3.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
        deaf.sendall(asked * 30)  # more than the system's own buffers hold
        eventually(lambda: "an answer was not read in time" in caplog.text, "its end")


# -- connections -----------------------------------------------------------------------------


def test_those_who_never_finish_push_out_each_other(decided_store: Path) -> None:
    def ask(port: int) -> None:
        with _connected(port) as honest:
            honest.sendall(WHOLE)
            assert _answer(honest).startswith("HTTP/1.1 200 ")

    limits = replace(VISITOR_LIMITS, connections=5)
    with _served(decided_store, limits) as port, ExitStack() as stack:
        slow = [stack.enter_context(_connected(port)) for _ in range(4)]
        for connection in slow:
            connection.sendall(HALF)
        ask(port)  # there is room; and what the slow ones sent is read by now
        slow.append(stack.enter_context(_connected(port)))
        slow[-1].sendall(HALF)
        for _ in range(3):
            ask(port)
        refusal = _answer(slow[0])
        assert "503 Service Unavailable" in refusal
        assert "too many connections are open to this dashboard" in refusal
        slow[-1].sendall(WHOLE.removeprefix(HALF))  # the youngest was let be, and is answered
        assert _answer(slow[-1]).startswith("HTTP/1.1 200 ")


def test_streams_have_a_limit_and_leave_room_for_others(
    decided_store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stream = b"GET /api/v1/runs/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with (
        _served(decided_store, replace(VISITOR_LIMITS, connections=4, streams=2)) as port,
        ExitStack() as stack,
    ):
        listeners = [stack.enter_context(_connected(port)) for _ in range(2)]
        for listener in listeners:
            listener.sendall(stream)
            assert listener.recv(1 << 10).startswith(b"HTTP/1.1 200 ")

        def status() -> str:
            with _connected(port) as late:
                late.sendall(stream)
                return late.recv(1 << 10).decode().split()[1]

        eventually(lambda: status() == "503", "a refusal")
        with _connected(port) as late:
            late.sendall(stream.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            assert "too many pages listen to this dashboard at once" in _answer(late)
        assert "refused a stream to 127.0.0.1: 2 are open already" in caplog.text
        with _connected(port) as other:
            other.sendall(WHOLE)
            assert _answer(other).startswith("HTTP/1.1 200 ")
        for listener in listeners:
            listener.close()
        eventually(lambda: status() == "200", "room")


@pytest.mark.parametrize(
    "bytes_sent",
    [b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (32 << 10), b"\x16\x03\x01\x02\r\n\r\n"],
    ids=["long headers", "no HTTP"],
)
def test_what_is_no_request_is_refused_and_logged_a_few_times_only(
    decided_store: Path, caplog: pytest.LogCaptureFixture, bytes_sent: bytes
) -> None:
    caplog.set_level(logging.INFO)
    with _served(decided_store, VISITOR_LIMITS) as port:
        for _ in range(50):
            with _connected(port) as strange:
                strange.sendall(bytes_sent)
                assert _answer(strange).startswith("HTTP/1.1 400 ")
    lines = [line for line in caplog.messages if "Invalid HTTP request" in line]
    assert 20 <= len(lines) < 40  # 20 at once, then one in ten seconds
