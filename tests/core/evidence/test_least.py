"""What is certified is so; what is not reached is not certified; and little is missed."""

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bitarm.core.evidence.least import log_sum, reaches

_terms = st.lists(st.tuples(st.floats(-50, 50), st.floats(-100, 100)), min_size=1, max_size=12)


def _log_sum(values: Sequence[float], slopes: Sequence[float], m: float) -> float:
    exponents = np.asarray(values) + np.asarray(slopes) * m
    top = exponents.max()
    return float(top + np.log(np.exp(exponents - top).sum()))


def _least(values: Sequence[float], slopes: Sequence[float], low: float, high: float) -> float:
    """By looking everywhere: golden sections of a convex function."""
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(200):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if _log_sum(values, slopes, left) < _log_sum(values, slopes, right):
            high = right
        else:
            low = left
    return _log_sum(values, slopes, (low + high) / 2)


@given(terms=_terms, guess=st.floats(-2, 3), away=st.floats(1e-6, 20))
def test_what_is_reached_is_reached_for_every_mean(
    terms: list[tuple[float, float]], guess: float, away: float
) -> None:
    values, slopes = zip(*terms, strict=True)
    least = min(
        _least(values, slopes, 0.0, 1.0),
        _log_sum(values, slopes, 0.0),
        _log_sum(values, slopes, 1.0),
    )
    assert reaches(values, slopes, len(values), least - away, 0.0, 1.0, guess)[0]
    assert not reaches(values, slopes, len(values), least + away, 0.0, 1.0, guess)[0]


@given(terms=_terms, guess=st.floats(-2, 3), away=st.floats(1e-6, 20))
def test_without_bounds_too(terms: list[tuple[float, float]], guess: float, away: float) -> None:
    values, slopes = zip(*terms, strict=True)
    assume(min(slopes) < -0.1 and max(slopes) > 0.1)
    least = _least(values, slopes, -2000.0, 2000.0)
    assert reaches(values, slopes, len(values), least - away, -math.inf, math.inf, guess)[0]
    assert not reaches(values, slopes, len(values), least + away, -math.inf, math.inf, guess)[0]


@pytest.mark.parametrize("slopes", [(1.0, 2.0), (-1.0, -2.0), (0.0, 1.0), (0.0, -1.0)])
def test_what_falls_without_end_is_never_reached(slopes: tuple[float, float]) -> None:
    if 0.0 in slopes:
        assert reaches((0.0, 0.0), slopes, 2, -1.0, 0.0, 1.0, 0.5)[0]
    else:
        assert not reaches((9.0, 9.0), slopes, 2, 0.0, -math.inf, math.inf, 0.5)[0]


@pytest.mark.parametrize("slope", [0.0, 1.0, -3.0])
def test_what_is_reached_but_for_a_rounding_is_not(slope: float) -> None:
    """One line, whose least value in [0, 1] is known exactly: 2^−46 of its size is kept back."""
    value = 100.0
    least = value + min(slope, 0.0)
    assert not reaches((value,), (slope,), 1, least, 0.0, 1.0, 0.5)[0]
    assert not reaches((value,), (slope,), 1, least - 2.0**-47 * value, 0.0, 1.0, 0.5)[0]
    assert reaches((value,), (slope,), 1, least - 2.0**-44 * value, 0.0, 1.0, 0.5)[0]


def test_large_slopes_count_for_what_they_are_multiplied_with() -> None:
    """e^−m and e^(10^6·m), whose sum is least at a known place: all values are tiny beside slopes.

    What is kept back is a share of the largest number that is added up, which is 15 there.
    """
    slope = 1e6
    least = math.log(slope) / (slope + 1) + math.log1p(1 / slope)
    given_: tuple[tuple[float, float], tuple[float, float], int] = ((0.0, 0.0), (-1.0, slope), 2)
    assert not reaches(*given_, least - 1e-14, -math.inf, math.inf, 0.0)[0]
    assert reaches(*given_, least - 1e-12, -math.inf, math.inf, 0.0)[0]


def test_the_place_that_is_returned_is_where_it_is_least() -> None:
    values, slopes = (3.0, 1.0, 2.0), (-4.0, 0.5, 6.0)
    enough, where = reaches(values, slopes, len(values), -9.0, 0.0, 1.0, 0.9)
    assert enough
    again, there = reaches(
        values, slopes, len(values), _least(values, slopes, 0.0, 1.0) - 1e-9, 0.0, 1.0, where
    )
    assert again
    assert _log_sum(values, slopes, there) == pytest.approx(_least(values, slopes, 0.0, 1.0))


@given(terms=_terms, m=st.floats(-3, 3))
def test_a_sum_of_terms_is_what_it_says(terms: list[tuple[float, float]], m: float) -> None:
    values, slopes = zip(*terms, strict=True)
    assert log_sum(values, slopes, len(terms), m) == pytest.approx(_log_sum(values, slopes, m))
    assert log_sum(values, slopes, 0, m) == -math.inf


def _draw_terms(draw: random.Random, *, both_ways: bool) -> tuple[list[float], list[float]]:
    values = [draw.uniform(-30, 30) for _ in range(draw.randint(2, 9))]
    slopes = [draw.choice((-1, 1)) * draw.uniform(0.5, 80) for _ in values]
    if both_ways:  # else evidence falls without end
        slopes[:2] = [abs(slopes[0]), -abs(slopes[1])]
    return values, slopes


@pytest.mark.parametrize("high", [1.0, math.inf])
def test_the_level_at_which_it_turns_is_the_least_value_and_never_above(high: float) -> None:
    """Levels of either sign, wherever it looks first, and least inside as well as at an end."""
    draw, inside = random.Random(4), 0
    low = 0.0 if high == 1.0 else -math.inf
    for _ in range(60):
        values, slopes = _draw_terms(draw, both_ways=high > 1.0)
        ends = (0.0, 1.0) if high == 1.0 else (-500.0, 500.0)
        exact = min(_least(values, slopes, *ends), *(_log_sum(values, slopes, m) for m in ends))
        inside += all(exact < _log_sum(values, slopes, m) for m in ends)
        for guess in (-0.5, 0.5, 3.0):
            reached, missed = exact - 50.0, exact + 50.0
            assert reaches(values, slopes, len(values), reached, low, high, guess)[0]
            for _ in range(50):
                level = (reached + missed) / 2
                if reaches(values, slopes, len(values), level, low, high, guess)[0]:
                    reached = level
                else:
                    missed = level
            assert exact - 1e-7 < reached <= exact + 1e-12
    assert inside >= 20


@pytest.mark.parametrize("slope", [0.0, 1e-3])
@pytest.mark.parametrize("value", [1.0, 1e6, -1e6, 1e12])
def test_what_is_reached_is_more_than_all_roundings(value: float, slope: float) -> None:
    rounding = abs(value) * 2.0**-46

    def reached(level: float, *others: float) -> bool:
        values, slopes = (value, *others), (slope,) * (1 + len(others))
        return reaches(values, slopes, len(values), level, 0.0, 1.0, 0.0)[0]

    assert not reached(value - rounding / 2)
    assert reached(value - 4 * rounding)
    assert not reached(value - rounding / 2, -1e15)  # the largest that was added up counts
    assert not reached(value - 2.0**-47 * 1e15, -1e15)
