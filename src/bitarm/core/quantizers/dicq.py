"""D-ICQ, differential ICQ: code the innovation, not the interval.

The question tells the agent where it was last, so it says how far its mean has moved, in steps
that shrink with its noise:

    q_n = round((μ̂_n − μ̃_{n−1})/s_n),  s_n = κσ/√t_n,  μ̃_n = μ̃_{n−1} + q_n·s_n

The error is at most half a step, always, for bounded and unbounded rewards alike: quantization is
no source of failure, nothing saturates, and message 1 needs no other scheme. Message 1 is coded
for any distance; from then on q_n has a known spread, and small numbers are short.
"""

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, final

from bitarm.core.bounds import Bounds
from bitarm.core.codes import Nearest
from bitarm.core.codes.nearest import MOST_STEPS, ROUNDED_UP
from bitarm.core.codes.prefix import ESCAPE, LIMIT
from bitarm.core.phases import SET_BY_BITS, BitBudget
from bitarm.core.quantizer import Estimate, Occasion, Quantizer, middle_of, require_no_prior
from bitarm.core.quantizers.dicq_budget import MAX_BITS, BudgetedDicq
from bitarm.core.question import Question
from bitarm.core.words import Word, check_words

FIRST_ESCAPE = 3
"""Message 1 has short words for the three nearest numbers, and a universal code for the rest."""

# Variances of q_n from which on the next divisor gives Golomb's code the shorter mean length.
_DIVISORS = (1.664, 5.018, 8.821, 18.749, 25.908)

_BUDGET_KAPPA = 0.5  # of both words under a fixed budget


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Dicq(Quantizer):
    """Innovation coding with steps of κσ/√t."""

    name: ClassVar[str] = "dicq"
    certain: ClassVar[bool] = True
    refuses_far: ClassVar[bool] = True  # from 2^34 steps on, and its error covers all roundings
    codes: ClassVar[tuple[str, ...]] = (Nearest.name,)

    kappa: Annotated[float, Word("Step of a mean, in deviations", sign="κ=", above=0)] = 2.0
    # message 1 has all the way from the prior to say
    kappa_first: Annotated[float, Word("Step of the first mean", sign="κ₁=", above=0)] = 4.0

    def __post_init__(self) -> None:
        check_words(self)

    @classmethod
    def defaults(cls, bounds: Bounds | None, *, has_budget: bool) -> Mapping[str, Any]:
        """Finer steps under a fixed budget, where no margin covers an error."""
        return {"kappa": _BUDGET_KAPPA, "kappa_first": _BUDGET_KAPPA} if has_budget else {}

    @classmethod
    def without_effect(cls, given: Container[str]) -> Mapping[str, str]:
        """Under a budget of bits the words for steps: they follow from the budget."""
        if "bit_budget" not in given:
            return {}
        words = {"kappa": SET_BY_BITS}
        if "bounds" in given:
            words["kappa_first"] = "with a bit_budget, the first message covers the bounds"
        return words

    def within_bits(self, budget: BitBudget, *, sigma: float, bounds: Bounds | None) -> Quantizer:
        """The scheme of messages with fixed length.

        Its first message covers all that the bounds allow; without them, means are taken to lie
        within κ_1·σ of 0.
        """
        each = budget.each(self.name, least=1, most=MAX_BITS)
        return BudgetedDicq.planned(
            checkpoints=[phase.until for phase in budget.phases],
            allowances=budget.allowances(each, most=MAX_BITS),
            sigma=sigma,
            first=self.kappa_first * sigma if bounds is None else (bounds[1] - bounds[0]) / 2,
        )

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """The middle of the bounds, or 0."""
        require_no_prior(self.name, prior)
        return middle_of(bounds)

    def error(self, held: Estimate, occasion: Occasion) -> float:
        """Half a step."""
        return self.step_size(occasion) / 2 * ROUNDED_UP

    def least_bits(self, occasion: Occasion) -> int:
        """One bit, with which nothing moved; where the spread is large, none is that short."""
        return 1

    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """The number of steps to the mean, in a prefix code."""
        divisor, escape = self._code(held, occasion)
        code = Nearest(
            centre=self._centre(held, occasion),
            step=self.step_size(occasion),
            divisor=divisor,
            escape=escape,
        )
        return Question(until=occasion.pulls, code=code)

    def objection(self) -> str | None:
        """None: half a step, always (docs/widths.md)."""
        return None

    def step_size(self, occasion: Occasion) -> float:
        """s_n = κσ/√t_n."""
        return self._kappa(occasion) * occasion.sigma / math.sqrt(occasion.pulls)

    def divisor(self, held: Estimate, occasion: Occasion) -> int:
        """Golomb's divisor for the spread that q_n has under the model."""
        size, kappa = self.step_size(occasion), self._kappa(occasion)
        return golomb_divisor(held.pulls, occasion.pulls, held.error, size, kappa)

    def _code(self, held: Estimate, occasion: Occasion) -> tuple[int, int]:
        """Divisor and escape of the code."""
        return (self.divisor(held, occasion), ESCAPE) if held.pulls else (1, FIRST_ESCAPE)

    def _kappa(self, occasion: Occasion) -> float:
        return self.kappa_first if occasion.message == 1 else self.kappa

    def _centre(self, held: Estimate, occasion: Occasion) -> float:
        """Where steps are counted from; what is out of reach is no help."""
        reach = MOST_STEPS * self.step_size(occasion)
        return held.mean if abs(held.mean) < reach else 0.0


def golomb_divisor(before: int, pulls: int, error: float, size: float, kappa: float) -> int:
    """Golomb's divisor for a mean after `pulls` that is told in steps of `size` = κσ/√t.

    Var q_n = (σ²(1/t' − 1/t) + e'²/3)/s², where t' and e' are pulls and error at the last mean:
    the mean's own movement, and an old error that is uniform on its cell. Of numbers alone, since
    the simulator compiles this very function.
    """
    scale = before * kappa * kappa
    if scale == 0.0 or size == 0.0:  # of a κ whose square is no float
        return LIMIT + 1  # with which no code is made, and says so
    moved = (pulls - before) / scale
    old = error / size
    return golomb_divisor_of(moved + old * old / 3)


def golomb_divisor_of(variance: float) -> int:
    """Golomb's divisor for numbers of this variance around 0."""
    for divisor, bound in enumerate(_DIVISORS, 1):
        if variance < bound:
            return divisor
    if variance == math.inf:
        return LIMIT + 1  # with which no code is made, and says so
    return math.floor(1.2 * math.sqrt(variance))
