"""The page's application as it answers any request: never with an error of its own.

Spoken to as a server does, without one: a request goes in, the answer's status comes out.
"""

import asyncio
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dashboard.stores import identify_into, open_run_in
from fuzzing.services import Reader
from fuzzing.texts import damaged, spoilt

from bitarm.dashboard.app import create_app
from bitarm.dashboard.limits import VISITOR_LIMITS

_WITHIN = 20.0  # seconds for one answer
_PIECES = (
    *("0", "1", "2", "3", "-1", "99", "9223372036854775807", "9223372036854775808", "1e9", "x"),
    *("", "nan", "inf", "%00", "..", "%2e%2e", "%ff", "é", "'", '"', "<script>", "null", "0.5"),
)
_COMPARISON = json.dumps({"runs": [1, 2], "results": [{"points": [{"samples": 1.0}]}]})
_METHODS = ("GET",) * 12 + ("POST", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "\x00")


def requests(rng: random.Random, count: int) -> Iterator[bytes]:
    """Requests as JSON: a method, a path, a query, headers, and a body as hexadecimal digits."""
    paths, words = _known()
    for _ in range(count):
        path = rng.choice(paths)
        for part in ("{run}", "{sequence}"):
            path = path.replace(part, rng.choice(_PIECES[:5] if rng.random() < 0.7 else _PIECES))
        if rng.random() < 0.05:
            path = damaged(rng, path.encode()).decode("latin-1")
        asked = rng.sample(words, rng.randrange(4)) if words else []
        query = "&".join(f"{word}={quote(rng.choice(_PIECES), safe='%')}" for word in asked)
        yield json.dumps(
            {
                "method": "POST" if path.endswith("compare") else rng.choice(_METHODS),
                "path": path,
                "query": query if rng.random() < 0.95 else damaged(rng, query.encode()).hex(),
                "headers": _headers(rng),
                "body": _body(rng).hex(),
            }
        ).encode()


def _known() -> tuple[list[str], list[str]]:
    """Paths of the API and of pages, and the words of their queries."""
    document = create_app(Path("nowhere")).openapi()["paths"]
    words = {
        parameter["name"]
        for methods in document.values()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query"
    }
    pages = ["/", "/runs/{run}", "/compare", "/explain", "/sign-in", "/assets/page.css", "/x"]
    api = [path for path in document if not path.endswith("/stream")]
    return [*api, *api, *pages], sorted(words)


def _headers(rng: random.Random) -> list[tuple[str, str]]:
    headers = [("host", rng.choice(("localhost",) * 30 + ("example.org", "", "[::1", "\xff")))]
    if rng.random() < 0.1:  # digits: a server passes nothing else on
        headers.append(("content-length", str(rng.choice((0, 1, 10**6, 10**12, 10**30)))))
    others = ("content-type", "cookie", "accept", "range", "last-event-id")
    values = ("application/json", "bytes=0-", *_PIECES)
    return headers + [(name, rng.choice(values)) for name in others if rng.random() < 0.15]


def _body(rng: random.Random) -> bytes:
    match rng.randrange(4):
        case 0:
            return b""
        case 1:
            return rng.randbytes(rng.randrange(60))
        case 2:
            return damaged(rng, _COMPARISON.encode())
        case _:
            return json.dumps(spoilt(rng, _COMPARISON)).encode()


def asked_page() -> Reader:
    """A page of a few runs; an answer of 500, or none, is a failure."""
    store = Path(tempfile.mkdtemp(prefix="bitarm-fuzz-")) / "runs.sqlite"
    identify_into(store, seed=1)
    identify_into(store, seed=2, quantizer="quban", max_rounds=4)
    open_run_in(store, rounds=2)
    app, loop = create_app(store), asyncio.new_event_loop()
    assert VISITOR_LIMITS.body_bytes > 0

    def take(payload: bytes) -> None:
        status = loop.run_until_complete(asyncio.wait_for(_ask(app, json.loads(payload)), _WITHIN))
        assert status is not None, "no answer"
        assert status < 500 or status == 503, f"answered with {status}"

    return take


async def _ask(app: Any, wanted: dict[str, Any]) -> int | None:
    told = [{"type": "http.request", "body": bytes.fromhex(wanted["body"])}]
    status: int | None = None

    async def receive() -> dict[str, Any]:
        return told.pop() if told else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": wanted["method"],
        "scheme": "http",
        "path": wanted["path"],
        "raw_path": wanted["path"].encode(),
        "query_string": wanted["query"].encode(),
        "root_path": "",
        "headers": [(n.encode(), v.encode("utf-8", "replace")) for n, v in wanted["headers"]],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "state": {},
    }
    await app(scope, receive, send)
    return status
