"""ICQ, the paper's scheme: B bits over the small interval in which the mean must lie.

L = [LCB(i−1) − U'(i), UCB(i−1) + U'(i)]      the interval, centred on μ̃_{i−1}
enc: the nearest of 2^B bin midpoints of L;  dec: that midpoint
U(i) = U'(i) + 2^{−B}·(U'(i) + U(i−1))        Eq. (4)
"""

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, final

from bitarm.core.bounds import Bounds
from bitarm.core.codes import Bins
from bitarm.core.phases import SET_BY_BITS, BitBudget
from bitarm.core.quantizer import Estimate, Occasion, Quantizer, middle_of, require_no_prior
from bitarm.core.quantizers.quban import QuBan
from bitarm.core.question import Question
from bitarm.core.words import Word, check_words
from bitarm.errors import ConfigError

Prior = Literal["uniform", "midpoint", "lower", "quban"]
MAX_BITS = 32

FIRST_MESSAGE = QuBan(epsilon_quban=2.0)  # Remark 2: ε = 2 gives U(1) = 2·U'(1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Icq(Quantizer):
    """Inflating Confidence for Quantization: Algorithms 1 and 2.

    `prior` says what is held before message 1:
    uniform   μ̃_0 drawn uniformly from [a, b], U(0) = b − a (the paper);
    midpoint  μ̃_0 = (a + b)/2, for which U(0) = (b − a)/2 suffices;
    lower     μ̃_0 = a, U(0) = b − a: what the published figures match;
    quban     nothing: message 1 is QuBan's, for unbounded rewards (Remark 2).
    """

    name: ClassVar[str] = "icq"
    certain: ClassVar[bool] = False
    codes: ClassVar[tuple[str, ...]] = (Bins.name, *QuBan.codes)
    has_intervals: ClassVar[bool] = True

    bits: Annotated[int, Word("Bits of a message", sign="B=", least=1, most=MAX_BITS)] = 3
    prior: Annotated[Prior, Word("What is held before the first message")] = "uniform"

    def __post_init__(self) -> None:
        check_words(self)

    def prior_range(self, bounds: Bounds | None) -> Bounds | None:
        """The bounds, as the paper draws it, if the prior is uniform."""
        return bounds if self.prior == "uniform" else None

    @property
    def has_fixed_length(self) -> bool:
        """Unless QuBan's words, which vary, are its first message."""
        return self.prior != "quban"

    @classmethod
    def defaults(cls, bounds: Bounds | None, *, has_budget: bool) -> Mapping[str, Any]:
        """The paper's prior, or without bounds that of Remark 2."""
        return {"prior": "uniform" if bounds else "quban"}

    @classmethod
    def without_effect(cls, given: Container[str]) -> Mapping[str, str]:
        """The word `bits` beside a budget of bits, which sets B."""
        return {"bits": SET_BY_BITS} if "bit_budget" in given else {}

    def within_bits(self, budget: BitBudget, *, sigma: float, bounds: Bounds | None) -> Quantizer:
        """icq with as many bits for each message as the budget has."""
        if self.prior == "quban":
            raise ConfigError(
                "icq without bounds begins with a message of any length, which no bit_budget "
                "covers: give bounds, or use the quantizer dicq"
            )
        return Icq(bits=budget.each(self.name, least=1, most=MAX_BITS), prior=self.prior)

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """μ̃_0 and U(0)."""
        if self.prior == "quban":
            return FIRST_MESSAGE.start(prior, bounds)
        if bounds is None:
            raise ConfigError(
                f"icq with a {self.prior} prior needs bounded rewards: give bounds, "
                "or use the prior quban"
            )
        a, b = bounds
        if self.prior == "midpoint":
            require_no_prior("icq with a midpoint prior", prior)
            return middle_of(bounds)
        if self.prior == "lower":
            require_no_prior("icq with a lower prior", prior)
            return Estimate(mean=a, error=b - a, radius=b - a)
        if prior is None or not a <= prior <= b:
            raise ConfigError(f"icq with a uniform prior needs μ̃_0 in [{a}, {b}], got {prior}")
        return Estimate(mean=prior, error=b - a, radius=b - a)

    def error(self, held: Estimate, occasion: Occasion) -> float:
        """2^{−B}·(U'(i) + U(i−1)): half a bin, if the mean lies in the interval."""
        if self._is_quban(occasion):
            return FIRST_MESSAGE.error(held, occasion)
        return math.ldexp(_half(held, occasion), -self.bits)

    def least_bits(self, occasion: Occasion) -> int:
        """B, except for the first message under the quban prior."""
        return FIRST_MESSAGE.least_bits(occasion) if self._is_quban(occasion) else self.bits

    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """enc(μ̂, B, L): the bin of the nearest midpoint, the outermost one beyond the interval."""
        if self._is_quban(occasion):
            return FIRST_MESSAGE.question(held, occasion, dither)
        low, bin_width = self.bins(held, occasion)
        code = Bins(low=low, step=bin_width, bins=1 << self.bits)
        return Question(until=occasion.pulls, code=code)

    def objection(self) -> str | None:
        """None: Lemma 2, and Theorem 4 with it."""
        return None

    def _is_quban(self, occasion: Occasion) -> bool:
        return occasion.message == 1 and self.prior == "quban"

    def bins(self, held: Estimate, occasion: Occasion) -> tuple[float, float]:
        """Lower end of L and width of one of its 2^B bins."""
        half = _half(held, occasion)
        return held.mean - half, math.ldexp(half, 1 - self.bits)


def _half(held: Estimate, occasion: Occasion) -> float:
    """Half the width of L: U'(i) + U(i−1)."""
    return occasion.u_prime + held.radius
