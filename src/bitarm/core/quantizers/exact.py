"""No quantization: the mean itself, as the 64 bits of a float."""

from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.core.codes.raw import NBITS
from bitarm.core.quantizer import NOTHING_KNOWN, Bounds, Estimate, Step, require_no_prior
from bitarm.core.question import Question


@final
@dataclass(frozen=True, slots=True)
class Exact:
    """The paper's unquantized setting, at the price that a real channel charges for it."""

    name: ClassVar[str] = "exact"
    certain: ClassVar[bool] = True
    hinted: ClassVar[bool] = False
    codes: ClassVar[tuple[str, ...]] = (Raw.name,)
    has_intervals: ClassVar[bool] = False

    def prior_range(self, bounds: Bounds | None) -> Bounds | None:
        """None: nothing is drawn."""
        return None

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """Nothing is known before the first message."""
        require_no_prior(self.name, prior)
        return NOTHING_KNOWN

    def error(self, held: Estimate, step: Step) -> float:
        """None: U = U'."""
        return 0.0

    def least_bits(self, step: Step) -> int:
        """Always 64."""
        return NBITS

    def question(self, held: Estimate, step: Step, dither: float) -> Question:
        """The float itself."""
        return Question(until=step.pulls, code=Raw())

    def read(self, symbol: Symbol, question: Question, held: Estimate, step: Step) -> Estimate:
        """The float back."""
        mean = question.code.read(symbol)
        return Estimate.after(step, mean=mean, error=self.error(held, step))

    def objection(self) -> str | None:
        """None: the mean itself is told."""
        return None
