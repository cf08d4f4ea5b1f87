"""Fed-SEL as the paper's figure runs it: the same cells and bits, a radius of 2·U'."""

from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bounds import Bounds
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.quantizers.fed_sel import FedSel
from bitarm.core.question import Question

_CELLS = FedSel()
_STRICT = 1 + 2**-30  # the published curves match a strict LCB > UCB: a tie of 4 cells is no drop


@final
@dataclass(frozen=True, slots=True)
class FedSelPaper(Quantizer):
    """Sound, since 2·U' is more than the cells need; kept to compare with the published curve."""

    name: ClassVar[str] = "fed-sel-paper"
    certain: ClassVar[bool] = True
    codes: ClassVar[tuple[str, ...]] = FedSel.codes
    has_intervals: ClassVar[bool] = True

    @property
    def has_fixed_length(self) -> bool:
        """True: every word is the number of a cell."""
        return True

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """As Fed-SEL."""
        return _CELLS.start(prior, bounds)

    def error(self, held: Estimate, occasion: Occasion) -> float:
        """A whole U' (departure from the cells' own U'/2, as recovered from the figure)."""
        return occasion.u_prime * _STRICT

    def least_bits(self, occasion: Occasion) -> int:
        """As Fed-SEL."""
        return _CELLS.least_bits(occasion)

    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """As Fed-SEL."""
        return _CELLS.question(held, occasion, dither)

    def objection(self) -> str | None:
        """None: its radius is wider than the cells need."""
        return None
