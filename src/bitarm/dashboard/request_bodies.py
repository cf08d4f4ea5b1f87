"""Bodies of requests: how long one may be, and all of them together.

A body that is too long is not kept: as much of it is read and thrown away as it takes to be heard.
"""

from typing import final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bitarm.dashboard.limits import VisitorLimits
from bitarm.peer_log import PeerLog

COMPARE = "/api/v1/compare"


@final
class Bodies:
    """Middleware around the whole application: refuses (413, 503) what is too much to hold."""

    def __init__(self, app: ASGIApp, *, limits: VisitorLimits) -> None:
        self._app = app
        self._limits = limits
        self._log = PeerLog("bitarm.dashboard", peers="visitor")
        self._held = 0  # bytes of all bodies that are being read or used

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose body is short enough, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limits = self._limits
        most = limits.compared_bytes if scope["path"] == COMPARE else limits.body_bytes
        body = _Body(receive, most=most, declared=_declared(scope))
        closing = _closing_unless_read(send, body)
        if body.declared > most:
            if body.declared <= limits.drained_bytes:
                await body.drain()
            await self._refused(scope, 413, body.too_long())(scope, receive, closing)
            return

        async def counted() -> Message:
            before = body.received
            try:
                message = await body.receive()
            finally:
                self._held += body.received - before
            if body.received > most:
                self._note(scope, body.too_long())
                raise HTTPException(413, body.too_long())
            if self._held > limits.bodies_bytes:
                full = "too much is being sent to this dashboard at once: try again in a moment"
                self._note(scope, full)
                raise HTTPException(503, full, headers={"retry-after": "5"})
            return message

        try:
            await self._app(scope, counted, closing)
        finally:
            self._held -= body.received

    def _refused(self, scope: Scope, status: int, why: str) -> JSONResponse:
        self._note(scope, why)
        return JSONResponse({"error": why}, status_code=status)

    def _note(self, scope: Scope, why: str) -> None:
        visitor = scope["client"][0] if scope.get("client") else "a visitor"
        self._log.warning("refused, from %s: %s", visitor, why, peer=visitor)


@final
class _Body:
    """One request's body as it comes in."""

    def __init__(self, receive: Receive, *, most: int, declared: int) -> None:
        self._receive = receive
        self._most = most
        self.declared = declared
        self.received = 0
        self.is_whole = declared == 0

    async def receive(self) -> Message:
        """The next part of it; or that the visitor is gone."""
        message = await self._receive()
        if message["type"] == "http.request":
            self.received += len(message.get("body", b""))
            self.is_whole = not message.get("more_body", False)
        else:
            self.is_whole = True  # nothing more will come
        return message

    async def drain(self) -> None:
        """Read it to its end and keep nothing of it."""
        while not self.is_whole:
            await self.receive()

    def too_long(self) -> str:
        """Why it is refused."""
        size = self.declared or self.received
        return f"a request here has at most {self._most:,} bytes, this one has {size:,} or more"


def _declared(scope: Scope) -> int:
    """The length that a request says its body has; 1 if it comes in pieces of unknown number."""
    headers = Headers(scope=scope)
    if "transfer-encoding" in headers:
        return 1
    return int(headers.get("content-length", "0"))  # digits, or the parser had refused it


def _closing_unless_read(send: Send, body: _Body) -> Send:
    """Close the connection after an answer that came before the end of the question.

    The rest of the body would otherwise be read, to find the next request behind it.
    """

    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start" and not body.is_whole:
            MutableHeaders(scope=message)["connection"] = "close"
        await send(message)

    return sender
