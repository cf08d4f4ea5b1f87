"""Questions in frames: whatever no agent could answer is corrupt, each for its own reason."""

import struct

import pytest

from bitarm.core.codes import Bins, Code, Levels, Nearest, Raw
from bitarm.core.messages import Request
from bitarm.core.question import Question
from bitarm.errors import CorruptFrameError
from bitarm.wire import decode, encode, pack
from bitarm.wire.frames.envelope import FrameKind, long_frame

HALF, ONE, ZERO = "3fe0000000000000", "3ff0000000000000", "0000000000000000"
MINUS_ZERO, MINUS_ONE = "8000000000000000", "bff0000000000000"
INFINITY, NAN, NAN_2 = "7ff0000000000000", "7ff8000000000000", "fff0000000000001"
TRILLION, BEYOND = "80a094a58d1d", "81a094a58d1d"  # 10^12, and one more
FAR = struct.pack(">d", 2.0**34).hex()
DITHER = "c0000000"

REFUSED = [
    # the byte that names the code, and the pulls
    (f"00 05 {HALF}", "no form of a question is called 00"),
    ("09 05", "no form of a question is called 09"),
    (f"10 05 {HALF}", "no form of a question is called 10"),
    ("24 05", "no form of a question is called 24"),
    ("84 05", "no form of a question is called 84"),
    ("04 00", r"until must lie in \[1, 1000000000000\], got 0"),
    (f"04 {BEYOND}", "until must lie .* got 1000000000001"),
    ("04 8500", "superfluous"),
    # bins: low, step, bins
    (f"01 05 {ZERO} {ZERO} 08", "step must be a finite number above 0, got 0.0"),
    (f"01 05 {ZERO} {MINUS_ONE} 08", "step must be a finite number above 0, got -1.0"),
    (f"01 05 {ZERO} {INFINITY} 08", "step must be a finite number, got inf"),
    (f"01 05 {ZERO} {NAN} 08", "step must be a finite number, got nan"),
    (f"01 05 {MINUS_ZERO} {ONE} 08", "low of zero must be spelt without a sign"),
    (f"01 05 {NAN} {ONE} 08", "low must be a finite number, got nan"),
    (f"01 05 {INFINITY} {ONE} 08", "low must be a finite number, got inf"),
    (f"01 05 {ZERO} {ONE} 00", r"bins must lie in \[1, 9007199254740992\], got 0"),
    (f"01 05 {ZERO} {ONE} 8180808080808010", "bins must lie .* got 9007199254740993"),
    (f"01 05 {ZERO} {ONE} 8800", "superfluous"),
    (f"01 05 {ZERO} {ONE}", "before byte"),
    (f"01 05 {ZERO} {ONE} 08 00", "fields must end at bit"),
    (f"01 05 {ZERO} 3ff00000", "must end before bit"),
    # nearest: centre, step, divisor, and an escape that is not the usual one
    (f"02 05 {NAN_2} {ONE} 01", "centre must be a finite number, got nan"),
    (f"02 05 {MINUS_ZERO} {ONE} 01", "centre of zero must be spelt without a sign"),
    (f"02 05 {FAR} {ONE} 01", r"centre must lie within 2\^34 steps of 0"),
    (f"02 05 {HALF} {ZERO} 01", "step must be a finite number above 0, got 0.0"),
    (f"02 05 {HALF} {ONE} 00", r"divisor must lie in \[1, 1099511627776\], got 0"),
    (f"02 05 {HALF} {ONE} 818080808020", "divisor must lie .* got 1099511627777"),
    (f"22 05 {HALF} {ONE} 01 00", r"escape must lie in \[1, 64\], got 0"),
    (f"22 05 {HALF} {ONE} 01 41", "escape must lie .* got 65"),
    (f"22 05 {HALF} {ONE} 01 14", "an escape of 20 is the usual one"),
    (f"21 05 {ZERO} {ONE} 08 03", "no form of a question is called 21"),
    # levels: step, centre, dither
    (f"03 05 {MINUS_ONE} 09 {DITHER}", "step must be a finite number above 0, got -1.0"),
    (f"03 05 {ONE} 8080808080808004 {DITHER}", "centre must lie .* got -1125899906842624"),
    (f"03 05 {ONE} ffffffffffffff03 {DITHER}", "centre must lie .* got 1125899906842624"),
    (f"03 05 {ONE} 09 c00000", "must end before bit"),
    (f"03 05 {ONE} 09 {DITHER} 00", "fields must end at bit"),
    # the cut, which comes last
    (f"14 05 {MINUS_ZERO}", "cut of zero must be spelt without a sign"),
    (f"14 05 {INFINITY}", "cut must be a finite number, got inf"),
    (f"14 05 {NAN}", "cut must be a finite number, got nan"),
    ("14 05", "must end before bit"),
    (f"04 05 {HALF}", "fields must end at bit"),
    (f"11 05 {ZERO} {ONE} 08", "must end before bit"),
]


