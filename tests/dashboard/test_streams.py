"""Streams: everybody hears everything once, from one reader."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from dashboard.stores import SlowRun

from bitarm.dashboard.api import run_stream
from bitarm.dashboard.library import Library
from bitarm.dashboard.streams import Streams
from bitarm.store import SqliteJournal


class CountingLibrary:
    """A library that counts how often it is asked."""

    def __init__(self, path: Path) -> None:
        self.library = Library(path)
        self.asked = {"look": 0, "history": 0, "runs": 0}

    def __getattr__(self, name: str) -> Any:
        if name in self.asked:
            self.asked[name] += 1
        return getattr(self.library, name)


async def _next(stream: AsyncIterator[bytes], kind: str) -> dict[str, Any]:
    async with asyncio.timeout(10):
        async for text in stream:
            lines = text.decode().splitlines()
            if f"event: {kind}" in lines:
                data = next(line for line in lines if line.startswith("data: "))
                found: dict[str, Any] = json.loads(data.removeprefix("data: "))
                return found
    raise AssertionError("the stream ended")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def test_a_stream_continues_where_its_listener_is(path: Path) -> None:
    async def listen() -> None:
        slow, library = SlowRun(path), Library(path)
        streams = Streams(library, pace=0.01)
        async with streams.running():
            stream = streams.follow_run(slow.run, 0)
            position, rounds = 0, []
            while True:
                delta = await _next(stream, "run")
                assert delta["after"] == position
                position = delta["row"]["entries"]
                rounds += delta["timeline"]["rounds"]["round"]
                if delta["row"]["state"] == "ended":
                    break
                slow.play_round()
            assert rounds == list(range(1, slow.standings().round + 1))
            assert delta["row"]["best_arm_name"] == "north"
            assert delta["result"]["payload_bits"] == slow.standings().payload_bits
        slow.close()
        library.close()

    asyncio.run(listen())


def test_fifty_listeners_cost_one_reader(path: Path) -> None:
    async def listen() -> None:
        slow, library = SlowRun(path), CountingLibrary(path)
        streams = Streams(library, pace=0.01)  # type: ignore[arg-type]
        async with streams.running():
            listeners = [streams.follow_run(slow.run, 0) for _ in range(50)]
            texts = await asyncio.gather(*(_next(stream, "run") for stream in listeners))
            assert all(text == texts[0] for text in texts)
            before = dict(library.asked)
            slow.play_round()
            texts = await asyncio.gather(*(_next(stream, "run") for stream in listeners))
            assert all(text == texts[0] for text in texts)
            assert library.asked["history"] - before["history"] <= 2  # one, or one cut in two
        slow.close()
        library.library.close()

    asyncio.run(listen())


def test_who_asks_from_ever_new_positions_does_not_fill_the_memory(path: Path) -> None:
    async def listen() -> None:
        slow, library = SlowRun(path), CountingLibrary(path)
        streams = Streams(library, pace=0.01)  # type: ignore[arg-type]

        async def first(after: int) -> None:
            stream = streams.follow_run(slow.run, after)
            await _next(stream, "run")
            await stream.aclose()  # type: ignore[attr-defined]

        async with streams.running():
            other = streams.follow_runs()
            await _next(other, "runs")
            while library.asked["look"] < 2:  # until then the store itself is news
                await asyncio.sleep(0.01)
            before = library.asked["history"]
            await first(-1)
            await first(-1)
            assert library.asked["history"] == before + 1
            for position in range(2, 102):
                await first(-position)
            await first(-1)
            assert library.asked["history"] == before + 102  # it was not kept all the while
        slow.close()
        library.library.close()

    asyncio.run(listen())


def test_nobody_listens_nobody_looks(path: Path) -> None:
    async def idle() -> None:
        slow, library = SlowRun(path), CountingLibrary(path)
        streams = Streams(library, pace=0.001)  # type: ignore[arg-type]
        async with streams.running():
            await asyncio.sleep(0.05)
            assert library.asked["look"] == 0
            stream = streams.follow_runs()
            await _next(stream, "runs")
            await stream.aclose()  # type: ignore[attr-defined]
            await asyncio.sleep(0.05)
            looks = library.asked["look"]
            await asyncio.sleep(0.05)
            assert library.asked["look"] == looks
        slow.close()
        library.library.close()

    asyncio.run(idle())


def test_the_stream_of_runs_tells_what_changed(path: Path) -> None:
    async def listen() -> None:
        slow, library = SlowRun(path), Library(path)
        streams = Streams(library, pace=0.01)
        async with streams.running():
            stream = streams.follow_runs()
            assert [row["run"] for row in (await _next(stream, "runs"))["runs"]] == [1]
            second = SlowRun(path)
            assert [row["run"] for row in (await _next(stream, "runs"))["runs"]] == [2]
            slow.play_round()
            assert [row["run"] for row in (await _next(stream, "runs"))["runs"]] == [1]
            second.close()
        slow.close()
        library.close()

    asyncio.run(listen())


def test_the_stream_of_runs_tells_that_some_are_gone(path: Path) -> None:
    async def listen() -> None:
        old, new, library = SlowRun(path), SlowRun(path), Library(path)
        streams = Streams(library, pace=0.01)
        async with streams.running():
            stream = streams.follow_runs()
            assert (await _next(stream, "runs"))["total"] == 2
            with closing(SqliteJournal.open(path)) as journal:
                journal.delete(next(run for run in journal.runs() if run.run == old.run))
            assert await _next(stream, "runs") == {"runs": [], "total": 1}
        old.close()
        new.close()
        library.close()

    asyncio.run(listen())


def test_a_store_that_fails_is_a_message_and_comes_back(path: Path) -> None:
    async def listen() -> None:
        library = Library(path)
        streams = Streams(library, pace=0.01)
        async with streams.running():
            stream = streams.follow_runs()
            assert "there is no journal" in (await _next(stream, "problem"))["error"]
            slow = SlowRun(path)
            assert (await _next(stream, "runs"))["total"] == 1
            slow.close()
        library.close()

    asyncio.run(listen())


def test_closing_ends_every_stream(path: Path) -> None:
    async def listen() -> int:
        slow, library = SlowRun(path), Library(path)
        streams = Streams(library, pace=0.01)
        heard = 0
        async with streams.running():
            stream = streams.follow_run(slow.run, 0)
            await _next(stream, "run")
            streams.close()
            async with asyncio.timeout(5):
                async for _ in stream:
                    heard += 1
        slow.close()
        library.close()
        return heard

    assert asyncio.run(listen()) == 0


@pytest.mark.parametrize("position", ["9" * 5000, "²", "", "-1", "0x1"])
def test_a_position_that_is_none_of_ours_is_left_aside(position: str, decided_store: Path) -> None:
    """A browser sends back what it got; others may send what no number can be."""

    async def first() -> bytes:
        streams = Streams(Library(decided_store))
        async with streams.running():
            response = await run_stream(streams, 1, after=3, last_event_id=position)
            parts = aiter(response.body_iterator)
            assert await anext(parts) == b"retry: 1000\n\n"
            part = await anext(parts)
            assert isinstance(part, bytes)
            return part

    assert b'"after":3' in asyncio.run(first())
