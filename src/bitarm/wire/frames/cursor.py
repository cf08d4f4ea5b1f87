"""Walks through a whole frame bit by bit, and can write down what each bit meant.

Reading and explaining are one walk: a reader takes bits, then notes what they were, so that the
explanation of a frame can never disagree with how it is read. Without a list to write to, a note
costs a call and formats nothing.
"""

from dataclasses import dataclass
from typing import final

from bitarm.errors import CorruptFrameError
from bitarm.wire.frames import varint

CRC_BITS = 16


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A stretch of a frame's bits, counted from the first bit sent, and what it says."""

    name: str
    first_bit: int
    nbits: int
    value: int
    meaning: str


@final
class Cursor:
    """A place in a frame whose length and check sum were found right.

    Nothing is taken from the check sum, and what the fields need beyond the body is corrupt.
    """

    __slots__ = ("_at", "_end", "_fields", "_frame", "_noted")

    def __init__(self, frame: bytes, fields: list[Field] | None = None) -> None:
        self._frame = frame
        self._at = self._noted = 0
        self._end = 8 * len(frame) - CRC_BITS
        self._fields = fields

    @property
    def bytes_left(self) -> int:
        """Number of whole bytes before the check sum."""
        return (self._end - self._at) // 8

    def peek(self, nbits: int) -> int:
        """The next `nbits` bits as an integer, without taking them."""
        last = self._at + nbits
        if last > self._end:  # before anything of that size is made
            raise CorruptFrameError(
                f"field at bit {self._at} must end before bit {self._end}, it has {nbits} bits"
            )
        covering = int.from_bytes(self._frame[self._at // 8 : (last + 7) // 8])
        return covering >> -last % 8 & (1 << nbits) - 1

    def take(self, nbits: int) -> int:
        """The next `nbits` bits as an integer."""
        value = self.peek(nbits)
        self._at += nbits
        return value

    def take_number(self) -> int:
        """The next number of variable length; the cursor stands on a byte."""
        number, after = varint.read(self._frame, self._at // 8, self._end // 8)
        self._at = 8 * after
        return number

    def take_zeros(self, nbits: int, why: str) -> None:
        """Pass bits that must be zero: one message, one spelling."""
        value = self.take(nbits)
        if value:
            raise CorruptFrameError(f"{why} must be zero, got {value:0{nbits}b}")
        self.note(why, 0, "always zero")

    def take_padding(self) -> None:
        """Pass the zeros up to the next whole byte."""
        self.take_zeros(-self._at % 8, "padding")

    def note(self, name: str, value: int, meaning: str, *about: object) -> None:
        """Say what the bits taken since the last note were.

        `meaning` is a format string over `value` and `about`. A field without bits is left out.
        """
        if self._fields is not None and self._at > self._noted:
            self._fields.append(
                Field(
                    name=name,
                    first_bit=self._noted,
                    nbits=self._at - self._noted,
                    value=value,
                    meaning=meaning.format(value, *about),
                )
            )
        self._noted = self._at

    def finish(self) -> None:
        """Check that the fields end where the check sum begins, and pass it."""
        if self._at != self._end:
            raise CorruptFrameError(
                f"fields must end at bit {self._end}, they end at bit {self._at}"
            )
        self._end += CRC_BITS
        self.note("check sum", self.take(CRC_BITS), "CRC-16 of all bits before it")
