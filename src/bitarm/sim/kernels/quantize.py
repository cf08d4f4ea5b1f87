"""The quantizers' encode and decode in one step: a mean becomes the mean that the learner sees.

Each scheme's numbers for a message (`k0`, `k1`, `last`) come from a table that the core filled.
"""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

from bitarm.core.codes.levels import HIGH, LOW, MOST_LEVELS, WORD_BITS
from bitarm.core.codes.nearest import MOST_STEPS
from bitarm.core.codes.prefix import ESCAPE
from bitarm.core.quantizers.dicq import FIRST_ESCAPE, golomb_divisor_of

EXACT, ICQ, QUBAN, FED_SEL, DICQ = range(5)

register_jitable(golomb_divisor_of)
"""D-ICQ's divisor by the core's own function, compiled."""


@njit(inline="always")
def varies(coding: int) -> bool:
    """Whether words of one message differ in length; if not, a table has the one that they have."""
    return coding in (QUBAN, DICQ)


@njit(inline="always")
def within_levels(mu_hat: float, size: float) -> bool:
    """Whether QuBan codes this mean: one too far from 0 is refused, as the core refuses it."""
    return abs(mu_hat) < MOST_LEVELS * size


@njit(inline="always")
def within_steps(mu_hat: float, size: float) -> bool:
    """The same for D-ICQ."""
    return abs(mu_hat) < MOST_STEPS * size


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
    if LOW <= x <= HIGH:
        below = np.floor(x)
        level = below + (1.0 if dither < x - below else 0.0)
        nbits = WORD_BITS + 1 if level in (LOW, HIGH) else WORD_BITS
    else:
        distance = x - HIGH if x > HIGH else LOW - x
        below = np.floor(distance)
        beyond = below + (1.0 if dither < distance - below else 0.0)
        index = 1 if distance <= 1 else math.frexp(distance)[1] + 1
        nbits = WORD_BITS + 1 + index + (1 if index <= 2 else index - 1)
        level = HIGH + beyond if x > HIGH else LOW - beyond
    return size * (level + centre), nbits, level


@njit(inline="always")
def dicq(mu_hat: float, held: float, size: float, divisor: float) -> tuple[float, int, float]:
    """Decoded mean, length of the codeword and number of steps; divisor 0 is the first message."""
    centre = held if within_steps(held, size) else 0.0
    steps = np.floor((mu_hat - centre) / size + 0.5)
    folded = int(2 * steps - 1 if steps > 0 else -2 * steps)
    if divisor == 0.0:
        nbits = golomb_bits(folded, 1, FIRST_ESCAPE)
    else:
        nbits = golomb_bits(folded, int(divisor), ESCAPE)
    return centre + steps * size, nbits, steps


@njit(inline="always")
def gamma_bits(number: int) -> int:
    """Length of Elias' γ code."""
    return 2 * math.frexp(number + 1.0)[1] - 1


@njit(inline="always")
def golomb_bits(number: int, divisor: int, escape: int) -> int:
    """Length of Golomb's code with its escape."""
    if divisor == 1 and number < escape:  # the same without a division
        return number + 1
    quotient = number // divisor
    if quotient >= escape:
        return escape + gamma_bits(number - escape * divisor)
    wide = 0
    while (1 << wide) < divisor:
        wide += 1
    remainder = number - quotient * divisor
    return quotient + 1 + (wide - 1 if wide > 0 and remainder < (1 << wide) - divisor else wide)
