"""Laws of every frame: one spelling; prefixes are truncated; flips are corrupt; bits are told."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import Phase, example, find, given, settings
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.codes import Above, Bins, Code, Levels, Nearest, Raw
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Challenge, Edge, Pilot, Task
from bitarm.core.messages import Cause, Dismiss, Message, Position, Report, Request
from bitarm.core.question import Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import CorruptFrameError, FrameError, TruncatedFrameError
from bitarm.wire import decode, describe, encode, pack
from bitarm.wire.frames.envelope import FrameKind, long_frame, seal

runs = st.integers(0, 2**32 - 1)
arms = st.integers(0, 300) | st.integers(65530, 65540) | st.integers(0, 2**64 - 1)
numbers = st.integers(1, 70) | st.integers(1, 2**64 - 1)
untils = st.integers(1, 300) | st.integers(1, MAX_PULLS)
causes = st.sampled_from(Cause)
symbols = st.text("01", max_size=40).map(lambda bits: Symbol(int(bits or "0", 2), len(bits)))

values = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 0.5])
steps = st.floats(0.0, 1e290, exclude_min=True) | st.sampled_from([0.125, 5e-324, 1.0])
bins = st.builds(Bins, low=values, step=steps, bins=st.integers(1, 2**53) | st.integers(1, 8))


escapes = st.integers(1, 64)


@st.composite
def nearest(draw: st.DrawFn, escape: st.SearchStrategy[int] = escapes) -> Nearest:
    """The centre lies within 2^34 steps of 0."""
    step = draw(steps)
    return Nearest(
        centre=draw(st.floats(-(2.0**33), 2.0**33)) * step,
        step=step,
        divisor=draw(st.integers(1, 200) | st.integers(1, 2**40)),
        escape=draw(escape),
    )


levels = st.builds(
    Levels,
    step=steps,
    centre=st.integers(-70, 70) | st.integers(1 - 2**50, 2**50 - 1),
    dither=st.integers(0, 2**32 - 1).map(lambda numerator: numerator / 2**32),
)
scales = st.one_of(
    st.just(Scale(bounded=True, low=0.0, unit=1.0)),
    st.builds(
        Scale, bounded=st.just(value=True), low=st.floats(-1e9, 1e9), unit=st.floats(1e-9, 1e9)
    ),
    st.floats(1e-9, 1e9).map(Scale.of_sigma),
)
FORMS = ("nearest", "pilot", "edge", "challenge")


@st.composite
def judged(
    draw: st.DrawFn,
    form: str,
    scale: st.SearchStrategy[Scale] = scales,
    escape: st.SearchStrategy[int] = escapes,
) -> Question:
    """A question about evidence, in lengths that a learner makes: few binary digits."""
    unit = 2.0 ** draw(st.integers(-60, 20))
    step = draw(st.integers(4, 8)) * unit
    place = draw(st.integers(-(2**20), 2**20)) * unit
    until, rung = draw(untils), draw(st.integers(0, 61))
    if form == "challenge":
        hurdles = draw(st.tuples(*[st.integers(0, 255)] * 3))
        return Question(
            until=until,
            code=Above(low=place - draw(st.integers(0, 15)) * step, step=step),
            scale=draw(scale),
            task=Challenge(edge=place, first=rung, hurdles=hurdles),
        )
    task: Task | None = Pilot() if form == "pilot" else None
    if form == "edge":
        task = Edge(first=rung, spread=draw(st.integers(-40, 2)))
    nearest = Nearest(
        centre=place, step=step, divisor=draw(st.integers(1, 200)), escape=draw(escape)
    )
    chosen = draw(scale)
    if not chosen.bounded:
        task = None  # pilots and edges are asked of rewards with bounds
    return Question(until=until, code=nearest, scale=chosen, task=task)


CODES: tuple[st.SearchStrategy[Code], ...] = (bins, nearest(), levels, st.just(Raw()))


def questions(code: st.SearchStrategy[Code]) -> st.SearchStrategy[Question]:
    return st.builds(Question, until=untils, code=code)


reports = st.builds(Report, run=runs, arm=arms, message=numbers, symbol=symbols)
requests = st.builds(
    Request,
    run=runs,
    arm=arms,
    message=numbers,
    question=questions(st.one_of(CODES)) | st.one_of(*map(judged, FORMS)),
)
positions = st.builds(Position, run=runs, arm=arms, message=numbers, pulls=numbers)
dismissals = st.builds(Dismiss, run=runs, arm=arms, cause=causes)
singles = reports | requests | positions | dismissals


@st.composite
def batches(draw: st.DrawFn, forms: Sequence[str] = ()) -> list[Message]:
    """Messages that go into one packed frame, in the order of their arms.

    With `forms`, questions about evidence among them.
    """
    run = draw(runs)
    some_arms = sorted(draw(st.sets(arms, min_size=2, max_size=8)))
    kind = draw(st.sampled_from([Report, Request, Position, Dismiss]))
    # A pool of one value makes a shared column likely, a larger pool a column of one each.
    message = st.sampled_from(draw(st.lists(numbers, min_size=1, max_size=2)))
    if kind is Report:
        few = st.sampled_from(draw(st.lists(symbols, min_size=1, max_size=2)))
        return [Report(run=run, arm=a, message=draw(message), symbol=draw(few)) for a in some_arms]
    if kind is Request:
        # Escapes are the usual one in all questions of a frame, or spelt in all of them.
        escape = st.just(draw(st.sampled_from([3, 20])))
        asked = questions(draw(st.sampled_from((bins, nearest(escape), levels, st.just(Raw())))))
        judges: bool = draw(st.booleans())
        if forms and judges:
            form, one_scale = draw(st.sampled_from(forms)), draw(scales)
            asked = judged(form, st.just(one_scale), escape)
        pool = st.sampled_from(draw(st.lists(asked, min_size=1, max_size=3)))
        return [
            Request(run=run, arm=a, message=draw(message), question=draw(pool)) for a in some_arms
        ]
    if kind is Position:
        pulls = st.sampled_from(draw(st.lists(numbers, min_size=1, max_size=2)))
        return [
            Position(run=run, arm=a, message=draw(message), pulls=draw(pulls)) for a in some_arms
        ]
    return [Dismiss(run=run, arm=a, cause=draw(causes)) for a in some_arms]


all_batches = batches(FORMS)
frames = singles.map(encode) | all_batches.map(pack)


def flipped(frame: bytes, bit: int) -> bytes:
    changed = bytearray(frame)
    changed[bit // 8] ^= 0x80 >> bit % 8
    return bytes(changed)


@given(singles)
def test_one_message_comes_back(message: Message) -> None:
    assert decode(encode(message)) == (message,)


@given(all_batches, st.randoms(use_true_random=False))
def test_many_messages_come_back_in_the_order_of_their_arms(
    batch: list[Message], order: Random
) -> None:
    shuffled = order.sample(batch, len(batch))
    assert pack(shuffled) == pack(batch)
    assert decode(pack(shuffled)) == tuple(batch)


@given(frames)
@settings(max_examples=300)
def test_every_strict_prefix_is_truncated(frame: bytes) -> None:
    for nbytes in range(len(frame)):
        with pytest.raises(FrameError) as caught:
            decode(frame[:nbytes])
        assert type(caught.value) is TruncatedFrameError, nbytes


@given(frames)
@settings(max_examples=300)
def test_every_single_flipped_bit_is_corrupt(frame: bytes) -> None:
    for bit in range(8 * len(frame)):
        with pytest.raises(FrameError) as caught:
            decode(flipped(frame, bit))
        assert type(caught.value) is CorruptFrameError, bit


@given(frames, st.binary(min_size=1, max_size=20))
def test_bytes_after_a_frame_are_corrupt(frame: bytes, after: bytes) -> None:
    with pytest.raises(CorruptFrameError):
        decode(frame + after)


@given(frames)
def test_every_bit_is_described_once_and_in_order(frame: bytes) -> None:
    at = 0
    for field in describe(frame):
        assert field.first_bit == at
        assert field.nbits > 0
        assert field.meaning
        at += field.nbits
    assert at == 8 * len(frame)


@given(frames)
def test_the_description_names_the_bits_of_the_frame(frame: bytes) -> None:
    whole = int.from_bytes(frame)
    numbers_of_variable_length = {
        "arm", "arm step", "message", "length", "until", "cause", "count", "pulls",
        "bins", "divisor", "escape", "rung", "spread", "edge", "rung and start",
        "centre", "step", "low", "unit",
    }  # fmt: skip
    for field in describe(frame):
        if field.name in numbers_of_variable_length and frame[0] == 0x80 and field.nbits > 8:
            continue  # spelt in groups: the value is not the bits read as one number
        last = field.first_bit + field.nbits
        assert whole >> 8 * len(frame) - last & (1 << field.nbits) - 1 == field.value


def test_the_laws_meet_every_kind_of_frame() -> None:
    search = settings(max_examples=2000, phases=[Phase.generate])  # any example will do
    for kind in FrameKind:
        head = bytes((0x80, kind))
        find(frames, lambda frame, head=head: frame.startswith(head), settings=search)  # type: ignore[misc]


def judge(frame: bytes) -> None:
    """Whatever the bytes: a frame error, or a frame in its only spelling, described in full."""
    try:
        messages = decode(frame)
    except FrameError as error:
        with pytest.raises(type(error)):
            describe(frame)
        return
    assert pack(messages) == frame
    assert sum(field.nbits for field in describe(frame)) == 8 * len(frame)


@given(st.binary(max_size=60))
@example(b"")
@example(b"\x80")
@example(bytes(12))
@example(b"\x80" + bytes(11))
def test_any_bytes(frame: bytes) -> None:
    judge(frame)


@given(st.binary(min_size=1, max_size=60).map(seal))
@settings(max_examples=300)
def test_any_bytes_under_a_right_check_sum(frame: bytes) -> None:
    judge(frame)


@given(
    st.binary(min_size=9, max_size=9).map(
        lambda content: seal(bytes([content[0] | 0x80]) + content[1:])
    )
)
def test_any_short_frame(frame: bytes) -> None:
    judge(frame)


small = st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 3, 5, 0x80, 0xFF]), min_size=2, max_size=14)


@pytest.mark.slow
@given(st.sampled_from(FrameKind), runs, small)
@settings(max_examples=1000)
def test_any_body_under_a_right_head(kind: FrameKind, run: int, rest: list[int]) -> None:
    judge(long_frame(kind, run.to_bytes(4) + bytes(rest)))


tags = st.sampled_from([1, 2, 3, 4, 5, 8, 0x22, 0x42, 0x82, 0xC2, 0x45, 0x65, 0xC6, 0x47, 0x87])
pieces = st.one_of(
    st.sampled_from([0, 1, 2, 20, 64, 0x80, 0xFF]).map(lambda byte: bytes([byte])),
    st.sampled_from(["0000", "0002", "0101", "0200", "0300", "05", "0197110100", "01953f"]).map(
        bytes.fromhex
    ),
    st.binary(min_size=4, max_size=4),
)


@pytest.mark.slow
@given(tags, st.lists(pieces, min_size=1, max_size=7))
@settings(max_examples=1000)
def test_any_question_under_a_right_head(tag: int, rest: list[bytes]) -> None:
    """Numbers that make no sense, or no question's worth of them."""
    judge(long_frame(FrameKind.REQUEST, bytes((0x12, 0x34, 0xAB, 1, 3, 1, tag)) + b"".join(rest)))
    judge(long_frame(FrameKind.REQUESTS, bytes((0x12, 0x34, 0xAB, 1, 2, tag)) + b"".join(rest)))


@given(frames, st.data())
@settings(max_examples=300)
def test_a_frame_changed_and_sealed_again(frame: bytes, data: st.DataObject) -> None:
    content = bytearray(frame[:-2])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    judge(seal(bytes(content)))
