"""Streams of server-sent events: one reader of the journal, many listeners.

A single task looks at the store a few times a second while somebody listens. What is new in a run
is folded and written as text once, however many listeners get it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar, final

from pydantic import TypeAdapter

from bitarm.dashboard.library import Library
from bitarm.dashboard.limits import VISITOR_LIMITS
from bitarm.dashboard.views import ErrorView, RunDelta, RunList, RunRow
from bitarm.errors import BitarmError
from bitarm.peer_log import PeerLog

PACE = 0.25
"""Seconds between two looks: an eye sees motion, a disk sees next to nothing."""

_HEARTBEAT = 15.0  # seconds of silence after which a proxy might hang up
_NEWEST = 200  # runs that the stream of all runs speaks of
_MOST_MADE = 32  # answers that wait for others who ask the same: each may have megabytes
_RETRY = b"retry: 1000\n\n"  # milliseconds after which a browser asks again
_STILL_HERE = b": still here\n\n"
_DELTAS = TypeAdapter(RunDelta)
_LISTS = TypeAdapter(RunList)
_ERRORS = TypeAdapter(ErrorView)

Made = TypeVar("Made")


@final
class Streams:
    """Tells listeners what is new in a library; belongs to one event loop."""

    def __init__(
        self, library: Library, *, pace: float = PACE, most: int = VISITOR_LIMITS.streams
    ) -> None:
        self._library = library
        self._pace = pace
        self._most = most
        self._log = PeerLog("bitarm.dashboard", peers="visitor")
        self._listeners = 0
        self._wanted = asyncio.Event()  # somebody listens
        self._news = asyncio.Event()  # set at the next change, then replaced
        self._closed = False
        self._made: dict[Hashable, asyncio.Task[Any]] = {}  # since the last change, oldest first

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Watch the store until the end of the block."""
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            self.close()
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        self._publish()

    def turns_away(self, visitor: str) -> bool:
        """Whether as many listen as may, so that `visitor` cannot; that is logged."""
        is_full = self._listeners >= self._most
        if is_full:
            self._log.warning(
                "refused a stream to %s: %s are open already",
                visitor,
                self._listeners,
                peer=visitor,
            )
        return is_full

    async def follow_run(self, run: int, after: int) -> AsyncIterator[bytes]:
        """What happens in a run above entry `after`."""
        yield _RETRY
        async for news in self._changes():
            if not news:
                yield _STILL_HERE
                continue
            try:
                end, text = await self._once((run, after), self._delta, run, after)
            except BitarmError as error:
                yield _problem(error)
                continue
            if end > after:
                after = end
                yield text

    async def follow_runs(self) -> AsyncIterator[bytes]:
        """The newest runs, then those of them that change, and how many runs there are."""
        yield _RETRY
        told: dict[int, RunRow] = {}
        total = -1
        async for news in self._changes():
            if not news:
                yield _STILL_HERE
                continue
            try:
                runs = await self._once("runs", self._runs)
            except BitarmError as error:
                yield _problem(error)
                continue
            rows = [row for row in runs.runs if told.get(row.run) != row]
            if rows or runs.total != total:
                yield _sent("runs", _LISTS.dump_json(replace(runs, runs=rows)))
            told, total = {row.run: row for row in runs.runs}, runs.total

    async def _changes(self) -> AsyncIterator[bool]:
        """True at first and after every change, False after a long silence."""
        self._listeners += 1
        self._wanted.set()
        try:
            news = True
            while not self._closed:
                next_news = self._news  # taken first: what changes meanwhile is not missed
                yield news
                try:
                    await asyncio.wait_for(next_news.wait(), _HEARTBEAT)
                    news = True
                except TimeoutError:
                    news = False
        finally:
            self._listeners -= 1
            if not self._listeners:
                self._wanted.clear()

    async def _once(self, key: Hashable, make: Callable[..., Made], *about: object) -> Made:
        """What `make` gives: in another thread, once for all who ask before the next change.

        If very different things are asked for, the oldest of them may be made again.
        """
        task = self._made.get(key)
        if task is None:
            task = self._made[key] = asyncio.create_task(asyncio.to_thread(make, *about))
            if len(self._made) > _MOST_MADE:
                del self._made[next(iter(self._made))]
        made: Made = await asyncio.shield(task)  # a listener that leaves takes nothing from others
        return made

    def _delta(self, run: int, after: int) -> tuple[int, bytes]:
        with self._library.history(run) as history:
            delta = history.delta(after)
        end = delta.row.entries
        return end, _sent("run", _DELTAS.dump_json(delta), position=end)

    def _runs(self) -> RunList:
        return self._library.runs(limit=_NEWEST)

    async def _watch(self) -> None:
        seen: int | str = 0
        while True:
            await self._wanted.wait()
            try:
                found: int | str = await asyncio.to_thread(self._library.look)
            except BitarmError as error:
                found = str(error)
            if found != seen:
                self._publish()
            seen = found
            await asyncio.sleep(self._pace)

    def _publish(self) -> None:
        self._made.clear()
        news, self._news = self._news, asyncio.Event()
        news.set()


def _sent(kind: str, data: bytes, *, position: int | None = None) -> bytes:
    """One server-sent event; a browser that lost the line asks again from its position."""
    head = f"event: {kind}\n" + ("" if position is None else f"id: {position}\n")
    return head.encode() + b"data: " + data + b"\n\n"


def _problem(error: BitarmError) -> bytes:
    return _sent("problem", _ERRORS.dump_json(ErrorView(error=str(error))))
