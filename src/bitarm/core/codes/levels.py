"""QuBan's code: a level near the centre, rounded at random, in a word that says which.

Rounding and codeword are one: where the mean falls in a far range, it is rounded inside that range,
so the two cannot be taken apart.

The words, for the level q counted from the centre:

    q in −2..3    a 3-bit word
    q = 4, −3     an escape (ESC+ or ESC−) and a flag 0: 4 bits
    beyond        an escape, a flag 1, the range's index in unary, the level inside the range
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.core.codes.checks import require_step, require_within
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

MOST_LEVELS = 2**50
"""Levels are less than this many from 0: beyond, a float64 no longer resolves a step."""

WORD_BITS = 3
"""Length of the shortest words."""

LOW, HIGH = -3, 4
"""Levels on [LOW, HIGH] need no range."""

_ESCAPE_UP, _ESCAPE_DOWN = 0b111, 0b110
_MAX_RANGE = 53  # the unary index of the range that holds 2·MOST_LEVELS


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Multiples of `step`, counted from level `centre`; `dither` decides the rounding.

    write   x = mean/step − centre, rounded up if `dither` is below its fraction
    read    step·(q + centre)
    """

    name: ClassVar[str] = "levels"

    step: float
    centre: int  # in steps
    dither: float  # in [0, 1)

    def __post_init__(self) -> None:
        require_step(self.step)
        require_within("centre", self.centre, 1 - MOST_LEVELS, MOST_LEVELS - 1)
        if not 0 <= self.dither < 1:
            raise LocalProtocolError(f"dither must lie in [0, 1), got {self.dither}")

    def write(self, mean: float) -> Symbol:
        """The word of the level that `mean` is rounded to; RewardError if that is too far off."""
        if not abs(mean) < MOST_LEVELS * self.step:
            raise RewardError(
                f"a mean of {mean} is too far from 0 to quantize in steps of {self.step}: "
                "a float64 resolves 2^50 of them"
            )
        return _write(mean / self.step - self.centre, self.dither)

    def read(self, symbol: Symbol) -> float:
        """The value of the word's level; PeerProtocolError for any other bits."""
        level = _read(symbol) + self.centre
        if abs(level) > MOST_LEVELS:
            raise PeerProtocolError(f"symbol names level {level}, which no encoder can reach")
        return self.step * level


def _write(x: float, dither: float) -> Symbol:
    """The codeword of a stochastic rounding of `x`, the distance from the centre in steps."""
    if LOW <= x <= HIGH:
        return _near_word(_round(x, dither))
    if x > HIGH:
        return concat(Symbol(_ESCAPE_UP, WORD_BITS), Symbol(1, 1), _far_word(x - HIGH, dither))
    return concat(Symbol(_ESCAPE_DOWN, WORD_BITS), Symbol(1, 1), _far_word(LOW - x, dither))


def _read(symbol: Symbol) -> int:
    """The level that a codeword stands for."""
    reader = BitReader(symbol)
    word = reader.take(WORD_BITS)
    if word not in (_ESCAPE_UP, _ESCAPE_DOWN):
        level = word + LOW + 1
    else:
        beyond = _read_far(reader) if reader.take(1) else 0
        level = HIGH + beyond if word == _ESCAPE_UP else LOW - beyond
    reader.finish()
    return level


def _round(x: float, dither: float) -> int:
    """Stochastic rounding: up with probability x − ⌊x⌋, so that the mean is kept."""
    below = math.floor(x)
    return below + (dither < x - below)


def _near_word(level: int) -> Symbol:
    """Words for −2..3 are 0..5; the two ends of [−3, 4] are an escape and a flag 0."""
    if level == HIGH:
        return Symbol(_ESCAPE_UP << 1, WORD_BITS + 1)
    if level == LOW:
        return Symbol(_ESCAPE_DOWN << 1, WORD_BITS + 1)
    return Symbol(level - LOW - 1, WORD_BITS)


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
