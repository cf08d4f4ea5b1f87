"""Prefix codes for integers: how a number becomes bits when small ones are likely.

Each `write_…` has its `read_…`; reading consumes exactly what was written, and refuses what nobody
writes as the peer's fault. Lengths are those of the codes, computed by nobody else.
"""

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.errors import PeerProtocolError

LIMIT = 1 << 40
"""Numbers are below this: no code here is asked for more, and none believes in more."""

ESCAPE = 20
"""A unary part this long is an escape: the rest follows in a universal code."""


def zigzag(number: int) -> int:
    """0, 1, −1, 2, −2, … as 0, 1, 2, 3, 4, …"""
    return 2 * number - 1 if number > 0 else -2 * number


def unzigzag(folded: int) -> int:
    """The number that `zigzag` folded."""
    return (folded + 1) // 2 if folded % 2 else -(folded // 2)


def write_gamma(number: int) -> Symbol:
    """Elias' γ code of a number from 0: n + 1 in binary, after as many zeros as it has more bits.

    Universal: its length grows as 2·log2, whatever the law of the numbers.
    """
    length = (number + 1).bit_length()
    return Symbol(number + 1, 2 * length - 1)


def read_gamma(reader: BitReader) -> int:
    """The number that comes next in γ code."""
    zeros = 0
    while not reader.take(1):
        zeros += 1
        if zeros > LIMIT.bit_length():
            raise PeerProtocolError("symbol names a number that no encoder can reach")
    return (1 << zeros | reader.take(zeros)) - 1


def write_golomb(number: int, divisor: int, escape: int = ESCAPE) -> Symbol:
    """Golomb's code of a number from 0: quotient in unary, remainder in truncated binary.

    Short where numbers fall off geometrically and `divisor` fits their spread. A far number costs
    an escape of so many ones and a γ code, not a unary part as long as itself.
    """
    quotient, remainder = divmod(number, divisor)
    if quotient >= escape:
        rest = write_gamma(number - escape * divisor)
        return concat(Symbol((1 << escape) - 1, escape), rest)
    unary = Symbol((1 << (quotient + 1)) - 2, quotient + 1)
    short, nbits = _truncated(divisor)
    if remainder < short:
        return concat(unary, Symbol(remainder, nbits - 1)) if nbits else unary
    return concat(unary, Symbol(remainder + short, nbits))


def read_golomb(reader: BitReader, divisor: int, escape: int = ESCAPE) -> int:
    """The number that comes next in Golomb code."""
    quotient = 0
    while quotient < escape and reader.take(1):
        quotient += 1
    if quotient == escape:
        return escape * divisor + read_gamma(reader)
    short, nbits = _truncated(divisor)
    if not nbits:
        return quotient * divisor
    remainder = reader.take(nbits - 1)
    if remainder >= short:
        remainder = (remainder << 1 | reader.take(1)) - short
    return quotient * divisor + remainder


def _truncated(divisor: int) -> tuple[int, int]:
    """How many remainders have the shorter form, and the bits of the longer one."""
    nbits = (divisor - 1).bit_length()
    return (1 << nbits) - divisor, nbits
