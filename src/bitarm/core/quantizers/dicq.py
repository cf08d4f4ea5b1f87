"""D-ICQ, differential ICQ: code the innovation, not the interval.

The agent knows what the learner holds, so it sends how far its mean has moved, in steps that
shrink with its noise:

    q_n = round((μ̂_n − μ̃_{n−1})/s_n),  s_n = κσ/√t_n,  μ̃_n = μ̃_{n−1} + q_n·s_n

The error is at most half a step, always, for bounded and unbounded rewards alike: quantization is
no source of failure, nothing saturates, and message 1 needs no other scheme. Message 1 is coded
for any distance; from then on q_n has a spread that both ends know, and small numbers are short.

A hint makes messages shorter still. With a centre, message 1 says how far the mean is from that.
With a cut, the first bit says whether the mean is above it: if not, that is all there is to say;
if so, the rest says where, in wider steps, since the arm may well fall next time.

Steps and means are made with +, −, ×, ÷ and √ alone, which IEEE 754 rounds correctly: both ends
hold the same bits on every machine.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, final

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.core.codes import ESCAPE, read_golomb, unzigzag, write_golomb, zigzag
from bitarm.core.messages import HintKind
from bitarm.core.quantizer import NOTHING_KNOWN, Bounds, Estimate, Step, require_no_prior
from bitarm.errors import ConfigError, PeerProtocolError, RewardError

MOST_STEPS = 2.0**34
"""Means are less than this many steps from 0: a float64 then resolves 2^−18 of a step."""

FIRST_ESCAPE = 3
"""Message 1 has short words for the three nearest numbers, and a universal code for the rest."""

_ROUNDING = 1 + 2.0**-14  # covers every rounding on the way: the bound is certain, not nearly so

# Variances of q_n from which on the next divisor gives Golomb's code the shorter mean length.
_DIVISORS = (1.664, 5.018, 8.821, 18.749, 25.908)

_CONCEDED = Symbol(0, 1)
_ABOVE = Symbol(1, 1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Dicq:
    """Innovation coding with steps of κσ/√t."""

    name: ClassVar[str] = "dicq"
    certain: ClassVar[bool] = True
    hinted: ClassVar[bool] = True

    kappa: float = 2.0  # κ
    kappa_first: float = 4.0  # κ of message 1, which has all the way from the prior to say
    kappa_cut: float = 4.0  # κ of a mean that is above a cut

    def __post_init__(self) -> None:
        for word in ("kappa", "kappa_first", "kappa_cut"):
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
        """The number of steps to the mean, in a prefix code; or that it is not above the cut."""
        size = self.step_size(step)
        if not abs(mu_hat) < MOST_STEPS * size:
            raise RewardError(
                f"a mean of {mu_hat} is too far from 0 to quantize in steps of {size}: "
                "give bounds, or subtract what is common to all arms"
            )
        cut = _cut(step)
        if cut is not None and mu_hat <= cut:
            return _CONCEDED
        folded = zigzag(math.floor((mu_hat - self._centre(held, step)) / size + 0.5))
        moved = write_golomb(folded, *self._code(held, step))
        return moved if cut is None else concat(_ABOVE, moved)

    def decode(self, symbol: Symbol, held: Estimate, step: Step) -> Estimate:
        """μ̃_{n−1} + q_n·s_n."""
        cut = _cut(step)
        if cut is not None and symbol == _CONCEDED:
            return replace(held, ceiling=cut)
        reader = BitReader(symbol)
        if cut is not None and not reader.take(1):
            raise PeerProtocolError(f"symbol {symbol} goes on after it conceded")
        folded = read_golomb(reader, *self._code(held, step))
        reader.finish()
        size = self.step_size(step)
        mean = self._centre(held, step) + unzigzag(folded) * size
        if not abs(mean) <= MOST_STEPS * size + size / 2:
            raise PeerProtocolError(f"symbol moves the mean to {mean}, which no encoder can reach")
        if cut is not None and mean + self.error(held, step) <= cut:
            raise PeerProtocolError(f"symbol says above {cut}, and then {mean}")
        return Estimate.after(step, mean=mean, error=self.error(held, step))

    def step_size(self, step: Step) -> float:
        """s_n = κσ/√t_n."""
        return self._kappa(step) * step.sigma / math.sqrt(step.pulls)

    def divisor(self, held: Estimate, step: Step) -> int:
        """Golomb's divisor for the spread that q_n has under the model.

        Var q_n = (σ²(1/t' − 1/t) + e'²/3)/s², where t' and e' are pulls and error at the last
        mean: the mean's own movement, and an old error that is uniform on its cell.
        """
        kappa = self._kappa(step)
        moved = (step.pulls - held.pulls) / (held.pulls * kappa * kappa)
        old = held.error / self.step_size(step)
        variance = moved + old * old / 3
        for divisor, bound in enumerate(_DIVISORS, start=1):
            if variance < bound:
                return divisor
        return math.floor(1.2 * math.sqrt(variance))

    def _code(self, held: Estimate, step: Step) -> tuple[int, int]:
        """Divisor and escape of the code."""
        return (self.divisor(held, step), ESCAPE) if held.pulls else (1, FIRST_ESCAPE)

    def _kappa(self, step: Step) -> float:
        if step.message == 1:
            return self.kappa_first
        return self.kappa if _cut(step) is None else self.kappa_cut

    def _centre(self, held: Estimate, step: Step) -> float:
        """Where steps are counted from; what is out of reach is no help, and both ends know it."""
        reach = MOST_STEPS * self.step_size(step)
        hint = step.hint
        if hint is not None and hint.kind is HintKind.CENTRE and abs(hint.value) < reach:
            return hint.value
        return held.mean if abs(held.mean) < reach else 0.0


def _cut(step: Step) -> float | None:
    hint = step.hint
    return hint.value if hint is not None and hint.kind is HintKind.CUT else None
