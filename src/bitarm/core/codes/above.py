"""Above a floor: how many steps the mean is above a low that it is hardly ever below."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import BitReader, Symbol
from bitarm.core.codes.checks import require_finite, require_step
from bitarm.core.codes.nearest import MOST_STEPS
from bitarm.core.codes.prefix import read_golomb, write_golomb
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

ABOVE_ESCAPE = 6
"""Ones after which a universal code follows."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Above:
    """Cells of one step above `low`; the first one has all means below it too.

    write   q = max(⌊(mean − low)/step⌋, 0) in unary, from 6 on in a universal code
    read    low + (q + ½)·step
    """

    name: ClassVar[str] = "above"

    low: float
    step: float

    def __post_init__(self) -> None:
        require_step(self.step)
        require_finite("low", self.low)
        if not abs(self.low) < MOST_STEPS * self.step:
            raise LocalProtocolError(
                f"low must lie within 2^34 steps of 0, got {self.low} in steps of {self.step}"
            )

    def write(self, mean: float) -> Symbol:
        """The word for the cell of a mean; RewardError if that is too far off."""
        if not abs(mean) < MOST_STEPS * self.step:
            raise RewardError(f"a mean of {mean} is too far from 0 for steps of {self.step}")
        return write_golomb(max(math.floor((mean - self.low) / self.step), 0), 1, ABOVE_ESCAPE)

    def read(self, symbol: Symbol) -> float:
        """The middle of the cell; PeerProtocolError for any other bits."""
        reader = BitReader(symbol)
        cell = read_golomb(reader, 1, ABOVE_ESCAPE)
        reader.finish()
        mean = self.low + (cell + 0.5) * self.step
        if not abs(mean) <= MOST_STEPS * self.step + self.step:
            raise PeerProtocolError(f"symbol moves the mean to {mean}, which no encoder can reach")
        return mean

    def is_lowest(self, told: float) -> bool:
        """Whether what was told is the first cell: then the mean may be anywhere below it."""
        return told < self.low + self.step
