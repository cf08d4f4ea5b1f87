"""Bits as values: a symbol is an integer and a length, written and read most significant bit first.

Knows nothing of quantizers (which choose the bits) or frames (which carry them).
"""

from dataclasses import dataclass
from typing import final

from bitarm.errors import PeerProtocolError

MOST_BITS = 1 << 18
"""A symbol has at most so many bits: the longest frame holds fewer, and no code comes near."""


@final
@dataclass(frozen=True, slots=True)
class Symbol:
    """A finite bit string: the low `nbits` bits of `value`, most significant first.

    `nbits` is the message's price: what the paper counts, and what `payload_bits` adds up. No bits
    at all is a symbol too. ValueError if the value does not fit, or if no frame could carry
    it: what reads a symbol may take time and memory as its length.
    """

    value: int
    nbits: int

    def __post_init__(self) -> None:
        if self.nbits > MOST_BITS:
            raise ValueError(f"a symbol has at most {MOST_BITS:,} bits, got {self.nbits:,}")
        if self.nbits < 0 or self.value < 0 or self.value >> self.nbits:
            raise ValueError(f"{self.value} does not fit in {self.nbits} bits")

    def __str__(self) -> str:
        return format(self.value, f"0{self.nbits}b") if self.nbits else ""


def concat(*symbols: Symbol) -> Symbol:
    """The bits of all symbols, back to back."""
    value = nbits = 0
    for symbol in symbols:
        value = (value << symbol.nbits) | symbol.value
        nbits += symbol.nbits
    return Symbol(value, nbits)


@final
class BitReader:
    """Takes a symbol apart from its first bit on; what is missing is the sender's fault."""

    __slots__ = ("_left", "_value")

    def __init__(self, symbol: Symbol) -> None:
        self._value = symbol.value
        self._left = symbol.nbits

    @property
    def left(self) -> int:
        """Number of bits not yet taken."""
        return self._left

    def take(self, nbits: int) -> int:
        """The next `nbits` bits as an integer; PeerProtocolError if there are fewer."""
        if nbits > self._left:
            raise PeerProtocolError(f"symbol ends early: {nbits} bits wanted, {self._left} left")
        self._left -= nbits
        return (self._value >> self._left) & ((1 << nbits) - 1)

    def finish(self) -> None:
        """Check that every bit was taken; PeerProtocolError if some are left."""
        if self._left:
            raise PeerProtocolError(f"symbol is too long: {self._left} bits left over")
