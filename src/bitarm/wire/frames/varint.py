"""How a whole number becomes bytes whose count grows with it: unsigned LEB128.

Seven bits a byte, the least significant group first, the top bit set on every byte but the last.
Each number below 2^64 has one spelling: a last group of zero after another group is refused.
"""

from bitarm.errors import CorruptFrameError

LIMIT = 1 << 64  # first number that is not spelt
_MAX_BYTES = 10  # ceil(64 / 7)


def write(out: bytearray, number: int) -> None:
    """Append `number`, which must lie in [0, 2^64)."""
    while number > 0x7F:
        out.append(0x80 | number & 0x7F)
        number >>= 7
    out.append(number)


def read(frame: bytes, first: int, end: int) -> tuple[int, int]:
    """The number spelt from byte `first` on, and the byte after it; nothing from `end` on is read.

    The frame is whole when this is called, so a number that runs past the end is corrupt and
    not truncated.
    """
    number = shift = 0
    for at in range(first, min(end, first + _MAX_BYTES)):
        byte = frame[at]
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            if byte == 0 and at > first:
                raise CorruptFrameError(f"number at byte {first} ends in a superfluous zero group")
            if number >= LIMIT:
                raise CorruptFrameError(f"number at byte {first} must be below 2^64, got {number}")
            return number, at + 1
    raise CorruptFrameError(
        f"number at byte {first} must end within {_MAX_BYTES} bytes and before byte {end}"
    )
