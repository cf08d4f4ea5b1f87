"""How surprising an outcome of repeated trials is, exactly."""

import math
from fractions import Fraction


def tail(successes: int, trials: int, probability: float) -> float:
    """P(X ≥ successes) for X binomial, exactly: how surprising so many would be."""
    p = Fraction(str(probability))
    below = sum(math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(successes))
    return float(1 - below)
