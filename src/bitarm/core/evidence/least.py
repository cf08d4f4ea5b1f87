"""Whether evidence holds for every mean that two arms might share: its least value, certified.

For a fixed m, the evidence for a pair of arms is a sum of terms exp(value + slope·m). Its logarithm
is convex in m, and no line of a single term exceeds it, nor does a tangent. So it cannot be below
the level where one of its lines is above it, and between two looks it cannot be below the point at
which their tangents cross. What is reached is reached for sure, roundings included.
"""

import math
from typing import Protocol

_MOST_LOOKS = 80  # Newton's steps need about four; halves of what is left, a float's digits
_NEGLIGIBLE = 36.0  # e^−36 of the largest term is below what a float of it resolves
_ROUNDING = 2.0**-46  # of the largest number that was added up: what all roundings come to


class Row(Protocol):
    """A row of numbers: a tuple, a list, or an array of the simulator's."""

    def __getitem__(self, place: int, /) -> float:
        """The number at a place."""
        ...


class Room(Row, Protocol):
    """A row that is written to."""

    def __setitem__(self, place: int, value: float, /) -> None:
        """Put a number at a place."""
        ...


def reaches(
    values: Row,
    slopes: Row,
    count: int,
    level: float,
    low: float,
    high: float,
    guess: float,
) -> tuple[bool, float]:
    """Whether ln Σ exp(value + slope·m) ≥ `level` for all m in [low, high].

    Of `values` and `slopes` the first `count` are read. `low` and `high` may be infinite. `guess`
    is where to look first: nothing depends on it but the time that it takes. Returned are the
    answer, and where evidence was found least: the best guess for the next time. Of numbers alone,
    since the simulator compiles this very function.
    """
    largest = abs(level)
    for n in range(count):
        largest = max(largest, abs(values[n]))
    if not largest < math.inf:
        return False, guess  # no float holds what was told: nothing follows from it
    level += _ROUNDING * largest
    left, right = low, high  # outside of these some line is above the level
    for n in range(count):
        if slopes[n] < 0.0:
            left = max(left, (level - values[n]) / slopes[n])
        elif slopes[n] > 0.0:
            right = min(right, (level - values[n]) / slopes[n])
        elif values[n] >= level:
            return True, guess
    if left > right:
        return True, guess
    if not (math.isfinite(left) and math.isfinite(right)):
        return False, guess  # without end, some m explains everything
    for n in range(count):
        largest = max(largest, abs(slopes[n]) * max(abs(left), abs(right)))
    level += _ROUNDING * largest
    left_value = left_slope = right_value = right_slope = 0.0  # tangents at both ends, once known
    has_left = has_right = False
    m = min(max(guess, left), right)
    for _ in range(_MOST_LOOKS):
        top = -math.inf
        for n in range(count):
            top = max(top, values[n] + slopes[n] * m)
        total = first = second = 0.0
        for n in range(count):
            term = values[n] + slopes[n] * m - top
            if term > -_NEGLIGIBLE:
                share = math.exp(term)
                total += share
                first += share * slopes[n]
                second += share * slopes[n] * slopes[n]
        value, slope = top + math.log(total), first / total
        if value < level:
            return False, m
        if slope == 0.0:
            return True, m
        if slope < 0.0:
            left, left_value, left_slope, has_left = m, value, slope, True
        else:
            right, right_value, right_slope, has_right = m, value, slope, True
        if has_left and has_right:
            cross = left + (right_value - left_value - right_slope * (right - left)) / (
                left_slope - right_slope
            )
            least = left_value + left_slope * (cross - left)
        elif has_left:
            cross = right
            least = left_value + left_slope * (right - left)
        else:
            cross = left
            least = right_value - right_slope * (right - left)
        if least >= level:
            return True, m
        bend = second / total - slope * slope
        m = m - slope / bend if bend > 0.0 else cross
        if not left < m < right:
            m = left + (right - left) / 2.0
            if not left < m < right:  # no float is left between them
                return False, m
    return False, m


def log_sum(values: Row, slopes: Row, count: int, m: float) -> float:
    """ln Σ exp(value + slope·m) of the first `count`; −∞ if there are none."""
    top = -math.inf
    for n in range(count):
        top = max(top, values[n] + slopes[n] * m)
    if top == -math.inf:
        return top
    total = 0.0
    for n in range(count):
        total += math.exp(values[n] + slopes[n] * m - top)
    return top + math.log(total)
