"""Clamped bins: the number of the bin that holds the mean, the outermost one beyond the range."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import Symbol
from bitarm.core.codes.checks import require_finite, require_length, require_step, require_within
from bitarm.errors import PeerProtocolError

MOST_BINS = 1 << 53
"""A float64 numbers that many places, and no more."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """`bins` bins of width `step` from `low` upwards, all words of one length.

        write   ⌊min(max((mean − low)/step, 0), bins − 1)⌋, in ⌈log2 bins⌉ bits
        read    low + (number + ½)·step

    A single bin takes no bits: the answer is empty, and says only that the pulls were made.
    """

    name: ClassVar[str] = "bins"

    low: float  # the lower edge of the first bin
    step: float  # the width of every bin
    bins: int

    def __post_init__(self) -> None:
        require_finite("low", self.low)
        require_step(self.step)
        require_within("bins", self.bins, 1, MOST_BINS)

    @property
    def nbits(self) -> int:
        """Length of every word."""
        return (self.bins - 1).bit_length()

    def write(self, mean: float) -> Symbol:
        """The word of the bin that holds `mean`; beyond the range, of the outermost one."""
        position = (mean - self.low) / self.step
        return Symbol(math.floor(min(max(position, 0.0), float(self.bins - 1))), self.nbits)

    def read(self, symbol: Symbol) -> float:
        """The middle of the bin; PeerProtocolError for a word of another length or bin."""
        require_length(symbol, self.nbits)
        if symbol.value >= self.bins:
            raise PeerProtocolError(f"symbol names bin {symbol.value} of {self.bins}")
        return self.low + (symbol.value + 0.5) * self.step