@pytest.mark.parametrize(("question", "complaint"), REFUSED, ids=range(len(REFUSED)))
def test_refused_questions(question: str, complaint: str) -> None:
    body = bytes.fromhex("1234ab01 03 01" + question)
    with pytest.raises(CorruptFrameError, match=complaint):
        decode(long_frame(FrameKind.REQUEST, body))


def test_the_largest_until_is_accepted() -> None:
    (request,) = decode(
        long_frame(FrameKind.REQUEST, bytes.fromhex(f"1234ab01 03 01 04 {TRILLION}"))
    )
    assert isinstance(request, Request)
    assert request.question == Question(until=10**12, code=Raw())


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        # message and until for all, then the columns of the code
        (f"01 1f 0000 01 05 {ZERO} {ZERO} 08", "step must be a finite number above 0"),
        (f"01 1d 0000 01 05 {ZERO} {ONE}{MINUS_ONE} 08", "step must be .* got -1.0"),
        (f"01 1b 0000 01 05 {HALF}{HALF} {ONE} 08", "low has 2 times"),
        (f"01 1b 0000 01 05 {ZERO}{MINUS_ZERO} {ONE} 08", "low of zero must be spelt without"),
        (f"01 1e 0000 01 05 {ZERO} {ONE} 0800", "bins must lie .* got 0"),
        (f"01 1f 0000 01 00 {ZERO} {ONE} 08", "until must lie .* got 0"),
        (f"03 1e 0000 01 05 {ONE} 09 {DITHER}{DITHER}", "dither has 2 times"),
        (f"14 07 0000 01 05 {NAN}", "cut must be a finite number, got nan"),
        (f"14 06 0000 01 05 {HALF}{HALF}", "cut has 2 times"),
        ("09 03 0000 01 05", "no form of a question is called 09"),
        ("04 07 0000 01 05", "spare must be zero"),
        ("04 03 0000 00 05", "message must be at least 1"),
    ],
    ids=range(12),
)
def test_refused_columns(columns: str, complaint: str) -> None:
    body = bytes.fromhex("1234ab01 02" + columns)
    with pytest.raises(CorruptFrameError, match=complaint):
        decode(long_frame(FrameKind.REQUESTS, body))


CODES: list[tuple[Code, int]] = [
    (Raw(), 0),
    (Bins(low=0.1, step=0.3, bins=8), 8 + 8 + 1),
    (Bins(low=0.1, step=0.3, bins=128), 8 + 8 + 2),
    (Nearest(centre=0.1, step=0.3, divisor=127), 8 + 8 + 1),
    (Nearest(centre=0.1, step=0.3, divisor=127, escape=3), 8 + 8 + 1 + 1),
    (Nearest(centre=0.1, step=0.3, divisor=128), 8 + 8 + 2),
    (Levels(step=0.3, centre=63, dither=0.5), 8 + 1 + 4),
    (Levels(step=0.3, centre=-63, dither=0.0), 8 + 1 + 4),
    (Levels(step=0.3, centre=65, dither=0.5), 8 + 2 + 4),
]


@pytest.mark.parametrize(("code", "nbytes"), CODES, ids=str)
def test_what_a_question_takes(code: Code, nbytes: int) -> None:
    def size(question: Question) -> int:
        request = Request(run=7, arm=3, message=2, question=question)
        assert decode(encode(request)) == (request,)
        return len(encode(request))

    assert size(Question(until=127, code=code)) == 14 + nbytes
    assert size(Question(until=128, code=code)) == 15 + nbytes
    assert size(Question(until=127, code=code, cut=0.0)) == 14 + nbytes + 8


@pytest.mark.parametrize("value", [0.0, 0.1, -1e-308, 5e-324, 1.7976931348623157e308])
def test_floats_come_back_to_the_last_bit(value: float) -> None:
    question = Question(until=1, code=Bins(low=value, step=0.1, bins=2), cut=-value)
    request = Request(run=7, arm=3, message=2, question=question)
    assert decode(encode(request)) == (request,)


def test_zero_has_one_spelling_whatever_its_sign() -> None:
    plus, minus = (
        Request(
            run=7,
            arm=3,
            message=2,
            question=Question(until=3, code=Bins(low=zero, step=1.0, bins=2), cut=zero),
        )
        for zero in (0.0, -0.0)
    )
    assert encode(plus) == encode(minus)


def test_what_all_questions_share_is_spelt_once() -> None:
    def size(count: int, *, alike: bool) -> int:
        requests = [
            Request(
                run=7,
                arm=arm,
                message=2,
                question=Question(
                    until=300, code=Bins(low=0.0 if alike else arm, step=1.0, bins=8), cut=0.5
                ),
            )
            for arm in range(count)
        ]
        assert decode(pack(requests)) == tuple(requests)
        return len(pack(requests))

    assert size(51, alike=True) - size(50, alike=True) == 1
    assert size(51, alike=False) - size(50, alike=False) == 1 + 8
