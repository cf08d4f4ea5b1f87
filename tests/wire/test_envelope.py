import pytest

from bitarm.errors import (
    CorruptFrameError,
    FrameError,
    LocalProtocolError,
    TruncatedFrameError,
    UnknownVersionError,
)
from bitarm.wire import MAX_BYTES, decode
from bitarm.wire.envelope import Form, Kind, form, long_frame, seal


def test_the_check_sum_is_crc_16_ccitt_false() -> None:
    assert seal(b"123456789") == b"123456789\x29\xb1"  # the check value of the CRC catalogue


LONG = long_frame(Kind.REQUEST, bytes(10))
SHORT = seal(bytes([0b0_000011_0]) + bytes(8))


def with_length_word(word: int) -> bytes:
    return LONG[:2] + word.to_bytes(2) + LONG[4:]


@pytest.mark.parametrize(
    ("frame", "error", "complaint"),
    [
        (b"", TruncatedFrameError, "at least 11 bytes, got 0"),
        (bytes(10), TruncatedFrameError, "at least 11 bytes, got 10"),
        (SHORT[:10], TruncatedFrameError, "at least 11 bytes, got 10"),
        (SHORT + b"\0", CorruptFrameError, "short frame has 11 bytes, got 12"),
        (SHORT[:-1] + b"\0", CorruptFrameError, "check sum"),
        (seal(b"\x01" + bytes(8)), CorruptFrameError, "eighth bit"),
        (with_length_word(16), CorruptFrameError, "even parity"),
        (with_length_word(0), CorruptFrameError, "at least 12 bytes, got 0"),
        (with_length_word(0x8000 | 11), CorruptFrameError, "at least 12 bytes, got 11"),
        (with_length_word(17), TruncatedFrameError, "has 17 bytes, got the first 16"),
        (with_length_word(15), CorruptFrameError, "has 15 bytes, got 16"),
        (LONG[:11], TruncatedFrameError, "has 16 bytes, got the first 11"),
        (LONG[:-1] + bytes([LONG[-1] ^ 0xFF]), CorruptFrameError, "check sum"),
        (long_frame(Kind.REQUEST, bytes(5)), CorruptFrameError, "at least 12 bytes, got 11"),
    ],
)
def test_order_of_the_checks(frame: bytes, error: type[FrameError], complaint: str) -> None:
    with pytest.raises(error, match=complaint) as caught:
        form(frame)
    assert type(caught.value) is error


def test_forms() -> None:
    assert form(SHORT) is Form.SHORT
    assert form(LONG) is Form.LONG


@pytest.mark.parametrize("number", [0, 2, 127])
@pytest.mark.parametrize("content", [b"", b"anything", bytes(300)])
def test_another_version_is_named_when_its_frame_is_whole(number: int, content: bytes) -> None:
    frame = seal(bytes([0x80 | number]) + content)
    with pytest.raises(UnknownVersionError, match=f"version 1, got {number}$"):
        decode(frame)


def test_another_version_is_not_believed_without_its_check_sum() -> None:
    frame = seal(b"\x82anything")
    with pytest.raises(CorruptFrameError, match="check sum"):
        decode(frame[:-1] + bytes([frame[-1] ^ 1]))
    for nbytes in (1, 2):
        with pytest.raises(TruncatedFrameError, match=f"at least 3 bytes, got {nbytes}"):
            decode(frame[:nbytes])


@pytest.mark.parametrize("kind", [0, 9, 255])
def test_unknown_kind(kind: int) -> None:
    frame = bytearray(LONG[:-2])
    frame[1] = kind
    with pytest.raises(CorruptFrameError, match=rf"kind must lie in \[1, 8\], got {kind}"):
        decode(seal(bytes(frame)))


def test_the_length_word_holds_15_bits() -> None:
    assert len(long_frame(Kind.REPORT, bytes(MAX_BYTES - 6))) == MAX_BYTES == 32767
    with pytest.raises(LocalProtocolError, match="at most 32767 bytes, this has 32768"):
        long_frame(Kind.REPORT, bytes(MAX_BYTES - 5))
