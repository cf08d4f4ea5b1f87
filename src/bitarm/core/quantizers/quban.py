"""QuBan (Hanna, Yang, Fragouli 2022): steps of εσ/√t, short words near the last decoded mean.

As the paper runs it: each message carries the running mean. The centre (the last decoded mean)
changes the length of the codeword, not the values that it may decode to, nor their chances.
"""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, final

from bitarm.core.bounds import Bounds
from bitarm.core.codes import Levels
from bitarm.core.codes.levels import MOST_LEVELS, WORD_BITS
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion, Quantizer, require_no_prior
from bitarm.core.question import Question
from bitarm.core.words import Word, check_words


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class QuBan(Quantizer):
    """Stochastic rounding to multiples of M = εσ/√t: unbiased, and never off by more than M."""

    name: ClassVar[str] = "quban"
    certain: ClassVar[bool] = True
    codes: ClassVar[tuple[str, ...]] = (Levels.name,)
    has_intervals: ClassVar[bool] = True

    epsilon_quban: Annotated[float, Word("Step of a mean, in deviations", sign="ε=", above=0)] = 0.5

    def __post_init__(self) -> None:
        check_words(self)

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """The first centre is 0."""
        require_no_prior(self.name, prior)
        return NOTHING_KNOWN

    def error(self, held: Estimate, occasion: Occasion) -> float:
        """(ε/2)·U', so that the radius is the (1 + ε/2)·U' that the paper's figures use.

        Never below M: for every width here and K ≥ 2, U' ≥ 2σ/√t and the maximum is the first term.
        """
        return max(self.epsilon_quban / 2 * occasion.u_prime, self.step_size(occasion))

    def least_bits(self, occasion: Occasion) -> int:
        """A level near the centre costs one word."""
        return WORD_BITS

    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """Levels of M, counted from ⌊c/M⌋: all that the centre c contributes."""
        size = self.step_size(occasion)
        near = abs(held.mean) < MOST_LEVELS * size  # else it is no help, as before message 1
        centre = math.floor(held.mean / size) if near else 0
        return Question(until=occasion.pulls, code=Levels(step=size, centre=centre, dither=dither))

    def objection(self) -> str | None:
        """None: the error never exceeds a step."""
        return None

    def step_size(self, occasion: Occasion) -> float:
        """M = εσ/√t."""
        return self.epsilon_quban * occasion.sigma / math.sqrt(occasion.pulls)
