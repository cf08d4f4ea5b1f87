import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.messages import Report
from bitarm.errors import CorruptFrameError
from bitarm.wire import decode, encode
from bitarm.wire.frames.envelope import seal
from bitarm.wire.frames.short import MAX_MESSAGE, MESSAGE_CODES


def report(*, arm: int = 0, message: int = 1, nbits: int = 3) -> Report:
    return Report(run=0xFFFFFFFF, arm=arm, message=message, symbol=Symbol((1 << nbits) - 1, nbits))


@given(
    run=st.integers(0, 2**32 - 1),
    arm=st.integers(0, 65535),
    message=st.integers(1, 57),
    bits=st.text("01", max_size=16),
)
def test_size_law(run: int, arm: int, message: int, bits: str) -> None:
    sent = Report(run=run, arm=arm, message=message, symbol=Symbol(int(bits or "0", 2), len(bits)))
    frame = encode(sent)
    assert len(frame) == 11
    assert decode(frame) == (sent,)


@pytest.mark.parametrize("beyond", [{"arm": 65536}, {"message": 58}, {"nbits": 17}])
def test_one_step_past_the_short_form_is_long(beyond: dict[str, int]) -> None:
    assert len(encode(report(**{name: size - 1 for name, size in beyond.items()}))) == 11
    frame = encode(report(**beyond))
    assert len(frame) >= 12
    assert frame[0] == 0x80


def test_every_symbol_of_every_length_has_its_own_frame() -> None:
    frames = {
        encode(Report(run=0, arm=0, message=1, symbol=Symbol(value, nbits)))
        for nbits in range(9)
        for value in range(1 << nbits)
    }
    assert len(frames) == 2**9 - 1


def test_no_code_is_one_flip_away_from_the_head_of_a_long_frame() -> None:
    assert len(set(MESSAGE_CODES)) == MAX_MESSAGE == 57
    assert list(MESSAGE_CODES) == sorted(MESSAGE_CODES)
    assert all(code ^ (1 << bit) for code in MESSAGE_CODES for bit in range(6))


@pytest.mark.parametrize("code", [1, 2, 4, 8, 16, 32])
def test_unused_codes(code: int) -> None:
    with pytest.raises(CorruptFrameError, match=f"two bits set or more, got {code:06b}"):
        decode(seal(bytes([0x80 | code << 1, 1 << 7]) + bytes(7)))


def test_a_symbol_without_its_marker() -> None:
    with pytest.raises(CorruptFrameError, match="marker"):
        decode(seal(bytes([0b1_000011_0]) + bytes(8)))
