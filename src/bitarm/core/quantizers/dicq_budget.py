"""D-ICQ under a budget of bits: the innovation in a fixed number of bits, with steps to match.

A prefix code is short on average, and as long as it must be when it must: no budget survives that.
Where bits that are not used are worth nothing, every codeword of the allowance is: message n has
m_n bits, and its 2^m_n cells cover the innovation's likely range, held mean ± reach_n. With fewer
bits the steps grow. What lies beyond the range is sent as the outermost cell.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self, final

from bitarm.core.bounds import Bounds
from bitarm.core.codes import Bins
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.question import Question
from bitarm.errors import ConfigError

MAX_BITS = 32


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetedDicq(Quantizer):
    """Innovation coding in messages of fixed length.

    Allowances and reaches are planned once (`planned`), before the first message.
    """

    name: ClassVar[str] = "dicq-budget"
    certain: ClassVar[bool] = False  # what lies beyond the reach is cut
    codes: ClassVar[tuple[str, ...]] = (Bins.name,)

    allowances: tuple[int, ...]  # m_n, bits of message n
    reaches: tuple[float, ...]  # half the range that its cells cover

    def __post_init__(self) -> None:
        if not self.allowances or len(self.allowances) != len(self.reaches):
            raise ConfigError("every message needs an allowance of bits and a reach")
        if not all(1 <= bits <= MAX_BITS for bits in self.allowances):
            raise ConfigError(f"allowances must lie between 1 and {MAX_BITS} bits")
        if not all(math.isfinite(reach) and reach > 0 for reach in self.reaches):
            raise ConfigError("reaches must be finite numbers above 0")

    @classmethod
    def planned(
        cls,
        *,
        checkpoints: Sequence[int],
        allowances: Sequence[int],
        sigma: float,
        first: float,
    ) -> Self:
        """Cells as fine as the allowances permit.

        Message 1 covers `first` to either side of the middle, wherever in a cell it starts: its
        reach is w/2 more, with w the cell. From then on the innovation has the variance
        σ²(1/t' − 1/t) + w'²/12, with t' and w' the pulls and the cell at the message before: the
        mean's own movement, and an old error that is uniform on its cell. The reach is as many
        deviations as lose least on average to cells and to cutting.
        """
        reaches = [first / (1 - math.ldexp(1.0, -allowances[0]))]
        for (before, after), (old, new) in zip(
            pairwise(checkpoints), pairwise(allowances), strict=True
        ):
            moved = sigma * sigma * (after - before) / (before * after)
            cell = math.ldexp(reaches[-1], 1 - old)
            reaches.append(_loading(new) * math.sqrt(moved + cell * cell / 12))
        return cls(allowances=tuple(allowances), reaches=tuple(reaches))

    def prior_range(self, bounds: Bounds | None) -> Bounds | None:
        """A cell of message 1 around the middle of the bounds, or around 0.

        A dither: on one lattice for all arms many would tie, and the same ones always win.
        """
        middle = 0.0 if bounds is None else bounds[0] / 2 + bounds[1] / 2
        half = math.ldexp(self.reaches[0], -self.allowances[0])
        return middle - half, middle + half

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """Where the prior was drawn; the first reach stands for what may be."""
        if prior is None or not math.isfinite(prior):
            raise ConfigError(f"{self.name} needs a drawn start for every arm, got {prior}")
        return Estimate(mean=prior, error=self.reaches[0], radius=self.reaches[0])

    def error(self, held: Estimate, occasion: Occasion) -> float:
        """Half a cell, and what may lie beyond the reach on the interval event."""
        reach, bits = self._plan(occasion)
        return max(0.0, occasion.u_prime + held.radius - reach) + math.ldexp(reach, -bits)

    def least_bits(self, occasion: Occasion) -> int:
        """The allowance, exactly."""
        return self._plan(occasion)[1]

    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """The cell that holds the mean, the outermost one beyond the reach."""
        low, cell = self.cells(held, occasion)
        code = Bins(low=low, step=cell, bins=1 << self.least_bits(occasion))
        return Question(until=occasion.pulls, code=code)

    def objection(self) -> str | None:
        """None of its own: the budget policies, for which alone it is, prove nothing."""
        return None

    def cells(self, held: Estimate, occasion: Occasion) -> tuple[float, float]:
        """Lower end of the range and width of a cell."""
        reach, bits = self._plan(occasion)
        return held.mean - reach, math.ldexp(reach, 1 - bits)

    def _plan(self, occasion: Occasion) -> tuple[float, int]:
        if occasion.message > len(self.allowances):
            raise ConfigError(
                f"{self.name} was planned for {len(self.allowances)} messages an arm, "
                f"not for message {occasion.message}"
            )
        return self.reaches[occasion.message - 1], self.allowances[occasion.message - 1]


def _loading(bits: int) -> float:
    """Reach in standard deviations, nearly the best for Gaussian numbers (Max 1960, Table II)."""
    return 1.3 + bits / 3
