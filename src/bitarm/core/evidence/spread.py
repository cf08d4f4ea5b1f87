"""The spread of an arm's rewards: their variance beside a coin's, told as a power of two.

A coin is a reward that is 0 or 1 with the same mean. A pilot tells the spread of its rewards in
quarters of a coin's variance; a leader tells by how many powers of two it is larger than that.
"""

import math

from bitarm.core.bits import BitReader, Symbol
from bitarm.core.evidence.account import Account, clamped, cost
from bitarm.errors import PeerProtocolError

LEAST_SPREAD, MOST_SPREAD = -40, 2
"""Exponents of a spread: a coin's variance, times 2^−40 to 2^2."""

_NOTHING = 2.0**-30  # of a rate, lost with each reward: what floats leave of it is rounding

MOST_QUARTERS = 8
"""Quarterings of a coin's variance that a pilot tells, at most."""


def write_spread(account: Account, told: float) -> Symbol:
    """How far below a coin's the variance is, of rewards whose mean was told so."""
    quarters = quarters_below(account.variance, account.scale.inward(told), account.pulls)
    return Symbol((1 << quarters + 1) - 2, quarters + 1)


def quarters_below(variance: float, mean: float, pulls: float) -> int:
    """The quarterings of a coin's variance that come nearest to this one, for such a mean."""
    mean = clamped(mean, pulls)
    ratio, quarters, bound = variance / (mean * (1.0 - mean)), 0, 0.5
    while quarters < MOST_QUARTERS and ratio < bound:
        quarters += 1
        bound /= 4.0
    return quarters


def read_spread(reader: BitReader) -> int:
    """The spread's exponent."""
    quarters = 0
    while reader.take(1):
        quarters += 1
        if quarters > MOST_QUARTERS:
            raise PeerProtocolError("symbol tells a spread that no agent tells")
    return -2 * quarters


def grown_spread(spread: int, mean: float, pulls: int, rate: float, evidence: float) -> int:
    """The exponent of the spread that a leader tells: the one that was told, doubled until the
    model's cost is at least half of what the middle bettor lost.

    `mean` is in units; `rate` and `evidence` are that bettor's, the latter as `Account.above` has
    it. A spread that is too large only makes hurdles higher; one that is too small, the edge lower.
    """
    lost = rate * mean - evidence / pulls - _NOTHING * rate
    while spread < MOST_SPREAD:
        if 2.0 * cost(True, rate, mean, math.ldexp(1.0, spread), pulls, 1.0) >= lost:
            break
        spread += 1
    return spread
