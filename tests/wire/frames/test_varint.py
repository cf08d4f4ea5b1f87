import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.errors import CorruptFrameError
from bitarm.wire.frames import varint


def spelt(number: int) -> bytes:
    out = bytearray()
    varint.write(out, number)
    return bytes(out)


@pytest.mark.parametrize(
    ("number", "spelling"),
    [
        (0, "00"),
        (127, "7f"),
        (128, "8001"),
        (300, "ac02"),
        (16383, "ff7f"),
        (16384, "808001"),
        (2**64 - 1, "ffffffffffffffffff01"),
    ],
)
def test_spelling(number: int, spelling: str) -> None:
    assert spelt(number).hex() == spelling
    assert varint.read(bytes.fromhex(spelling), 0, len(spelling) // 2) == (
        number,
        len(spelling) // 2,
    )


@given(st.integers(0, 2**64 - 1), st.binary(max_size=3), st.binary(max_size=3))
def test_what_is_written_is_read_in_its_place(number: int, before: bytes, after: bytes) -> None:
    spelling = spelt(number)
    frame = before + spelling + after
    end = len(before) + len(spelling)
    assert varint.read(frame, len(before), len(frame)) == (number, end)
    assert varint.read(frame, len(before), end) == (number, end)
    with pytest.raises(CorruptFrameError, match="before byte"):
        varint.read(frame, len(before), end - 1)


@given(st.binary(max_size=12))
def test_what_is_read_has_one_spelling(frame: bytes) -> None:
    try:
        number, after = varint.read(frame, 0, len(frame))
    except CorruptFrameError:
        return
    assert spelt(number) == frame[:after]


@pytest.mark.parametrize(
    ("spelling", "complaint"),
    [
        ("8000", "superfluous"),
        ("ff8000", "superfluous"),
        ("80808080808080808002", "below 2\\^64"),
        ("8080808080808080808001", "within 10 bytes"),
        ("", "before byte 0"),
        ("80", "before byte 1"),
    ],
)
def test_refused(spelling: str, complaint: str) -> None:
    frame = bytes.fromhex(spelling)
    with pytest.raises(CorruptFrameError, match=complaint):
        varint.read(frame, 0, len(frame))
