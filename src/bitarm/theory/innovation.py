"""What a D-ICQ message must cost: the law of an innovation, and the bits that it needs.

An innovation is q = round((μ̂ − μ̃')/s): how far an arm's mean lies from what the learner holds, in
steps. These are bounds for messages that say just that, or as much in mean square; they are no
bounds for the problem, which a scheme may solve by saying less. `docs/bits.md` derives them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self, final

from bitarm.core.codes.prefix import write_golomb, zigzag
from bitarm.core.quantizer import Estimate, Occasion
from bitarm.core.quantizers import Dicq
from bitarm.errors import ConfigError

_NEGLIGIBLE = 1e-18  # probabilities below it do not change a sum of the others


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Innovation:
    """The law of q for Gaussian rewards of deviation σ and a mean of which nothing is known.

    q = round(d + e): d ~ N(0, `moved`²) is how far the empirical mean moved, and e, uniform within
    ± `old`, is the error that the last message left. Both in steps, and independent.
    """

    moved: float
    old: float

    def __post_init__(self) -> None:
        for word in ("moved", "old"):
            value = getattr(self, word)
            if not (math.isfinite(value) and value > 0):
                raise ConfigError(f"{word} must be a finite number above 0, got {value}")

    @classmethod
    def of(cls, quantizer: Dicq, held: Estimate, occasion: Occasion) -> Self:
        """The law of a message from the second on; the first depends on where the means lie."""
        if not held.pulls:
            raise ConfigError("the first message has no innovation: nothing was said before it")
        size = quantizer.step_size(occasion)
        variance = occasion.sigma * occasion.sigma * (1 / held.pulls - 1 / occasion.pulls)
        return cls(moved=math.sqrt(variance) / size, old=held.error / size)

    @property
    def variance(self) -> float:
        """The variance of d + e, in squared steps."""
        return self.moved * self.moved + self.old * self.old / 3

    def probability(self, number: int) -> float:
        """P(q = number)."""
        steps = abs(number)
        if steps == 0:
            return 1 - 2 * self._beyond(0.5)
        return self._beyond(steps - 0.5) - self._beyond(steps + 0.5)

    def entropy(self) -> float:
        """H(q) in bits: no prefix code that is fixed before the message is shorter on average."""
        return -math.fsum(p * math.log2(p) for _, p in self._law() if p > 0)

    def golomb_length(self, divisor: int) -> float:
        """The mean length of Golomb's code, which D-ICQ uses."""
        return math.fsum(p * write_golomb(zigzag(q), divisor).nbits for q, p in self._law())

    def shannon_bits(self) -> float:
        """½·log2(Var(d + e)/(1/12)): what any code needs that is as near in mean square.

        However long its blocks, over however many arms, and whatever it remembers: the causal
        rate–distortion function of the means, at the mean squared error s²/12 of D-ICQ's steps.
        """
        return max(0.0, math.log2(12 * self.variance) / 2)

    def _law(self) -> Iterator[tuple[int, float]]:
        yield 0, self.probability(0)
        steps = 1
        while (p := self.probability(steps)) > _NEGLIGIBLE or steps < self.old:
            yield steps, p
            yield -steps, p
            steps += 1

    def _beyond(self, x: float) -> float:
        """P(d + e > x): a normal tail averaged over the uniform part."""
        low, high = (x - self.old) / self.moved, (x + self.old) / self.moved
        return (_tail_beyond(low) - _tail_beyond(high)) * self.moved / (2 * self.old)


def _tail_beyond(z: float) -> float:
    """∫_z^∞ P(Z > u) du = φ(z) − z·P(Z > z)."""
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return density - z * math.erfc(z / math.sqrt(2)) / 2
