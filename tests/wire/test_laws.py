"""Laws of every frame: one spelling; prefixes are truncated; flips are corrupt; bits are told."""

from random import Random

import pytest
from hypothesis import Phase, example, find, given, settings
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.messages import Cause, Dismiss, Hint, HintKind, Message, Report, Request
from bitarm.errors import CorruptFrameError, FrameError, TruncatedFrameError
from bitarm.wire import decode, describe, encode, pack
from bitarm.wire.envelope import Kind, long_frame, seal

runs = st.integers(0, 2**32 - 1)
arms = st.integers(0, 300) | st.integers(65530, 65540) | st.integers(0, 2**64 - 1)
numbers = st.integers(1, 70) | st.integers(1, 2**64 - 1)
untils = st.integers(0, 2**64 - 1)
causes = st.sampled_from(Cause)
symbols = st.text("01", max_size=40).map(lambda bits: Symbol(int(bits or "0", 2), len(bits)))

reports = st.builds(Report, run=runs, arm=arms, message=numbers, symbol=symbols)
values = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 0.5])
hints = st.builds(Hint, kind=st.sampled_from(HintKind), value=values)
requests = st.builds(
    Request, run=runs, arm=arms, message=numbers, until=untils, hint=st.none() | hints
)
dismissals = st.builds(Dismiss, run=runs, arm=arms, cause=causes)
singles = reports | requests | dismissals


@st.composite
def batches(draw: st.DrawFn) -> list[Message]:
    """Messages that go into one packed frame, in the order of their arms."""
    run = draw(runs)
    some_arms = sorted(draw(st.sets(arms, min_size=2, max_size=8)))
    kind = draw(st.sampled_from([Report, Request, Dismiss]))
    # A pool of one value makes a shared column likely, a larger pool a column of one each.
    message = st.sampled_from(draw(st.lists(numbers, min_size=1, max_size=2)))
    if kind is Report:
        few = st.sampled_from(draw(st.lists(symbols, min_size=1, max_size=2)))
        return [Report(run=run, arm=a, message=draw(message), symbol=draw(few)) for a in some_arms]
    if kind is Request:
        until = st.sampled_from(draw(st.lists(untils, min_size=1, max_size=2)))
        hint = st.sampled_from(draw(st.lists(st.none() | hints, min_size=1, max_size=3)))
        return [
            Request(run=run, arm=a, message=draw(message), until=draw(until), hint=draw(hint))
            for a in some_arms
        ]
    return [Dismiss(run=run, arm=a, cause=draw(causes)) for a in some_arms]


frames = singles.map(encode) | batches().map(pack)


def flipped(frame: bytes, bit: int) -> bytes:
    changed = bytearray(frame)
    changed[bit // 8] ^= 0x80 >> bit % 8
    return bytes(changed)


@given(singles)
def test_one_message_comes_back(message: Message) -> None:
    assert decode(encode(message)) == (message,)


@given(batches(), st.randoms(use_true_random=False))
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
        "arm", "arm step", "message", "length", "until", "cause", "count", "hint", "value",
    }  # fmt: skip
    numbers_of_variable_length -= {"value"} if frame[1] == Kind.HINTED_REQUEST else set()
    for field in describe(frame):
        if field.name in numbers_of_variable_length and frame[0] == 0 and field.nbits > 8:
            continue  # spelt in groups: the value is not the bits read as one number
        last = field.first_bit + field.nbits
        assert whole >> 8 * len(frame) - last & (1 << field.nbits) - 1 == field.value


def test_the_laws_meet_every_kind_of_frame() -> None:
    search = settings(max_examples=2000, phases=[Phase.generate])  # any example will do
    for kind in Kind:
        head = bytes((0, kind))
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
def test_any_bytes(frame: bytes) -> None:
    judge(frame)


@given(st.binary(min_size=1, max_size=60).map(seal))
@settings(max_examples=300)
def test_any_bytes_under_a_right_check_sum(frame: bytes) -> None:
    judge(frame)


@given(st.binary(min_size=9, max_size=9).map(seal))
def test_any_short_frame(frame: bytes) -> None:
    judge(frame)


small = st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 3, 5, 0x80, 0xFF]), min_size=2, max_size=14)


@given(st.sampled_from(Kind), runs, small)
@settings(max_examples=2000)
def test_any_body_under_a_right_head(kind: Kind, run: int, rest: list[int]) -> None:
    judge(long_frame(kind, run.to_bytes(4) + bytes(rest)))


@given(frames, st.data())
@settings(max_examples=300)
def test_a_frame_changed_and_sealed_again(frame: bytes, data: st.DataObject) -> None:
    content = bytearray(frame[:-2])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    judge(seal(bytes(content)))
