import pytest

from bitarm.errors import (
    CorruptFrameError,
    FrameError,
    LocalProtocolError,
    TruncatedFrameError,
    UnknownVersionError,
)
from bitarm.wire import MAX_BYTES, decode
from bitarm.wire.frames.envelope import FrameKind, Layout, layout_of, long_frame, seal


def test_the_check_sum_is_crc_16_ccitt_false() -> None:
    assert seal(b"123456789") == b"123456789\x29\xb1"  # the check value of the CRC catalogue


LONG = long_frame(FrameKind.REQUEST, bytes(10))
SHORT = seal(bytes([0b1_000011_0]) + bytes(8))


def with_length_word(word: int) -> bytes:
    return LONG[:2] + word.to_bytes(2) + LONG[4:]


@pytest.mark.parametrize(
    ("frame", "error", "complaint"),
    [
        (b"", TruncatedFrameError, "at least 11 bytes, got 0"),
        (b"\x80" + bytes(9), TruncatedFrameError, "at least 11 bytes, got 10"),
        (SHORT[:10], TruncatedFrameError, "at least 11 bytes, got 10"),
        (SHORT + b"\0", CorruptFrameError, "short frame has 11 bytes, got 12"),
        (SHORT[:-1] + b"\0", CorruptFrameError, "check sum"),
        (with_length_word(16), CorruptFrameError, "even parity"),
        (with_length_word(0), CorruptFrameError, "at least 12 bytes, got 0"),
        (with_length_word(0x8000 | 11), CorruptFrameError, "at least 12 bytes, got 11"),
        (with_length_word(17), TruncatedFrameError, "has 17 bytes, got the first 16"),
        (with_length_word(15), CorruptFrameError, "has 15 bytes, got 16"),
        (LONG[:11], TruncatedFrameError, "has 16 bytes, got the first 11"),
        (LONG[:-1] + bytes([LONG[-1] ^ 0xFF]), CorruptFrameError, "check sum"),
        (long_frame(FrameKind.REQUEST, bytes(5)), CorruptFrameError, "at least 12 bytes, got 11"),
    ],
)
def test_order_of_the_checks(frame: bytes, error: type[FrameError], complaint: str) -> None:
    with pytest.raises(error, match=complaint) as caught:
        layout_of(frame)
    assert type(caught.value) is error


def test_forms() -> None:
    assert layout_of(SHORT) is Layout.SHORT
    assert layout_of(LONG) is Layout.LONG


@pytest.mark.parametrize(
    "frame",
    [
        "0b6000 1234abcd 0003 25f1",  # a report in 11 bytes
        "00 01 800e 1234abcd 03 3a 03 a0 a8e3",  # a report
        "00 02 800e 1234abcd 03 02 ac02 24f5",  # a request
        "00 03 000c 1234abcd 03 02 6fe4",  # a dismissal
        "00 07 0017 1234abcd 03 02 ac02 02 3fe4000000000000 3c6b",  # a request with a hint
    ],
)
def test_frames_of_version_1_are_named_so(frame: str) -> None:
    with pytest.raises(UnknownVersionError, match="reads version 2, got version 1: bring learner"):
        decode(bytes.fromhex(frame))


@pytest.mark.parametrize("number", [0, 3, 4, 255])
@pytest.mark.parametrize("content", [b"", b"anything", bytes(300)])
def test_a_later_version_is_named_when_its_frame_is_whole(number: int, content: bytes) -> None:
    frame = seal(bytes([0x81, number]) + content)
    with pytest.raises(UnknownVersionError, match=f"version 2, got version {number}:"):
        decode(frame)


@pytest.mark.parametrize("frame", [seal(b"\x81\x03anything"), seal(b"\x00anything")])
def test_another_version_is_not_believed_without_its_check_sum(frame: bytes) -> None:
    with pytest.raises(CorruptFrameError, match="check sum"):
        decode(frame[:-1] + bytes([frame[-1] ^ 1]))
    for nbytes in (1, 2):
        with pytest.raises(TruncatedFrameError, match=f"at least 3 bytes, got {nbytes}"):
            decode(frame[:nbytes])


def test_the_heads_of_other_versions_are_no_heads_of_this_one() -> None:
    """Every first byte is this version's, one of version 1, or the mark of a later one."""
    for first in range(256):
        content = bytes([first]) + bytes(8)
        if first < 0x80 or first == 0x81:
            with pytest.raises(UnknownVersionError):
                layout_of(seal(content))
        elif first != 0x80:
            assert layout_of(seal(content)) is Layout.SHORT


@pytest.mark.parametrize("kind", [0, 9, 255])
def test_unknown_kind(kind: int) -> None:
    frame = bytearray(LONG[:-2])
    frame[1] = kind
    with pytest.raises(CorruptFrameError, match=rf"kind must lie in \[1, 8\], got {kind}"):
        decode(seal(bytes(frame)))


def test_the_length_word_holds_15_bits() -> None:
    assert len(long_frame(FrameKind.REPORT, bytes(MAX_BYTES - 6))) == MAX_BYTES == 32767
    with pytest.raises(LocalProtocolError, match="at most 32767 bytes, this has 32768"):
        long_frame(FrameKind.REPORT, bytes(MAX_BYTES - 5))
