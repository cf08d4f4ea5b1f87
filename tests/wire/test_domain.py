import math
import sys

import pytest

from bitarm.core.bits import Symbol
from bitarm.core.messages import Cause, Dismiss, Hint, HintKind, Message, Report, Request
from bitarm.errors import LocalProtocolError
from bitarm.wire import decode, encode

EMPTY = Symbol(0, 0)
TOO_LARGE = 2**64


def told(kind: HintKind, value: float) -> Request:
    return Request(run=0, arm=0, message=1, until=1, hint=Hint(kind=kind, value=value))


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (Report(run=2**32, arm=0, message=1, symbol=EMPTY), r"run must lie in \[0, 2\^32\)"),
        (Report(run=-1, arm=0, message=1, symbol=EMPTY), "run must lie .*, got -1"),
        (Report(run=0, arm=TOO_LARGE, message=1, symbol=EMPTY), "arm must lie"),
        (Report(run=0, arm=-1, message=1, symbol=EMPTY), "arm must lie"),
        (Report(run=0, arm=0, message=0, symbol=EMPTY), r"message must lie in \[1, 2\^64\), got 0"),
        (Report(run=0, arm=0, message=TOO_LARGE, symbol=EMPTY), "message must lie"),
        (Request(run=0, arm=0, message=0, until=1), "message must lie"),
        (Request(run=0, arm=0, message=1, until=-1), "until must lie"),
        (Request(run=0, arm=0, message=1, until=TOO_LARGE), "until must lie"),
        (told(HintKind.CUT, math.inf), "a hint must be finite, got inf"),
        (told(HintKind.CENTRE, -math.inf), "a hint must be finite, got -inf"),
        (told(HintKind.CUT, math.nan), "a hint must be finite, got nan"),
        (Dismiss(run=2**32, arm=0, cause=Cause.ENDED), "run must lie"),
    ],
)
def test_what_no_frame_can_hold_is_the_callers_fault(message: Message, complaint: str) -> None:
    with pytest.raises(LocalProtocolError, match=complaint):
        encode(message)


@pytest.mark.parametrize(
    "message",
    [
        Report(run=2**32 - 1, arm=2**64 - 1, message=2**64 - 1, symbol=EMPTY),
        Request(run=2**32 - 1, arm=2**64 - 1, message=2**64 - 1, until=2**64 - 1),
        Request(run=0, arm=0, message=1, until=0),
        told(HintKind.CENTRE, sys.float_info.max),
        told(HintKind.CUT, -5e-324),
        Dismiss(run=0, arm=2**64 - 1, cause=Cause.DROPPED),
    ],
)
def test_the_bounds_themselves_are_spelt(message: Message) -> None:
    assert decode(encode(message)) == (message,)
