"""Questions in frames: whatever no agent could answer is corrupt, each for its own reason."""

import struct
from dataclasses import replace

import pytest

from bitarm.core.codes import Above, Bins, Code, Levels, Nearest, Raw
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.messages import Request
from bitarm.core.question import Question
from bitarm.errors import CorruptFrameError, LocalProtocolError
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
    # raw, which has no number
    (f"04 05 {HALF}", "fields must end at bit"),
    (f"14 05 {HALF}", "no form of a question is called 14"),
    (f"11 05 {ZERO} {ONE} 08", "no form of a question is called 11"),
    # evidence: exponent, centre, step, divisor, and a scale
    ("55 05 0a 27 05 02", "no form of a question is called 55"),
    ("c5 05 0a 27 05 02", "no form of a question is called c5"),  # one scale, not two
    ("42 05 0a 27 05 02", "no form of a question is called 42"),  # a scale, and no evidence
    ("68 05 0a 35 05 12 28 3d 82 03", "no form of a question is called 68"),  # no escape there
    ("45 05 0a 28 06 02", "counted in the largest power of two"),
    ("45 05 0a 29 00 02", "step must be a finite number above 0"),
    ("45 05 0a 27 05 00", "divisor must lie"),
    ("45 05 0a 27 05", "before byte"),
    ("45 05 0a 27 05 02 00", "fields must end at bit"),
    ("45 05 9a11 27 05 02", "is no length"),
    ("45 05 0a ffffffffffffff7f 05 02", "is no length"),
    ("45 05 c710 bd9f03 05 05", "is no length"),  # larger than all floats
    ("45 05 f010 8102 05 02", "is no length"),  # rounded among the smallest
    ("65 05 0a 27 05 02 14", "an escape of 20 is the usual one"),
    ("85 05 0a 27 05 02 02 00", r"2 times 2\^0 is not spelt so"),
    ("85 05 0a 27 05 02 00 00", "step must be a finite number above 0"),
    ("05 05 0a 27 05 02 00 00 01 00", r"\[0, 1\] are said in the question's byte"),
    ("05 05 0a 27 05 02 00 02 01 00", r"0 times 2\^-1 is not spelt so"),
    ("05 05 0a 27 05 02 01 00 02 00", r"2 times 2\^0 is not spelt so"),
    ("05 05 0a 27 05 02 01 00 01", "before byte"),
    # edge: also rung and spread; challenge: edge, step, rung and start, hurdles
    ("47 05 0a 27 05 02 3e 00", "rung must lie"),
    ("47 05 0a 27 05 02 03 05", "spread must lie"),
    ("48 05 0a 35 05 e007 28 3d 82", "rung must lie"),
    ("48 05 0a 35 05 12 28 3d", "must end before bit"),
    ("48 05 0a 35 05 12 28 3d 82 00", "fields must end at bit"),
    ("48 05 0a 37 06 12 28 3d 82", "counted in the largest power of two"),
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
        (f"14 07 0000 01 05 {NAN}", "no form of a question is called 14"),
        ("09 03 0000 01 05", "no form of a question is called 09"),
        ("04 07 0000 01 05", "spare must be zero"),
        ("04 03 0000 00 05", "message must be at least 1"),
    ],
    ids=range(11),
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


@pytest.mark.parametrize("value", [0.0, 0.1, -1e-308, 5e-324, 1.7976931348623157e308])
def test_floats_come_back_to_the_last_bit(value: float) -> None:
    question = Question(until=1, code=Bins(low=value, step=0.1, bins=2))
    request = Request(run=7, arm=3, message=2, question=question)
    assert decode(encode(request)) == (request,)


def test_zero_has_one_spelling_whatever_its_sign() -> None:
    plus, minus = (
        Request(
            run=7,
            arm=3,
            message=2,
            question=Question(until=3, code=Bins(low=zero, step=1.0, bins=2)),
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
                    until=300, code=Bins(low=0.0 if alike else arm, step=1.0, bins=8)
                ),
            )
            for arm in range(count)
        ]
        assert decode(pack(requests)) == tuple(requests)
        return len(pack(requests))

    assert size(51, alike=True) - size(50, alike=True) == 1
    assert size(51, alike=False) - size(50, alike=False) == 1 + 8


UNIT, SIGMA = Scale(bounded=True, low=0.0, unit=1.0), Scale(bounded=False, low=0.0, unit=0.5)
WIDE = Scale(bounded=True, low=-0.5, unit=2.25)


def challenged(until: int, *, edge: float = 0.84375, scale: Scale = UNIT) -> Question:
    return Question(
        until=until,
        code=Above(low=edge - 2 * 0.15625, step=0.15625),
        scale=scale,
        task=Challenge(edge=edge, first=1, hurdles=(40, 61, 130)),
    )


@pytest.mark.parametrize(("scale", "more"), [(UNIT, 0), (SIGMA, 2), (WIDE, 4)], ids=str)
def test_a_challenge_takes_no_more_than_a_short_frame_has(scale: Scale, more: int) -> None:
    request = Request(run=7, arm=3, message=2, question=challenged(300, scale=scale))
    assert decode(encode(request)) == (request,)
    assert len(encode(request)) == 22 + more


def test_the_arms_that_one_leader_challenges_share_all_but_a_byte_or_two() -> None:
    requests = [
        Request(run=7, arm=arm, message=2, question=challenged(300, scale=WIDE))
        for arm in range(20)
    ]
    assert decode(pack(requests)) == tuple(requests)
    assert len(pack(requests)) - len(pack(requests[:19])) == 1


def test_what_no_frame_holds_is_refused_before_it_is_sent() -> None:
    def refused(question: Question, why: str) -> None:
        with pytest.raises(LocalProtocolError, match=why):
            encode(Request(run=7, arm=3, message=2, question=question))

    challenge = challenged(300)
    far = Challenge(edge=1e300, first=1, hurdles=(40, 61, 130))
    for step in (5e-324, 2.0**-60):
        apart = replace(challenge, code=Above(low=0.0, step=step), task=far)
        refused(apart, "no short multiples of one power of two")
    refused(Question(until=3, code=Raw(), scale=UNIT), "no frame has the code raw and a scale")
    refused(replace(challenge, code=Above(low=0.0, step=0.15625)), "0 to 15 steps below the edge")
    refused(Question(until=3, code=Above(low=0.0, step=1.0)), "no frame but that of a challenge")
    long = Nearest(centre=0.1, step=1.0, divisor=1)
    refused(Question(until=3, code=long, scale=UNIT), "no short multiples")
