"""Floats as a whole number times a power of two: what a learner chooses has few digits.

A float has one spelling: the whole number is odd, and 0 is 0 times 2^0.
"""

import math

from bitarm.errors import CorruptFrameError

_MOST_DIGITS = 53  # of a float64
_FARTHEST = 1100  # no float64 has a higher power, or a lower one


def parts(value: float) -> tuple[int, int]:
    """The odd number and the power of two whose product a float is; 0 is 0 and 0."""
    numerator, denominator = value.as_integer_ratio()
    if not numerator:
        return 0, 0
    twos = (numerator & -numerator).bit_length() - 1
    return numerator >> twos, twos - (denominator.bit_length() - 1)


def real_of(number: int, power: int) -> float:
    """The float of these two parts; CorruptFrameError if `parts` would spell it otherwise."""
    if number.bit_length() <= _MOST_DIGITS and abs(power) < _FARTHEST:
        try:
            value = math.ldexp(number, power)
        except OverflowError:
            value = 0.0  # larger than all floats: no spelling of 0 either
        if parts(value) == (number, power):  # among the smallest floats it may be rounded
            return value
    raise CorruptFrameError(f"no float is spelt {number} times 2^{power}")
