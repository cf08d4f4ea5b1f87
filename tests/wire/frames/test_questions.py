"""Questions in frames: whatever no agent could answer is corrupt, each for its own reason."""

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

HALF, ONE, ZERO, MINUS_ONE, FAR = "0101", "0100", "0000", "0200", "0143"  # FAR is 2^34
EVEN, ZERO_TIMES = "0300", "0002"  # 2 times 2^0; 0 times 2^-1
TOO_LARGE, TOO_SMALL, ROUNDED = "01ff0f", "01e610", "05e610"  # 2^1024, 2^-1075, 3 times 2^-1075
TOO_LONG = "8180808080808020 00"  # 2^53 + 1 has more digits than a float
TRILLION, BEYOND = "80a094a58d1d", "81a094a58d1d"  # 10^12, and one more
DITHER = "c0000000"

REFUSED = [
    # the byte that names the question, and the pulls
    (f"00 05 {HALF}", "no form of a question is called 00"),
    ("1f 05", "no form of a question is called 1f"),
    (f"10 05 {HALF}", "no form of a question is called 10"),
    ("24 05", "no form of a question is called 24"),
    ("84 05", "no form of a question is called 84"),
    ("04 00", r"until must lie in \[1, 1000000000000\], got 0"),
    (f"04 {BEYOND}", "until must lie .* got 1000000000001"),
    ("04 8500", "superfluous"),
    # reals
    (f"01 05 {ZERO} {EVEN} 08", r"no float is spelt 2 times 2\^0"),
    (f"01 05 {ZERO_TIMES} {ONE} 08", r"no float is spelt 0 times 2\^-1"),
    (f"01 05 {TOO_LARGE} {ONE} 08", r"no float is spelt 1 times 2\^1024"),
    (f"01 05 {TOO_SMALL} {ONE} 08", r"no float is spelt 1 times 2\^-1075"),
    (f"01 05 {ROUNDED} {ONE} 08", r"no float is spelt 3 times 2\^-1075"),
    (f"01 05 {TOO_LONG} {ONE} 08", "no float is spelt 9007199254740993 times"),
    (f"01 05 018000 {ONE} 08", "superfluous"),
    ("01 05 01", "before byte"),
    # bins: low, step, bins
    (f"01 05 {ZERO} {ZERO} 08", "step must be a finite number above 0, got 0.0"),
    (f"01 05 {ZERO} {MINUS_ONE} 08", "step must be a finite number above 0, got -1.0"),
    (f"01 05 {ZERO} {ONE} 00", r"bins must lie in \[1, 9007199254740992\], got 0"),
    (f"01 05 {ZERO} {ONE} 8180808080808010", "bins must lie .* got 9007199254740993"),
    (f"01 05 {ZERO} {ONE} 8800", "superfluous"),
    (f"01 05 {ZERO} {ONE}", "before byte"),
    (f"01 05 {ZERO} {ONE} 08 00", "fields must end at bit"),
    # nearest: centre, step, divisor, and an escape that is not the usual one
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
    # scales: only some questions may have one, and tasks must
    *(
        (f"{tag} 05 {HALF} {ONE} 02", f"no form of a question is called {tag}")
        for tag in ("41", "83", "c4", "05", "25", "85", "06", "86", "07", "27", "67", "52")
    ),
    (f"42 05 {HALF} {ONE} 02 00", "fields must end at bit"),
    (f"82 05 {HALF} {ONE} 02 {ZERO}", "step must be a finite number above 0"),
    (f"82 05 {HALF} {ONE} 02 {MINUS_ONE}", "step must be a finite number above 0"),
    (f"c2 05 {HALF} {ONE} 02 {ZERO} {ONE}", r"\[0, 1\] are said in the question's byte"),
    (f"c2 05 {HALF} {ONE} 02 {ZERO}", "before byte"),
    (f"65 05 {HALF} {ONE} 02 14", "an escape of 20 is the usual one"),
    # edge: also rung and spread; challenge: edge, step, rung and start, hurdles
    (f"46 05 {HALF} {ONE} 02 3e 00", "rung must lie"),
    (f"46 05 {HALF} {ONE} 02 03 05", "spread must lie"),
    (f"47 05 {HALF} {ONE} e007 28 3d 82", "rung must lie"),
    (f"47 05 {HALF} {ZERO} 12 28 3d 82", "step must be a finite number above 0"),
    (f"47 05 {HALF} {ONE} 12 28 3d", "must end before bit"),
    (f"47 05 {HALF} {ONE} 12 28 3d 82 00", "fields must end at bit"),
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
        (f"01 1b 0000 01 05 {ZERO}{ZERO_TIMES} {ONE} 08", "no float is spelt 0 times"),
        (f"01 1e 0000 01 05 {ZERO} {ONE} 0800", "bins must lie .* got 0"),
        (f"01 1f 0000 01 00 {ZERO} {ONE} 08", "until must lie .* got 0"),
        (f"03 1e 0000 01 05 {ONE} 09 {DITHER}{DITHER}", "dither has 2 times"),
        (f"14 07 0000 01 05 {HALF}", "no form of a question is called 14"),
        ("1f 03 0000 01 05", "no form of a question is called 1f"),
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
    (Bins(low=0.0, step=0.25, bins=8), 2 + 2 + 1),
    (Bins(low=0.1, step=0.3, bins=8), 9 + 9 + 1),
    (Bins(low=0.1, step=0.3, bins=128), 9 + 9 + 2),
    (Nearest(centre=0.625, step=0.5, divisor=127), 2 + 2 + 1),
    (Nearest(centre=0.625, step=0.5, divisor=127, escape=3), 2 + 2 + 1 + 1),
    (Nearest(centre=-64.5, step=0.5, divisor=128), 3 + 2 + 2),
    (Levels(step=0.3, centre=63, dither=0.5), 9 + 1 + 4),
    (Levels(step=0.3, centre=-63, dither=0.0), 9 + 1 + 4),
    (Levels(step=0.3, centre=65, dither=0.5), 9 + 2 + 4),
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
    assert size(51, alike=False) - size(50, alike=False) == 1 + 2  # 50 is 25 times 2^1


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
    assert len(encode(request)) == 23 + more


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

    refused(Question(until=3, code=Raw(), scale=UNIT), "no frame has the code raw and a scale")
    apart = replace(challenged(300), code=Above(low=0.0, step=0.15625))
    refused(apart, "0 to 15 steps below the edge")
    refused(Question(until=3, code=Above(low=0.0, step=1.0)), "no frame but that of a challenge")
