"""No quantization: the mean itself, as the 64 bits of a float."""

from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bounds import Bounds
from bitarm.core.codes import Raw
from bitarm.core.codes.raw import NBITS
from bitarm.core.phases import BitBudget
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion, Quantizer, require_no_prior
from bitarm.core.question import Question
from bitarm.core.resolution import allowance


@final
@dataclass(frozen=True, slots=True)
class Exact(Quantizer):
    """The paper's unquantized setting, at the price that a real channel charges for it."""

    name: ClassVar[str] = "exact"
    certain: ClassVar[bool] = True
    codes: ClassVar[tuple[str, ...]] = (Raw.name,)

    @property
    def has_fixed_length(self) -> bool:
        """64 bits, always."""
        return True

    def within_bits(self, budget: BitBudget, *, sigma: float, bounds: Bounds | None) -> Quantizer:
        """The same scheme, if the budget has 64 bits for every message."""
        budget.each(self.name, least=NBITS, most=NBITS)
        return self

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """Nothing is known before the first message."""
        require_no_prior(self.name, prior)
        return NOTHING_KNOWN

    def error(self, held: Estimate, occasion: Occasion) -> float:
        """What rounding may do to a mean: next to nothing, and not nothing.

        Where it would do more, nothing is claimed (`core/resolution.py`).
        """
        return allowance(occasion.sigma, occasion.pulls)

    def least_bits(self, occasion: Occasion) -> int:
        """Always 64."""
        return NBITS

    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """The float itself."""
        return Question(until=occasion.pulls, code=Raw())

    def objection(self) -> str | None:
        """None: the mean itself is told, as far as a float64 resolves it."""
        return None
