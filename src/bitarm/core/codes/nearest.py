"""The nearest step: how many steps the mean is from a centre, near ones in short words."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import BitReader, Symbol
from bitarm.core.codes.checks import require_finite, require_step, require_within
from bitarm.core.codes.prefix import ESCAPE, LIMIT, read_golomb, unzigzag, write_golomb, zigzag
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

MOST_STEPS = 2.0**34
"""Means and centres are less than this many steps from 0: a float64 resolves 2^−18 of a step."""

ROUNDED_UP = 1 + 2.0**-14
"""Half a step times this is a bound that is certain, not nearly so: it covers every rounding of a
mean that is less than `MOST_STEPS` from 0."""

_LONGEST_ESCAPE = 64


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Steps from `centre`, in Golomb's code with this divisor and escape.

    write   q = ⌊(mean − centre)/step + ½⌋, folded by `zigzag`, then `write_golomb`
    read    centre + q·step
    """

    name: ClassVar[str] = "nearest"

    centre: float  # from where steps are counted
    step: float
    divisor: int  # of Golomb's code: about the number of steps that a mean moves
    escape: int = ESCAPE  # length of the unary part from which on a universal code follows

    def __post_init__(self) -> None:
        require_step(self.step)
        require_finite("centre", self.centre)
        if not abs(self.centre) < MOST_STEPS * self.step:
            raise LocalProtocolError(
                f"centre must lie within 2^34 steps of 0, got {self.centre} in steps of {self.step}"
            )
        require_within("divisor", self.divisor, 1, LIMIT)
        require_within("escape", self.escape, 1, _LONGEST_ESCAPE)

    def write(self, mean: float) -> Symbol:
        """The word for the step that is nearest to `mean`; RewardError if that is too far off."""
        return self.write_steps(self.steps_to(mean))

    def read(self, symbol: Symbol) -> float:
        """The mean that many steps from the centre; PeerProtocolError for any other bits."""
        reader = BitReader(symbol)
        mean = self.read_from(reader)
        reader.finish()
        return mean

    def steps_to(self, mean: float) -> int:
        """The step that is nearest to `mean`; RewardError if that is too far off."""
        if not abs(mean) < MOST_STEPS * self.step:
            raise self._too_far(mean)
        return math.floor((mean - self.centre) / self.step + 0.5)

    def middle(self, steps: int) -> float:
        """The mean that many steps from the centre."""
        return self.centre + steps * self.step

    def write_steps(self, steps: int) -> Symbol:
        """The word for so many steps; RewardError if nobody would read it."""
        if not self._is_within(mean := self.middle(steps)):
            raise self._too_far(mean)
        return write_golomb(zigzag(steps), self.divisor, self.escape)

    def read_from(self, reader: BitReader) -> float:
        """The mean whose word comes next."""
        mean = self.middle(unzigzag(read_golomb(reader, self.divisor, self.escape)))
        if not self._is_within(mean):
            raise PeerProtocolError(f"symbol moves the mean to {mean}, which no encoder can reach")
        return mean

    def _is_within(self, mean: float) -> bool:
        """Whether this is the nearest step of a mean that is not too far off."""
        return abs(mean) <= MOST_STEPS * self.step + self.step / 2

    def _too_far(self, mean: float) -> RewardError:
        return RewardError(
            f"a mean of {mean} is too far from 0 to quantize in steps of {self.step}: "
            "subtract what is common to all arms, or give bounds if there are none yet"
        )
