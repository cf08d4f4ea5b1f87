import tracemalloc

import pytest

from bitarm.core.bits import Symbol
from bitarm.core.messages import Position, Report
from bitarm.errors import CorruptFrameError
from bitarm.wire import decode, pack
from bitarm.wire.frames.envelope import FrameKind, long_frame


@pytest.mark.parametrize(
    ("kind", "body", "complaint"),
    [
        (FrameKind.DISMISSALS, "00000000 00 01 01", "at least 2 messages, got 0"),
        (FrameKind.DISMISSALS, "00000000 01 01 00 01", "at least 2 messages, got 1"),
        (FrameKind.DISMISSALS, "00000000 02 03 00 00 01", "spare must be zero"),
        (FrameKind.REPORTS, "00000000 02 07 00 00 01 00", "spare must be zero"),
        (FrameKind.DISMISSALS, "00000000 02 01 00 00 03", "cause must be"),
        (FrameKind.DISMISSALS, "00000000 02 00 00 00 01 01", "cause has 2 times"),
        (FrameKind.REQUESTS, "00000000 02 04 01 00 00 02 02 05", "message has 2 times"),
        (FrameKind.REQUESTS, "00000000 02 04 02 00 00 02 05 05", "until has 2 times"),
        (FrameKind.REPORTS, "00000000 02 02 00 00 02 04 04 ff", "length has 2 times"),
        (FrameKind.REQUESTS, "00000000 02 04 03 00 00 00 05", "message must be at least 1"),
        (FrameKind.REQUESTS, "00000000 02 04 01 00 00 01 00 05", "message must be at least 1"),
        (FrameKind.REQUESTS, "00000000 02 04 03 00 00 01 05 00", "fields must end at bit"),
        (FrameKind.REQUESTS, "00000000 02 04 0f 00 00 01 05 02 00", "spare must be zero"),
        (FrameKind.POSITIONS, "00000000 02 07 00 00 01 05", "spare must be zero"),
        (FrameKind.POSITIONS, "00000000 02 03 00 00 00 05", "message must be at least 1"),
        (FrameKind.POSITIONS, "00000000 02 03 00 00 01 00", "pulls must be at least 1"),
        (FrameKind.POSITIONS, "00000000 02 02 00 00 01 05 05", "pulls has 2 times"),
        (FrameKind.POSITIONS, "00000000 02 03 00 00 01 05 00", "fields must end at bit"),
        (FrameKind.REPORTS, "00000000 02 03 00 00 01 03 ff", "padding must be zero, got 11"),
        (FrameKind.REPORTS, "00000000 02 03 00 00 01 03 fc 00", "fields must end at bit"),
        (FrameKind.REPORTS, "00000000 02 03 00 00 01 05 ff", "must end before bit"),
        (
            FrameKind.REPORTS,
            "00000000 02 03 00 00 01 ffffffffffffffffff01 ff",
            "must end before bit",
        ),
        (FrameKind.DISMISSALS, "00000000 02 01 ffffffffffffffffff01 00 01", "below 2\\^64"),
        (FrameKind.DISMISSALS, "00000000 02 01 00 ffffffffffffffffff01 01", "below 2\\^64"),
        (FrameKind.DISMISSALS, "00000000 04 01 00 00", "4 arms need as many bytes, 3 are left"),
    ],
)
def test_refused_bodies(kind: FrameKind, body: str, complaint: str) -> None:
    with pytest.raises(CorruptFrameError, match=complaint):
        decode(long_frame(kind, bytes.fromhex(body)))


def test_a_large_count_costs_nothing_before_it_is_checked() -> None:
    body = bytes.fromhex("00000000 ffffffff7f 03 00 00 01 00")  # 2^35 - 1 reports of no bits
    frame = long_frame(FrameKind.REPORTS, body)
    tracemalloc.start()
    try:
        with pytest.raises(CorruptFrameError, match="need as many bytes"):
            decode(frame)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_thousands_of_reports_cost_a_byte_and_their_bits_each() -> None:
    reports = tuple(
        Report(run=7, arm=arm, message=4, symbol=Symbol(arm % 8, 3)) for arm in range(20_000)
    )
    frame = pack(reports)
    # head, run, count, shape; arms; message and length; symbols; check sum
    assert len(frame) == (4 + 4 + 3 + 1) + 20_000 + (1 + 1) + 7_500 + 2
    assert decode(frame) == reports


def test_agents_that_are_ahead_tell_it_in_a_few_bytes_each() -> None:
    positions = tuple(Position(run=7, arm=arm, message=1, pulls=4096 + arm) for arm in range(100))
    frame = pack(positions)
    assert len(frame) == (4 + 4 + 1 + 1) + 100 + 1 + 2 * 100 + 2
    assert decode(frame) == positions
