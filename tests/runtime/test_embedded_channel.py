"""The embedded channel: what goes in comes out, in order, as frames that are counted."""

import pytest

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins, Raw
from bitarm.core.events import TrafficMeasured
from bitarm.core.messages import Answer, Cause, Dismiss, Position, Report, Request
from bitarm.core.question import Question
from bitarm.runtime.embedded import MemoryChannel

_DOWN: list[Request | Dismiss] = [
    Request(run=7, arm=0, message=1, question=Question(until=2, code=Raw())),
    Request(
        run=7,
        arm=300,
        message=9,
        question=Question(until=10**12, code=Bins(low=0.1, step=0.3, bins=8)),
    ),
    Dismiss(run=7, arm=1, cause=Cause.DROPPED),
    Dismiss(run=7, arm=0, cause=Cause.ENDED),
]
_UP: list[Answer] = [
    Report(run=7, arm=0, message=1, symbol=Symbol(5, 3)),
    Report(run=7, arm=300, message=2, symbol=Symbol(0, 0)),
    Report(run=7, arm=1, message=1, symbol=Symbol(2**64 - 1, 64)),
    Position(run=7, arm=2, message=1, pulls=4096),
]


def test_a_new_channel_is_empty_and_has_carried_nothing() -> None:
    channel = MemoryChannel()
    assert channel.receive_down() == ()
    assert channel.receive_up() == ()
    assert channel.measured() == TrafficMeasured(
        payload_bytes=0, wire_bytes_up=0, wire_bytes_down=0
    )


def test_messages_come_out_in_the_order_in_which_they_went_in() -> None:
    channel = MemoryChannel()
    for message in _DOWN:
        channel.send_down(message)
    for answer in _UP:
        channel.send_up(answer)
    assert [channel.receive_down() for _ in range(5)] == [*((m,) for m in _DOWN), ()]
    assert [channel.receive_up() for _ in range(5)] == [*((r,) for r in _UP), ()]


def test_traffic_is_the_length_of_the_frames_each_way() -> None:
    channel = MemoryChannel()
    for message in _DOWN:
        channel.send_down(message)
    for answer in _UP:
        channel.send_up(answer)
    measured = channel.measured()
    assert measured.wire_bytes_down == sum(len(wire.encode(message)) for message in _DOWN)
    assert measured.wire_bytes_up == sum(len(wire.encode(answer)) for answer in _UP)
    assert measured.payload_bytes == 1 + 0 + 8  # a position has no payload


def test_receiving_does_not_change_what_was_measured() -> None:
    channel = MemoryChannel()
    channel.send_up(_UP[0])
    before = channel.measured()
    channel.receive_up()
    assert channel.measured() == before


def test_nothing_but_frames_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes out was decoded from bytes: a frame that is changed on its way is noticed."""
    seen: list[bytes] = []
    decode = wire.decode

    def spying(frame: bytes) -> object:
        seen.append(frame)
        return decode(frame)

    monkeypatch.setattr(wire, "decode", spying)
    channel = MemoryChannel()
    channel.send_down(_DOWN[0])
    assert channel.receive_down() == (_DOWN[0],)
    assert seen == [wire.encode(_DOWN[0])]
