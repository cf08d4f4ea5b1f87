from dataclasses import replace

import pytest

from bitarm.core.bits import Symbol
from bitarm.core.messages import Hint, HintKind, Report, Request
from bitarm.errors import CorruptFrameError, LocalProtocolError
from bitarm.wire import MAX_BYTES, decode, encode
from bitarm.wire.envelope import Kind, long_frame


@pytest.mark.parametrize(
    ("kind", "body", "complaint"),
    [
        (Kind.REPORT, "00000000 03 01 03 a0", "must come in a short frame"),
        (Kind.REPORT, "00000000 ffff03 39 10 ffff", "must come in a short frame"),
        (Kind.REPORT, "00000000 03 3a 03 a1", "padding must be zero, got 00001"),
        (Kind.REPORT, "00000000 03 3a 03 b0", "padding must be zero, got 10000"),
        (Kind.REPORT, "00000000 03 00 03 a0", "message must be at least 1"),
        (Kind.REPORT, "00000000 03 3a 03", "must end before bit"),
        (Kind.REPORT, "00000000 03 3a 09 a0", "must end before bit"),
        (Kind.REPORT, "00000000 03 3a 00 00", "fields must end at bit"),
        (Kind.REPORT, "00000000 03 3a ffffffffffffffffff01 a0", "must end before bit"),
        (Kind.REQUEST, "00000000 03 00 05", "message must be at least 1"),
        (Kind.REQUEST, "00000000 03 01 05 00", "fields must end at bit"),
        (Kind.REQUEST, "00000000 03 01", "before byte"),
        (Kind.REQUEST, "00000000 8300 01 05", "superfluous"),
        (Kind.HINTED_REQUEST, "00000000 03 00 05 02 3fe0000000000000", "message must be at least"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 00 0000000000000000", "in a plain frame"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 00 3fe0000000000000", r"\(cut\), got 0"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 03 3fe0000000000000", r"\(cut\), got 3"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 8200 3fe0000000000000", "superfluous"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 01 8000000000000000", "without a sign"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 02 7ff0000000000000", "finite, got inf"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 01 fff0000000000000", "finite, got -inf"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 02 7ff8000000000000", "finite, got nan"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 02 fff0000000000001", "finite, got nan"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05", "before byte"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 02 3fe00000000000", "must end before bit"),
        (Kind.HINTED_REQUEST, "00000000 03 01 05 02 3fe000000000000000", "fields must end at bit"),
        (Kind.REQUEST, "00000000 03 01 05 02 3fe0000000000000", "fields must end at bit"),
        (Kind.DISMISS, "00000000 03 00", "cause must be"),
        (Kind.DISMISS, "00000000 03 03", "cause must be"),
        (Kind.DISMISS, "00000000 03 8100", "superfluous"),
        (Kind.DISMISS, "00000000 03 01 00", "fields must end at bit"),
    ],
)
def test_refused_bodies(kind: Kind, body: str, complaint: str) -> None:
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


def test_a_hint_takes_nine_bytes_and_comes_back_to_the_last_bit() -> None:
    plain = Request(run=7, arm=3, message=2, until=300)
    for value in (0.0, 0.1, -1e-308, 5e-324, 1.7976931348623157e308):
        for kind in HintKind:
            hinted = replace(plain, hint=Hint(kind=kind, value=value))
            assert len(encode(hinted)) == len(encode(plain)) + 9
            assert decode(encode(hinted)) == (hinted,)


def test_zero_has_one_spelling_whatever_its_sign() -> None:
    plus, minus = (
        Request(run=7, arm=3, message=2, until=300, hint=Hint(kind=HintKind.CUT, value=value))
        for value in (0.0, -0.0)
    )
    assert encode(plus) == encode(minus)
