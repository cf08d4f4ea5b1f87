import pytest

from bitarm.core.bits import Symbol
from bitarm.core.messages import Report
from bitarm.errors import CorruptFrameError, LocalProtocolError
from bitarm.wire import MAX_BYTES, decode, encode
from bitarm.wire.frames.envelope import FrameKind, long_frame


@pytest.mark.parametrize(
    ("kind", "body", "complaint"),
    [
        (FrameKind.REPORT, "00000000 03 01 03 a0", "must come in a short frame"),
        (FrameKind.REPORT, "00000000 ffff03 39 10 ffff", "must come in a short frame"),
        (FrameKind.REPORT, "00000000 03 3a 03 a1", "padding must be zero, got 00001"),
        (FrameKind.REPORT, "00000000 03 3a 03 b0", "padding must be zero, got 10000"),
        (FrameKind.REPORT, "00000000 03 00 03 a0", "message must be at least 1"),
        (FrameKind.REPORT, "00000000 03 3a 03", "must end before bit"),
        (FrameKind.REPORT, "00000000 03 3a 09 a0", "must end before bit"),
        (FrameKind.REPORT, "00000000 03 3a 00 00", "fields must end at bit"),
        (FrameKind.REPORT, "00000000 03 3a ffffffffffffffffff01 a0", "must end before bit"),
        (FrameKind.REQUEST, "00000000 03 00 04 05", "message must be at least 1"),
        (FrameKind.REQUEST, "00000000 03 01 04 05 00", "fields must end at bit"),
        (FrameKind.REQUEST, "00000000 03 01 04", "before byte"),
        (FrameKind.REQUEST, "00000000 8300 01 04 05", "superfluous"),
        (FrameKind.POSITION, "00000000 03 00 05", "message must be at least 1"),
        (FrameKind.POSITION, "00000000 03 01 00", "pulls must be at least 1"),
        (FrameKind.POSITION, "00000000 03 01 8500", "superfluous"),
        (FrameKind.POSITION, "00000000 03 01", "before byte"),
        (FrameKind.POSITION, "00000000 03 01 05 00", "fields must end at bit"),
        (FrameKind.DISMISS, "00000000 03 00", "cause must be"),
        (FrameKind.DISMISS, "00000000 03 03", "cause must be"),
        (FrameKind.DISMISS, "00000000 03 8100", "superfluous"),
        (FrameKind.DISMISS, "00000000 03 01 00", "fields must end at bit"),
    ],
)
def test_refused_bodies(kind: FrameKind, body: str, complaint: str) -> None:
    with pytest.raises(CorruptFrameError, match=complaint):
        decode(long_frame(kind, bytes.fromhex(body)))


def test_the_longest_symbol() -> None:
    room = MAX_BYTES - 6 - 4 - 1 - 1 - 3  # head and check sum, run, arm, message, length
    longest = Report(run=1, arm=1, message=1, symbol=Symbol((1 << 8 * room) - 1, 8 * room))
    frame = encode(longest)
    assert len(frame) == MAX_BYTES
    assert decode(frame) == (longest,)
    with pytest.raises(LocalProtocolError, match="at most 32767 bytes"):
        encode(Report(run=1, arm=1, message=1, symbol=Symbol(0, 8 * room + 1)))
