"""How the numbers of a frame are spelt: five kinds, each with one spelling for one number.

NUMBER     a whole number from 0: variable length (`bitarm.wire.frames.varint`)
SIGNED     a whole number: folded to 0, 1, −1, 2, −2, … as 0, 1, 2, 3, 4, …, then as a NUMBER
BYTE       a whole number from 0 to 255: one byte
FLOAT      an IEEE 754 double: its eight bytes; finite, and zero without a sign
FRACTION   a multiple of 2^−32 in [0, 1): the four bytes of its numerator
"""

import math
import struct
from dataclasses import dataclass, field
from enum import Enum
from typing import final

from bitarm.core.codes.prefix import unzigzag, zigzag
from bitarm.core.dither import DITHER_BITS
from bitarm.errors import CorruptFrameError
from bitarm.wire.frames import varint
from bitarm.wire.frames.cursor import Cursor

FLOAT_BITS = 64
_MINUS_ZERO = 1 << FLOAT_BITS - 1  # equals 0, whose bits are the spelling of both


class Spelling(Enum):
    """How one number of a frame becomes bytes."""

    NUMBER = "number"
    SIGNED = "signed"
    BYTE = "byte"
    FLOAT = "float"
    FRACTION = "fraction"


@final
@dataclass(frozen=True, slots=True)
class Column:
    """A number of a message: how it is spelt, and what it means in words ({} is the number)."""

    name: str
    meaning: str
    spelling: Spelling = Spelling.NUMBER

    # Made once, not at each reading: what a note says of one message, of one arm's, of all arms'.
    alone: str = field(init=False, repr=False)
    of_arm: str = field(init=False, repr=False)
    of_all: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        meaning = self.meaning.replace("{}", "{1}")
        object.__setattr__(self, "alone", meaning)
        object.__setattr__(self, "of_arm", f"arm {{2}}: {meaning}")
        object.__setattr__(self, "of_all", f"every arm: {meaning}")


def write(body: bytearray, column: Column, value: float) -> None:
    """Append a number as its column spells it."""
    match column.spelling:
        case Spelling.NUMBER:
            varint.write(body, int(value))
        case Spelling.SIGNED:
            varint.write(body, zigzag(int(value)))
        case Spelling.BYTE:
            body.append(int(value))
        case Spelling.FLOAT:
            body += struct.pack(">d", value + 0.0)  # −0.0 is 0.0
        case Spelling.FRACTION:
            body += int(value * 2**DITHER_BITS).to_bytes(DITHER_BITS // 8)


def read(cursor: Cursor, column: Column, note: str, arm: int = 0) -> float:
    """The next number, noted under its name in the words of `note`."""
    value: float
    match column.spelling:
        case Spelling.NUMBER:
            value = bits = cursor.take_number()
        case Spelling.SIGNED:
            bits = cursor.take_number()
            value = unzigzag(bits)
        case Spelling.BYTE:
            value = bits = cursor.take(8)
        case Spelling.FLOAT:
            bits = cursor.take(FLOAT_BITS)
            value = _float(column.name, bits)
        case Spelling.FRACTION:
            bits = cursor.take(DITHER_BITS)
            value = bits / 2**DITHER_BITS
    cursor.note(column.name, bits, note, value, arm)
    return value


def _float(name: str, bits: int) -> float:
    if bits == _MINUS_ZERO:
        raise CorruptFrameError(f"{name} of zero must be spelt without a sign")
    (value,) = struct.unpack(">d", bits.to_bytes(FLOAT_BITS // 8))
    if not math.isfinite(value):
        raise CorruptFrameError(f"{name} must be a finite number, got {value}")
    return float(value)
