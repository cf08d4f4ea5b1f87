"""The ladder: at which rates λ evidence is gathered, and how the rates of two arms are paired.

Evidence that an arm's mean is above m grows like exp(λ(S − n·m) − cost of λ), and which rate λ is
the best depends on a gap that nobody knows. So it is gathered at every rung of a ladder of rates at
once, and averaged under weights that were fixed before the first reward: a law on pairs (rate of
the winner, rate of the loser). `docs/evidence.md` has the proof that any such law will do.

Rungs are numbered from the top: rung 0 has the highest rate, and "above" means a higher rate. Rates
are small numbers over powers of two: a rate times a count is exact, in a float as in fixed
point.
"""

import math
from functools import lru_cache
from typing import NamedTuple

RUNGS = 64
"""Rungs that are looked at, down to rates of 10^−12: an arm of one pull can fall because of one of
10^12. What the law gives to all beyond them is left unspent."""

_OCTAVES = (31 / 32, 5 / 8, 25 / 64)  # three rungs, then the same over 4: each about 1.6 the next

_NEAR = {-1: 0.08, 0: 0.37, 1: 0.23, 2: 0.14, 3: 0.1}
_FAR = 0.08  # for all climbs of 4 rungs and more together

FOLLOWING = (0.5, 0.25, 0.15, 0.1)
"""Shares of losers 0 to 3 rungs above the winner, where a loser only ever follows the winner's
count and gives up on the way: it has at most as many pulls, and seldom under a quarter of them."""


class Pair(NamedTuple):
    """Two rungs and the logarithm of their weight."""

    winner: int
    loser: int
    log_weight: float


def rate(rung: int) -> float:
    """λ of a rung, below 1; each is about 1.6 times the next."""
    return _OCTAVES[rung % 3] * 4.0 ** -(rung // 3)


RATES = tuple(rate(rung) for rung in range(RUNGS))
"""λ of each rung."""


def weight(rung: int, middle: int) -> float:
    """The weight of the winner's rung: 1/((d + 2)(d + 3)) at d rungs from the middle, over all.

    Heaviest where gaps are expected, and never so light that a gap far from there costs much: a
    hundred times smaller, it takes two or three nats more.
    """
    away = abs(rung - middle)
    total = 1 / 2 + 1 / 3 - 1 / (middle + 3)  # below the middle without end, above it to the top
    return 1 / ((away + 2) * (away + 3) * total)


def share(climb: int) -> float:
    """The share of a rung's weight that goes to losers so many rungs above it.

    Who has fewer pulls needs the higher rate, in proportion. Most goes to winners with up to four
    times the loser's pulls; an arm that fell far behind is not forgotten.
    """
    return _NEAR[climb] if climb < 4 else _FAR * 4 / (climb * (climb + 1))


@lru_cache
def law(middle: int) -> tuple[Pair, ...]:
    """The law for pairs of rungs, heaviest around `middle`: weights that add up to at most 1.

    What the proof speaks of. Decisions sum over a window of it (`sub_gaussian.least_lead`).
    """
    return tuple(
        Pair(winner, loser, math.log(weight(winner, middle) * share(winner - loser)))
        for winner in range(RUNGS)
        for loser in range(min(winner + 2, RUNGS))
    )


@lru_cache
def log_weights(middle: int) -> tuple[float, ...]:
    """Logarithms of the weights of all rungs, as a winner's."""
    return tuple(math.log(weight(rung, middle)) for rung in range(RUNGS))
