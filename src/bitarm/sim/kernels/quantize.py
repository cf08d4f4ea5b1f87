"""The quantizers' encode and decode in one step: a mean becomes the mean that the learner sees.

Each scheme's numbers for a message (`k0`, `k1`, `last`) come from a table that the core filled.
"""

import math

import numpy as np
from numba import njit

EXACT, ICQ, QUBAN, FED_SEL, DICQ = range(5)

MOST_STEPS = 2.0**50
"""QuBan codes no mean that is further from 0: a float64 would not resolve a step."""

MOST_STEPS_DICQ = 2.0**34
"""The same for D-ICQ."""

_ESCAPE = 20  # as in core/codes/prefix.py
_FIRST_ESCAPE = 3  # as in core/quantizers/dicq.py


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


@njit(inline="always")
def dicq(mu_hat: float, held: float, size: float, divisor: float) -> tuple[float, int, float]:
    """Decoded mean, length of the codeword and number of steps; divisor 0 is the first message."""
    centre = held if abs(held) < MOST_STEPS_DICQ * size else 0.0
    steps = np.floor((mu_hat - centre) / size + 0.5)
    folded = int(2 * steps - 1 if steps > 0 else -2 * steps)
    if divisor == 0.0:
        nbits = golomb_bits(folded, 1, _FIRST_ESCAPE)
    else:
        nbits = golomb_bits(folded, int(divisor), _ESCAPE)
    return centre + steps * size, nbits, steps


@njit(inline="always")
def dicq_divisor(before: int, pulls: int, error: float, size: float, kappa: float) -> float:
    """Golomb's divisor, as `Dicq.divisor` has it."""
    moved = (pulls - before) / (before * kappa * kappa)
    old = error / size
    variance = moved + old * old / 3
    if variance < 1.664:
        return 1.0
    if variance < 5.018:
        return 2.0
    if variance < 8.821:
        return 3.0
    if variance < 18.749:
        return 4.0
    if variance < 25.908:
        return 5.0
    return float(math.floor(1.2 * math.sqrt(variance)))


@njit(inline="always")
def gamma_bits(number: int) -> int:
    """Length of Elias' γ code."""
    return 2 * math.frexp(number + 1.0)[1] - 1


@njit(inline="always")
def golomb_bits(number: int, divisor: int, escape: int) -> int:
    """Length of Golomb's code with its escape."""
    quotient = number // divisor
    if quotient >= escape:
        return escape + gamma_bits(number - escape * divisor)
    wide = 0
    while (1 << wide) < divisor:
        wide += 1
    remainder = number - quotient * divisor
    return quotient + 1 + (wide - 1 if wide > 0 and remainder < (1 << wide) - divisor else wide)
