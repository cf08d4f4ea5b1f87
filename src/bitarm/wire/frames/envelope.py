"""What surrounds the fields of a frame, and whether bytes are a whole frame at all.

Every version: the first byte tells the version, the last two are a CRC-16 of all before them.
Version 2: a first bit 1. The next six bits are a short frame's message code, or zero at the head
of a long frame, which then says its length. A first bit 0 was version 1; a version after this one
begins with the byte 81 and its number.

Two laws, for every frame of version 2:

* Every strict prefix is truncated, and nothing else. Under 11 bytes there is no whole frame, and
  bytes with a first bit 1 are called truncated whatever else they hold. A short frame has no
  longer strict prefix. A longer prefix of a long frame has its head intact, hence its length.
* Every single flipped bit makes it corrupt, and nothing else. The CRC catches any one flip, so
  only what is judged before the CRC matters, and each such judgement is safe:
  - first bit, or eighth bit of a long frame: another version is believed only under a right CRC;
  - message code of a short frame: it has at least two bits set, so it does not become the zero
    that would turn the frame into a long one with an invented length, hence maybe truncated;
  - message code of a long frame: it becomes a short frame of at least 12 bytes, one too many;
  - length word: it has even parity, so a flip is seen before the length is used.
"""

from binascii import crc_hqx
from enum import Enum, IntEnum

from bitarm.errors import (
    CorruptFrameError,
    LocalProtocolError,
    TruncatedFrameError,
    UnknownVersionError,
)
from bitarm.wire.frames.cursor import Cursor

SHORT_BYTES = 11  # the largest payload of the slowest LoRaWAN rate, DR0 in the US band
MIN_LONG_BYTES = 12  # never 11: a long frame with one flip must not have a short frame's length
MAX_BYTES = (1 << 15) - 1
_HEAD_BYTES = 4
_CRC_BYTES = 2
_SMALLEST_BYTES = 3  # version and CRC, which every version has
VERSION = 2
_LONG = 0x80  # first byte of a long frame
_LATER = 0x81  # first byte of a version after this one; its number follows


class Layout(Enum):
    """The two layouts of version 2."""

    SHORT = "short"
    LONG = "long"


class FrameKind(IntEnum):
    """What a long frame carries: the value of its second byte."""

    REPORT = 1
    REQUEST = 2
    DISMISS = 3
    POSITION = 4
    REPORTS = 5
    REQUESTS = 6
    DISMISSALS = 7
    POSITIONS = 8


def seal(content: bytes) -> bytes:
    """The content, followed by its CRC-16/CCITT-FALSE."""
    return content + crc_hqx(content, 0xFFFF).to_bytes(_CRC_BYTES)


def long_bytes(body: bytes) -> int:
    """How many bytes the long frame around a body would have."""
    return _HEAD_BYTES + len(body) + _CRC_BYTES


def long_frame(kind: FrameKind, body: bytes) -> bytes:
    """A long frame around a body."""
    length = long_bytes(body)
    if length > MAX_BYTES:
        raise LocalProtocolError(f"a frame must have at most {MAX_BYTES} bytes, this has {length}")
    word = _parity(length) << 15 | length
    return seal(bytes((_LONG, kind)) + word.to_bytes(2) + body)


def layout_of(frame: bytes) -> Layout:
    """The layout of a frame of version 2, once its length and its CRC are found right.

    The order of the checks is part of the format: it decides which error bad bytes raise.
    """
    if frame and (not frame[0] & 0x80 or frame[0] == _LATER):
        _refuse_version(frame)
    if len(frame) < SHORT_BYTES:
        raise TruncatedFrameError(f"a frame has at least {SHORT_BYTES} bytes, got {len(frame)}")
    if frame[0] != _LONG:
        if len(frame) > SHORT_BYTES:
            raise CorruptFrameError(f"a short frame has {SHORT_BYTES} bytes, got {len(frame)}")
        _require_crc(frame)
        return Layout.SHORT
    _require_length(frame)
    _require_crc(frame)
    return Layout.LONG


def read_head(cursor: Cursor) -> FrameKind:
    """The kind of a long frame, whose head was found right; the cursor then stands on its body."""
    cursor.note("version", cursor.take(1), "1: version 2 of the format")
    cursor.note("long", cursor.take(7), "zero where a short frame has its message code")
    code = cursor.take(8)
    if not 1 <= code <= len(FrameKind):
        raise CorruptFrameError(f"kind must lie in [1, {len(FrameKind)}], got {code}")
    kind = FrameKind(code)
    cursor.note("kind", code, "{1}", kind.name.lower())
    cursor.note("parity", cursor.take(1), "makes the number of ones in 16 bits even")
    cursor.note("frame length", cursor.take(15), "{} bytes, check sum included")
    return kind


def _refuse_version(frame: bytes) -> None:
    """Bytes that seem to be of another version: that is believed only under a right check sum."""
    if len(frame) < _SMALLEST_BYTES:
        raise TruncatedFrameError(f"a frame has at least 3 bytes, got {len(frame)}")
    _require_crc(frame)
    version = frame[1] if frame[0] == _LATER else 1
    raise UnknownVersionError(
        f"this program reads version {VERSION}, got version {version}: "
        "bring learner and agents to the same version of bitarm"
    )


def _require_length(frame: bytes) -> None:
    word = int.from_bytes(frame[2:_HEAD_BYTES])
    if _parity(word):
        raise CorruptFrameError(f"length word must have even parity, got {word:016b}")
    length = word & MAX_BYTES
    if length < MIN_LONG_BYTES:
        raise CorruptFrameError(f"a long frame has at least {MIN_LONG_BYTES} bytes, got {length}")
    if len(frame) < length:
        raise TruncatedFrameError(f"frame has {length} bytes, got the first {len(frame)}")
    if len(frame) > length:
        raise CorruptFrameError(f"frame has {length} bytes, got {len(frame)}")


def _require_crc(frame: bytes) -> None:
    stated = int.from_bytes(frame[-_CRC_BYTES:])
    found = crc_hqx(frame[:-_CRC_BYTES], 0xFFFF)
    if stated != found:
        raise CorruptFrameError(f"check sum of these bytes is {found:04x}, they say {stated:04x}")


def _parity(word: int) -> int:
    return word.bit_count() & 1
