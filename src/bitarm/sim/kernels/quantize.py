"""The quantizers' encode and decode in one step: a mean becomes the mean that the learner sees.

Each scheme's numbers for a message (`k0`, `k1`, `last`) come from a table that the core filled.
"""

import math

import numpy as np
from numba import njit

EXACT, ICQ, QUBAN, FED_SEL = range(4)

MOST_STEPS = 2.0**50
"""QuBan codes no mean that is further from 0: a float64 would not resolve a step."""


@njit(inline="always")
def bin_middle(mu_hat: float, low: float, bin_width: float, last: float) -> tuple[float, float]:
    """Middle and number of the bin of `mu_hat`, of bins that start at `low`."""
    number = min(max(np.floor((mu_hat - low) / bin_width), 0.0), last)
    return low + (number + 0.5) * bin_width, number


@njit(inline="always")
def quban(
    mu_hat: float, centre_mean: float, size: float, dither: float
) -> tuple[float, int, float]:
    """Decoded mean, length of the codeword and level of QuBan's stochastic rounding."""
    centre = np.floor(centre_mean / size)
    x = mu_hat / size - centre
    if -3 <= x <= 4:
        below = np.floor(x)
        level = below + (1.0 if dither < x - below else 0.0)
        nbits = 4 if level == 4.0 or level == -3.0 else 3
    else:
        distance = x - 4 if x > 4 else -3 - x
        below = np.floor(distance)
        beyond = below + (1.0 if dither < distance - below else 0.0)
        index = 1 if distance <= 1 else math.frexp(distance)[1] + 1
        nbits = 4 + index + (1 if index <= 2 else index - 1)
        level = 4 + beyond if x > 4 else -3 - beyond
    return size * (level + centre), nbits, level
