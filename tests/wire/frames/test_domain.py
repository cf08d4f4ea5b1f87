import sys

import pytest

from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins, Code, Levels, Nearest, Raw
from bitarm.core.messages import Cause, Dismiss, Message, Position, Report, Request
from bitarm.core.question import Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import LocalProtocolError
from bitarm.wire import decode, encode, pack

EMPTY = Symbol(0, 0)
TOO_LARGE = 2**64
MOST = sys.float_info.max


def asked(code: Code, *, message: int = 1, until: int = 1) -> Request:
    question = Question(until=until, code=code)
    return Request(run=0, arm=0, message=message, question=question)


def levels(dither: float) -> Levels:
    return Levels(step=1.0, centre=0, dither=dither)


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (Report(run=2**32, arm=0, message=1, symbol=EMPTY), r"run must lie in \[0, 2\^32\)"),
        (Report(run=-1, arm=0, message=1, symbol=EMPTY), "run must lie .*, got -1"),
        (Report(run=0, arm=TOO_LARGE, message=1, symbol=EMPTY), "arm must lie"),
        (Report(run=0, arm=-1, message=1, symbol=EMPTY), "arm must lie"),
        (Report(run=0, arm=0, message=0, symbol=EMPTY), r"message must lie in \[1, 2\^64\), got 0"),
        (Report(run=0, arm=0, message=TOO_LARGE, symbol=EMPTY), "message must lie"),
        (asked(Raw(), message=0), "message must lie"),
        (asked(Raw(), message=TOO_LARGE), "message must lie"),
        (asked(levels(2.0**-33)), r"dither must be a multiple of 2\^−32, got 1.16"),
        (asked(levels(0.1)), r"dither must be a multiple of 2\^−32, got 0.1"),
        (Position(run=0, arm=0, message=0, pulls=1), "message must lie"),
        (Position(run=0, arm=0, message=1, pulls=0), r"pulls must lie in \[1, 2\^64\), got 0"),
        (Position(run=0, arm=0, message=1, pulls=TOO_LARGE), "pulls must lie"),
        (Dismiss(run=2**32, arm=0, cause=Cause.ENDED), "run must lie"),
    ],
)
def test_what_no_frame_can_hold_is_the_callers_fault(message: Message, complaint: str) -> None:
    with pytest.raises(LocalProtocolError, match=complaint):
        encode(message)
    with pytest.raises(LocalProtocolError, match=complaint):
        pack([message, Dismiss(run=0, arm=1, cause=Cause.ENDED)])


@pytest.mark.parametrize(
    "message",
    [
        Report(run=2**32 - 1, arm=2**64 - 1, message=2**64 - 1, symbol=EMPTY),
        asked(Raw(), message=2**64 - 1, until=MAX_PULLS),
        asked(Raw(), until=1),
        asked(Bins(low=MOST, step=5e-324, bins=2**53)),
        asked(Bins(low=-MOST, step=MOST, bins=1)),
        asked(Nearest(centre=-5e-324, step=5e-324, divisor=2**40, escape=64)),
        asked(Nearest(centre=MOST, step=MOST, divisor=1, escape=1)),
        asked(Levels(step=MOST, centre=2**50 - 1, dither=1 - 2.0**-32)),
        asked(Levels(step=5e-324, centre=1 - 2**50, dither=2.0**-32)),
        Position(run=0, arm=0, message=1, pulls=2**64 - 1),
        Dismiss(run=0, arm=2**64 - 1, cause=Cause.DROPPED),
    ],
)
def test_the_bounds_themselves_are_spelt(message: Message) -> None:
    assert decode(encode(message)) == (message,)
