"""How the numbers of a frame are spelt: five kinds, each with one spelling for one number.

NUMBER     a whole number from 0: variable length (`bitarm.wire.frames.varint`)
SIGNED     a whole number: folded to 0, 1, −1, 2, −2, … as 0, 1, 2, 3, 4, …, then as a NUMBER
BYTE       a whole number from 0 to 255: one byte
REAL       a float64: a whole number and the power of two that it is times, each as SIGNED. What a
           learner chooses has few digits. The number is odd, so that a float has one spelling; 0 is
           0 times 2^0
FRACTION   a multiple of 2^−32 in [0, 1): the four bytes of its numerator
"""

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import final

from bitarm.core.codes.prefix import unzigzag, zigzag
from bitarm.core.dither import DITHER_BITS
from bitarm.errors import CorruptFrameError
from bitarm.wire.frames import varint
from bitarm.wire.frames.cursor import Cursor

LONGEST_REAL = 10
"""Bytes: 53 digits and a sign take eight, the farthest powers of two take two."""

_MOST_DIGITS = 53  # of a float64
_FARTHEST = 1100  # no float64 has a higher power, or a lower one


class Spelling(Enum):
    """How one number of a frame becomes bytes."""

    NUMBER = "number"
    SIGNED = "signed"
    BYTE = "byte"
    REAL = "real"
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
        case Spelling.REAL:
            for part in _parts(value):
                varint.write(body, zigzag(part))
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
        case Spelling.REAL:
            bits = cursor.take_number()
            value = _real_of(unzigzag(bits), unzigzag(cursor.take_number()))
        case Spelling.FRACTION:
            bits = cursor.take(DITHER_BITS)
            value = bits / 2**DITHER_BITS
    cursor.note(column.name, bits, note, value, arm)
    return value


def _parts(value: float) -> tuple[int, int]:
    """The odd number and the power of two whose product a float is; 0 is 0 and 0."""
    numerator, denominator = value.as_integer_ratio()
    if not numerator:
        return 0, 0
    twos = (numerator & -numerator).bit_length() - 1
    return numerator >> twos, twos - (denominator.bit_length() - 1)


def _real_of(number: int, power: int) -> float:
    """The float of these two parts; CorruptFrameError if `_parts` would spell it otherwise."""
    if number.bit_length() <= _MOST_DIGITS and abs(power) < _FARTHEST:
        try:
            value = math.ldexp(number, power)
        except OverflowError:
            value = 0.0  # larger than all floats: no spelling of 0 either
        if _parts(value) == (number, power):  # among the smallest floats it may be rounded
            return value
    raise CorruptFrameError(f"no float is spelt {number} times 2^{power}")
