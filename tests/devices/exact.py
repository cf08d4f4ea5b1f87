"""Whether an arm is beaten, by the formulas of docs/wire.md with as many digits as one likes.

One freedom is the agent's: a guess is a whole number of 2^-32, rounded down. Whatever is guessed
before a reward is seen makes sound evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from typing import final

from bitarm.core.evidence.account import Scale

DIGITS = 40
_ONE = 1 << 32
_SHARES = [Decimal(share) for share in ("0.5", "0.25", "0.15", "0.1")]
_TERMS = 4


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _rate(rung: int, scale: Scale) -> Fraction:
    rate = Fraction((62, 40, 25)[rung % 3], 64 * 4 ** (rung // 3))
    return rate if scale.bounded else 4 * rate


def _hurdle(byte: int) -> Decimal:
    if byte < 128:
        return Decimal(byte) / 8
    return 16 + Decimal(byte - 128) / 2 if byte < 192 else Decimal(48 + (byte - 192) * 4)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Fight:
    """A challenged arm: its rewards, and the leader's pulls, first rung and hurdles."""

    rewards: Sequence[Fraction]
    scale: Scale
    until: int
    first: int
    hurdles: tuple[int, int, int]

    def lines(self) -> list[tuple[Decimal, Decimal, Decimal]]:
        """Of each term: its value at m = edge = 0, how it rises with m, and with the edge."""
        found = []
        for place, byte in enumerate(self.hurdles):
            winner = self.first + place
            gain = _rate(winner, self.scale) * self.until
            for climb in range(_TERMS if byte < 255 else 0):
                loser = max(winner - climb, 0)
                value = _SHARES[climb].ln() - _hurdle(byte) + self._below(loser)
                slope = _rate(loser, self.scale) * len(self.rewards) - gain
                found.append((value, _decimal(slope), _decimal(gain)))
        return found

    def _below(self, rung: int) -> Decimal:
        """ln e⁻(m) − λnm."""
        return evidence(self.rewards, self.scale, rung, -1)


def evidence(rewards: Sequence[Fraction], scale: Scale, rung: int, side: int) -> Decimal:
    """ln e⁺(m) + λnm, evidence that the mean is above m (side 1); or ln e⁻(m) − λnm (side −1)."""
    rate, low, unit = _rate(rung, scale), Fraction(scale.low), Fraction(scale.unit)
    played = [(reward - low) / unit for reward in rewards]
    if not scale.bounded:
        return _decimal(side * rate * sum(played) - len(played) * rate * rate / 2)
    fortune, squares, guesses, total = Decimal(1), Decimal(0), 0, 0
    for count, x in enumerate(played):
        guess = (_ONE // 2 + total) // (1 + count)
        off = _decimal(x - Fraction(guess, _ONE))
        fortune, squares = fortune * (1 + side * _decimal(rate) * off), squares + off * off
        guesses, total = guesses + guess, total + int(x * _ONE // 1)
    if rung < 8:
        return fortune.ln() + _decimal(side * rate * guesses / _ONE)
    psi = -_decimal(1 - rate).ln() - _decimal(rate)
    return _decimal(side * rate * sum(played)) - psi * squares


def cost(rate: Fraction, mean: Fraction, spread: int, pulls: int) -> Decimal:
    """What a bettor on bounded rewards loses with each, by the model of docs/wire.md."""
    least = Fraction(1, 2 * (pulls + 1))
    mean, s = min(max(mean, least), 1 - least), Fraction(2) ** spread
    y = _decimal((2 * mean - 1) * min(2 * s / (1 + s), Fraction(1)) * rate)
    of_coin = _decimal(s * mean * (1 - mean) * rate * rate)
    if not y:
        return of_coin / 2
    return of_coin * (-(1 - y).ln() - y) / (y * y)


def is_certified(
    rewards: Sequence[Fraction],
    scale: Scale,
    first: int,
    cell: tuple[Fraction, Fraction],
    spread: int,
) -> bool:
    """Whether evidence at three rungs lies above the lines of a cell (middle, step) and spread."""
    count, low, unit = len(rewards), Fraction(scale.low), Fraction(scale.unit)
    middle, edge = (cell[0] - low) / unit, (cell[0] - cell[1] / 2 - low) / unit
    with localcontext() as context:
        context.prec = DIGITS
        return all(
            evidence(rewards, scale, rung, 1)
            >= count * (_decimal(rate * edge) - cost(rate, middle, spread, count))
            for rung in range(first, first + 3)
            for rate in (_rate(rung, scale),)
        )


def least_edge(fight: Fight) -> tuple[Fraction, Fraction]:
    """The lowest edge with which the leader beats the arm, to 10^-20; and how much higher it must
    be for one nat more. Both as rewards are measured.
    """
    edge, steep = Decimal(0), Decimal(1)
    for digits in (12, DIGITS):
        with localcontext() as context:
            context.prec = digits
            lines, value = fight.lines(), Decimal(1)
            while abs(value) > Decimal(10) ** (-digits // 2):
                value, steep = _least(lines, edge, bounded=fight.scale.bounded)
                edge -= value / steep  # Newton's step: the least value rises with the edge
    unit, low = Fraction(fight.scale.unit), Fraction(fight.scale.low)
    return low + unit * Fraction(edge), unit / Fraction(steep)


def is_beaten(fight: Fight, edge: Fraction) -> bool:
    """Whether a leader with this edge beats the arm; where rewards have bounds."""
    with localcontext() as context:
        context.prec = DIGITS
        in_units = _decimal((edge - Fraction(fight.scale.low)) / Fraction(fight.scale.unit))
        return _least(fight.lines(), in_units, bounded=True)[0] >= 0


def _least(
    lines: list[tuple[Decimal, Decimal, Decimal]], edge: Decimal, *, bounded: bool
) -> tuple[Decimal, Decimal]:
    """The least logarithm of the sum over all m, and how it rises with the edge."""
    low, high = (Decimal(0), Decimal(1)) if bounded else (Decimal(-1000), Decimal(1000))
    value = steep = Decimal(0)
    while high - low > Decimal(10) ** (-getcontext().prec // 2 - 2):
        m = (low + high) / 2
        shares = [(one + slope * m + rise * edge).exp() for one, slope, rise in lines]
        total = sum(shares)
        value = Decimal(total).ln()
        steep = sum((s * line[2] for s, line in zip(shares, lines, strict=True)), Decimal(0))
        slope = sum((s * line[1] for s, line in zip(shares, lines, strict=True)), Decimal(0))
        steep /= total
        if slope < 0:
            low = m
        else:
            high = m
    return value, steep
