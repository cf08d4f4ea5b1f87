"""D-ICQ, differential ICQ: code the innovation, not the interval.

The agent knows what the learner holds, so it sends how far its mean has moved, in steps that
shrink with its noise:

    q_n = round((μ̂_n − μ̃_{n−1})/s_n),  s_n = κσ/√t_n,  μ̃_n = μ̃_{n−1} + q_n·s_n

The error is at most half a step, always, for bounded and unbounded rewards alike: quantization is
no source of failure, nothing saturates, and message 1 needs no other scheme. Message 1 is coded
for any distance; from then on q_n has a spread that both ends know, and small numbers are short.

Steps and means are made with +, −, ×, ÷ and √ alone, which IEEE 754 rounds correctly: both ends
hold the same bits on every machine.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import BitReader, Symbol
from bitarm.core.codes import (
    read_gamma,
    read_golomb,
    unzigzag,
    write_gamma,
    write_golomb,
    zigzag,
)
from bitarm.core.quantizer import NOTHING_KNOWN, Bounds, Estimate, Step, require_no_prior
from bitarm.errors import ConfigError, PeerProtocolError, RewardError

MOST_STEPS = 2.0**34
"""Means are less than this many steps from 0: a float64 then resolves 2^−18 of a step."""

_ROUNDING = 1 + 2.0**-16  # covers every rounding on the way: the bound is certain, not nearly so

# Variances of q_n from which on the next divisor gives Golomb's code the shorter mean length.
_DIVISORS = (1.664, 5.018, 8.821, 18.749, 25.908)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Dicq:
    """Innovation coding with steps of κσ/√t."""

    name: ClassVar[str] = "dicq"
    certain: ClassVar[bool] = True

    kappa: float = 2.5  # κ
    kappa_first: float = 4.0  # κ of message 1, which has all the way from the prior to say

    def __post_init__(self) -> None:
        for word in ("kappa", "kappa_first"):
            value = float(getattr(self, word))
            object.__setattr__(self, word, value)
            if not (math.isfinite(value) and value > 0):
                raise ConfigError(f"{word} must be a finite number above 0, got {value}")

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """The middle of the bounds, or 0."""
        require_no_prior(self.name, prior)
        if bounds is None:
            return NOTHING_KNOWN
        a, b = bounds
        return Estimate(mean=a / 2 + b / 2, error=(b - a) / 2, radius=(b - a) / 2)

    def error(self, held: Estimate, step: Step) -> float:
        """Half a step."""
        return self.step_size(step) / 2 * _ROUNDING

    def least_bits(self, step: Step) -> int:
        """One bit, with which nothing moved; where the spread is large, none is that short."""
        return 1

    def encode(self, mu_hat: float, held: Estimate, step: Step, dither: float) -> Symbol:
        """The number of steps to the mean, in a prefix code."""
        size = self.step_size(step)
        if not abs(mu_hat) < MOST_STEPS * size:
            raise RewardError(
                f"a mean of {mu_hat} is too far from 0 to quantize in steps of {size}: "
                "give bounds, or subtract what is common to all arms"
            )
        folded = zigzag(math.floor((mu_hat - held.mean) / size + 0.5))
        if not held.pulls:
            return write_gamma(folded)
        return write_golomb(folded, self.divisor(held, step))

    def decode(self, symbol: Symbol, held: Estimate, step: Step) -> Estimate:
        """μ̃_{n−1} + q_n·s_n."""
        reader = BitReader(symbol)
        folded = read_golomb(reader, self.divisor(held, step)) if held.pulls else read_gamma(reader)
        reader.finish()
        size = self.step_size(step)
        mean = held.mean + unzigzag(folded) * size
        if not abs(mean) <= MOST_STEPS * size + size / 2:
            raise PeerProtocolError(f"symbol moves the mean to {mean}, which no encoder can reach")
        return Estimate.after(step, mean=mean, error=self.error(held, step))

    def step_size(self, step: Step) -> float:
        """s_n = κσ/√t_n."""
        kappa = self.kappa if step.message > 1 else self.kappa_first
        return kappa * step.sigma / math.sqrt(step.pulls)

    def divisor(self, held: Estimate, step: Step) -> int:
        """Golomb's divisor for the spread that q_n has under the model.

        Var q_n = (σ²(1/t' − 1/t) + e'²/3)/s², where t' and e' are pulls and error at the last
        message: the mean's own movement, and an old error that is uniform on its cell.
        """
        moved = (step.pulls - held.pulls) / (held.pulls * self.kappa * self.kappa)
        old = held.error / self.step_size(step)
        variance = moved + old * old / 3
        for divisor, bound in enumerate(_DIVISORS, start=1):
            if variance < bound:
                return divisor
        return math.floor(1.2 * math.sqrt(variance))
