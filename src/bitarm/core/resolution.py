"""What a float64 resolves: how far rounding moves a mean, and where no claim can stand it.

A mean passes through a few roundings between the rewards and a decision: of the sum, of the
quotient, in the code and back, in a difference. Each moves it by up to 2^−53 of its size. That is
nothing beside σ/√t, the size of the noise, unless the mean is very large beside it: rewards near
2^50 with a σ of 1 differ by less than a float64 can tell.
"""

import math

_ROUNDINGS = 2.0**-50  # of the mean: eight of them
_ALLOWED = 2.0**-20  # of σ/√t


def resolution(mean: float) -> float:
    """How far all roundings together may move a mean of this size."""
    return _ROUNDINGS * abs(mean)


def allowance(sigma: float, pulls: int) -> float:
    """What a claim can stand of that after so many pulls (docs/widths.md)."""
    return _ALLOWED * sigma / math.sqrt(pulls)
