"""QuBan (Hanna, Yang, Fragouli 2022): steps of εσ/√t, short words near the last decoded mean.

As the paper runs it: each message carries the running mean. The centre (the last decoded mean)
changes the length of the codeword, not the values that it may decode to, nor their chances.

The prefix code, for the level q counted from the centre:

    q in −2..3    a 3-bit word
    q = 4, −3     an escape (ESC+ or ESC−) and a flag 0: 4 bits
    beyond        an escape, a flag 1, the range's index in unary, the level inside the range
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.core.quantizer import NOTHING_KNOWN, Bounds, Estimate, Step, require_no_prior
from bitarm.errors import ConfigError, PeerProtocolError, RewardError

_LOW, _HIGH = -3, 4  # levels on [_LOW, _HIGH] need no range
_WORD_BITS = 3
_ESCAPE_UP, _ESCAPE_DOWN = 0b111, 0b110
_MAX_LEVEL = 2**50  # beyond, a float64 no longer resolves a step
_MAX_RANGE = 53  # the unary index of the range that holds 2·_MAX_LEVEL


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class QuBan:
    """Stochastic rounding to multiples of M = εσ/√t: unbiased, and never off by more than M."""

    name: ClassVar[str] = "quban"
    certain: ClassVar[bool] = True
    hinted: ClassVar[bool] = False

    epsilon_quban: float = 0.5  # ε

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon_quban", float(self.epsilon_quban))
        if not (math.isfinite(self.epsilon_quban) and self.epsilon_quban > 0):
            raise ConfigError(f"epsilon_quban must be a number above 0, got {self.epsilon_quban}")

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """The first centre is 0."""
        require_no_prior(self.name, prior)
        return NOTHING_KNOWN

    def error(self, held: Estimate, step: Step) -> float:
        """(ε/2)·U', so that the radius is the (1 + ε/2)·U' that the paper's figures use.

        Never below M: for every width here and K ≥ 2, U' ≥ 2σ/√t and the maximum is the first term.
        """
        return max(self.epsilon_quban / 2 * step.u_prime, self.step_size(step))

    def least_bits(self, step: Step) -> int:
        """A level near the centre costs one word."""
        return _WORD_BITS

    def encode(self, mu_hat: float, held: Estimate, step: Step, dither: float) -> Symbol:
        """Round the mean to a level, up with probability its fraction, and write the level."""
        size = self.step_size(step)
        centre = self._centre(held, size)
        if not (abs(mu_hat) < _MAX_LEVEL * size and abs(centre) < _MAX_LEVEL):
            raise RewardError(
                f"a mean of {mu_hat} is too far from 0 to quantize in steps of {size}: "
                "a float64 resolves 2^50 of them"
            )
        return _write(mu_hat / size - centre, dither)

    def decode(self, symbol: Symbol, held: Estimate, step: Step) -> Estimate:
        """M·(q + ⌊c/M⌋)."""
        size = self.step_size(step)
        level = _read(symbol) + self._centre(held, size)
        if abs(level) > _MAX_LEVEL:
            raise PeerProtocolError(f"symbol names level {level}, which no encoder can reach")
        mean = size * level
        return Estimate.after(step, mean=mean, error=self.error(held, step))

    def step_size(self, step: Step) -> float:
        """M = εσ/√t."""
        return self.epsilon_quban * step.sigma / math.sqrt(step.pulls)

    def _centre(self, held: Estimate, size: float) -> int:
        """⌊c/M⌋: all that the centre contributes."""
        return math.floor(held.mean / size)


def _write(x: float, dither: float) -> Symbol:
    """The codeword of a stochastic rounding of `x`, the distance from the centre in steps."""
    if _LOW <= x <= _HIGH:
        return _near_word(_round(x, dither))
    if x > _HIGH:
        return concat(Symbol(_ESCAPE_UP, _WORD_BITS), Symbol(1, 1), _far_word(x - _HIGH, dither))
    return concat(Symbol(_ESCAPE_DOWN, _WORD_BITS), Symbol(1, 1), _far_word(_LOW - x, dither))


def _read(symbol: Symbol) -> int:
    """The level that a codeword stands for."""
    reader = BitReader(symbol)
    word = reader.take(_WORD_BITS)
    if word not in (_ESCAPE_UP, _ESCAPE_DOWN):
        level = word + _LOW + 1
    else:
        beyond = _read_far(reader) if reader.take(1) else 0
        level = _HIGH + beyond if word == _ESCAPE_UP else _LOW - beyond
    reader.finish()
    return level


def _round(x: float, dither: float) -> int:
    """Stochastic rounding: up with probability x − ⌊x⌋, so that the mean is kept."""
    below = math.floor(x)
    return below + (dither < x - below)


def _near_word(level: int) -> Symbol:
    """Words for −2..3 are 0..5; the two ends of [−3, 4] are an escape and a flag 0."""
    if level == _HIGH:
        return Symbol(_ESCAPE_UP << 1, _WORD_BITS + 1)
    if level == _LOW:
        return Symbol(_ESCAPE_DOWN << 1, _WORD_BITS + 1)
    return Symbol(level - _LOW - 1, _WORD_BITS)


def _far_word(distance: float, dither: float) -> Symbol:
    """Range index in unary, then the level above the range's lower end.

    Ranges start at 0, 1, 2, 4, 8, …; range I from 2 on starts at 2^(I−2).
    """
    index = 1 if distance <= 1 else math.frexp(distance)[1] + 1
    low, offset_bits, _ = _range(index)
    unary = Symbol(1, index)
    return concat(unary, Symbol(_round(distance, dither) - low, offset_bits))


def _read_far(reader: BitReader) -> int:
    index = 1
    while not reader.take(1):
        index += 1
        if index > _MAX_RANGE:
            raise PeerProtocolError("symbol names a level that no encoder can reach")
    low, offset_bits, levels = _range(index)
    offset = reader.take(offset_bits)
    if offset >= levels:
        raise PeerProtocolError(f"symbol names level {offset} of a range that has {levels}")
    return low + offset


def _range(index: int) -> tuple[int, int, int]:
    """Lower end, bits of the offset and number of levels of range `index`, from 1."""
    low = 0 if index == 1 else 1 << (index - 2)
    levels = max(2 * low, low + 1) - low + 1
    return low, (levels - 1).bit_length(), levels
