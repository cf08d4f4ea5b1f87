"""Connections of visitors: how many, and how long one may keep others waiting.

A connection is *idle* until its request is whole, *stalled* while nobody reads its answer, and
otherwise busy with an answer or a stream. When there are too many, the one that was idle for
longest goes: who means to ask something asks within a moment, and a thousand who never finish
their request push out each other, not the one who does.
"""

import asyncio
from http import HTTPStatus
from typing import Any, ClassVar, final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from bitarm.dashboard.limits import VisitorLimits
from bitarm.peer_log import PeerLog

_TIMED_OUT, _UNAVAILABLE = HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.SERVICE_UNAVAILABLE
_FULL = "too many connections are open to this dashboard: try again in a moment"
_SLOW = "the request did not come to its end in time"
_UNREAD = "an answer was not read in time"


@final
class Connections:
    """All open connections of one server, the idle and the stalled ones in order of their age."""

    def __init__(self, limits: VisitorLimits) -> None:
        self.limits = limits
        self.log = PeerLog("bitarm.dashboard", peers="visitor")
        self._open: set[Visitor] = set()
        self._idle: dict[Visitor, None] = {}  # a dict keeps the order
        self._stalled: dict[Visitor, None] = {}

    def add(self, visitor: "Visitor") -> None:
        """Take in a new connection; if there are too many now, the longest idle one goes.

        That is the new one itself if all others are busy.
        """
        self._open.add(visitor)
        self._idle[visitor] = None
        if len(self._open) > self.limits.connections:
            next(iter(self._idle)).refuse(_UNAVAILABLE, _FULL)

    def discard(self, visitor: "Visitor") -> None:
        """Forget a connection that was closed."""
        self._open.discard(visitor)
        self._idle.pop(visitor, None)
        self._stalled.pop(visitor, None)

    def waits(self, visitor: "Visitor", *, idle: bool) -> None:
        """Note whether a connection's next request is still to come to its end."""
        if idle:
            self._idle.setdefault(visitor)
        else:
            self._idle.pop(visitor, None)

    def stalls(self, visitor: "Visitor", *, stalled: bool) -> None:
        """Note whether a connection's answer waits for a visitor to read it."""
        self._stalled.pop(visitor, None)
        if stalled and visitor in self._open:
            self._stalled[visitor] = None
            if len(self._stalled) > self.limits.stalled:
                next(iter(self._stalled)).abandon()


class Visitor(H11Protocol):
    """One connection, which has limited time to ask and to listen."""

    connections_of_server: ClassVar[Connections]

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._asks_until: asyncio.TimerHandle | None = None
        self._reads_until: asyncio.TimerHandle | None = None

    # -- what the transport says -------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A visitor connects."""
        super().connection_made(transport)
        self._expect_request()
        self.connections_of_server.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The visitor, or we, hung up."""
        self.connections_of_server.discard(self)
        self._expect_nothing()
        self._is_read()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Part of a request, or all of it."""
        if self.transport.is_closing():
            return  # it was refused: what it still had to say is not read
        if self._asks_until is None and self._is_idle:
            self._expect_request()
        super().data_received(data)
        self._look()

    def pause_writing(self) -> None:
        """More of an answer waits than a connection holds."""
        super().pause_writing()
        self.connections_of_server.stalls(self, stalled=True)
        if self._reads_until is None:
            seconds = self.connections_of_server.limits.stalled_seconds
            self._reads_until = self.loop.call_later(seconds, self.abandon)

    def resume_writing(self) -> None:
        """The visitor reads."""
        super().resume_writing()
        self._is_read()

    def on_response_complete(self) -> None:
        """Wait for the next request, which the server's own time-out limits until it begins."""
        super().on_response_complete()
        self._look()

    def send_400_response(self, msg: str) -> None:
        """What was sent is no HTTP, or its headers are too long."""
        self._note(msg)
        super().send_400_response(msg)

    # -- what is done about it ---------------------------------------------------------------

    def refuse(self, status: HTTPStatus, why: str) -> None:
        """Hang up, and say why to one who began to ask, or who is turned away at the door."""
        self._note(why)
        self._expect_nothing()
        self.connections_of_server.discard(self)
        cycle = self.cycle  # of the request before, if the next one's headers are not whole
        has_begun = bool(self.conn.trailing_data[0]) or self.conn.their_state is h11.SEND_BODY
        is_new = cycle is None and status == _UNAVAILABLE
        is_answered = cycle is not None and cycle.response_started and not cycle.response_complete
        if (has_begun or is_new) and not is_answered:
            text = f"{why}\n".encode()
            head = (
                f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: text/plain\r\n"
                f"content-length: {len(text)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + text)
        self.transport.close()

    def abandon(self) -> None:
        """Hang up without waiting for what was not read."""
        self._note(_UNREAD)
        self.connections_of_server.discard(self)
        self.transport.abort()

    @property
    def _is_idle(self) -> bool:
        """Whether its request is not whole yet; between two requests it is so, too."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        self.connections_of_server.waits(self, idle=self._is_idle)
        if not self._is_idle:
            self._expect_nothing()

    def _expect_request(self) -> None:
        self._expect_nothing()
        seconds = self.connections_of_server.limits.request_seconds
        self._asks_until = self.loop.call_later(seconds, self.refuse, _TIMED_OUT, _SLOW)

    def _expect_nothing(self) -> None:
        if self._asks_until is not None:
            self._asks_until.cancel()
            self._asks_until = None

    def _is_read(self) -> None:
        self.connections_of_server.stalls(self, stalled=False)
        if self._reads_until is not None:
            self._reads_until.cancel()
            self._reads_until = None

    def _note(self, why: str) -> None:
        visitor = self.client[0] if self.client else "a visitor"
        log = self.connections_of_server.log
        log.warning("hung up on %s: %s", visitor, why, peer=visitor)


def visitors_within(limits: VisitorLimits) -> type[Visitor]:
    """The class of connections that a server within these limits makes."""
    return type("BoundedVisitor", (Visitor,), {"connections_of_server": Connections(limits)})
