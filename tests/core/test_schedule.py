"""The communication rule: which pull counts are checkpoints."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.schedule import (
    MAX_PULLS,
    GeometricSchedule,
    ListedSchedule,
    default_first,
    paper_schedule,
)
from bitarm.errors import ConfigError


def grid(schedule: GeometricSchedule | ListedSchedule, most: int = 10**6) -> list[int]:
    points: list[int] = []
    for index in range(1, most + 1):
        t_i = schedule.pulls_at(index)
        if t_i is None:
            break
        points.append(t_i)
    return points


@pytest.mark.parametrize("alpha", [2, 3, 4, 5, 7, 9, 10, 16, 1000])
def test_an_integer_growth_gives_the_papers_powers_up_to_the_limit(alpha: int) -> None:
    expected = []
    t_i = alpha
    while t_i <= MAX_PULLS:
        expected.append(t_i)
        t_i *= alpha
    assert grid(paper_schedule(alpha)) == expected


@pytest.mark.parametrize(
    ("growth", "first", "expected"),
    [
        (1.5, 1, [1, 2, 3, 4, 6, 8, 12, 18, 26, 39]),  # ⌈1.5^i⌉: 1, 1.5, 2.25, 3.375, 5.06, …
        (1.5, 2, [2, 3, 5, 7, 11, 16, 23, 35]),
        (1.25, 1, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15]),  # "+ 1" until the powers win
        (2.5, 3, [3, 8, 19, 47, 118]),
        (2.0, 7, [7, 14, 28, 56]),
        (3.0, 1, [1, 3, 9, 27]),
    ],
)
def test_hand_computed_grids(growth: float, first: int, expected: list[int]) -> None:
    assert grid(GeometricSchedule(growth=growth, first=first), len(expected)) == expected


@given(
    eighths=st.integers(min_value=9, max_value=80),
    first=st.integers(min_value=1, max_value=1000),
)
def test_the_rule_is_a_ceiling_and_at_least_one_more_pull(eighths: int, first: int) -> None:
    # A growth in eighths is exact as a float, and its powers stay exact for the first 14 points.
    alpha = Fraction(eighths, 8)
    expected = [first]
    for i in range(2, 15):
        expected.append(max(expected[-1] + 1, math.ceil(first * alpha ** (i - 1))))
    assert grid(GeometricSchedule(growth=eighths / 8, first=first), 14) == [
        t_i for t_i in expected if t_i <= MAX_PULLS
    ]


@given(growth=st.floats(min_value=1.05, max_value=1e6), first=st.integers(1, MAX_PULLS))
def test_a_real_growth_keeps_to_the_rule_up_to_rounding(growth: float, first: int) -> None:
    points = grid(GeometricSchedule(growth=growth, first=first))
    for i, (before, t_i) in enumerate(pairwise(points), start=2):
        exact = first * Fraction(growth) ** (i - 1)
        slack = Fraction(1, 2**48)
        assert t_i >= max(before + 1, math.ceil(exact * (1 - slack)))
        assert t_i <= max(before + 1, math.ceil(exact * (1 + slack)))
    beyond = max(points[-1] + 1, math.ceil(first * Fraction(growth) ** len(points)))
    assert beyond * (1 + 2**-40) > MAX_PULLS


@pytest.mark.parametrize(
    ("growth", "first", "last"),
    [(10.0, 10, 10**12), (2.0, 2, 2**39), (1e300, 5, 5), (1e6, 10**12, 10**12), (4.0, 4, 4**19)],
)
def test_the_grid_ends_at_the_limit_on_pulls(growth: float, first: int, last: int) -> None:
    schedule = GeometricSchedule(growth=growth, first=first)
    points = grid(schedule)
    assert points[-1] == last <= MAX_PULLS
    assert schedule.pulls_at(len(points) + 1) is None
    assert schedule.pulls_at(len(points) + 1000) is None
    assert schedule.index_at(MAX_PULLS) == len(points)


@pytest.mark.parametrize(
    ("growth", "first"), [(2, 2), (2.0, 2), (2.1, 3), (1.0001, 2), (9, 9), (8.5, 9)]
)
def test_the_default_start_is_the_growth_rounded_up(growth: float, first: int) -> None:
    assert default_first(growth) == first
    assert paper_schedule(growth) == GeometricSchedule(growth=growth, first=first)


def test_an_integer_growth_and_its_float_are_one_schedule() -> None:
    one, other = GeometricSchedule(growth=2, first=2), GeometricSchedule(growth=2.0, first=2)
    assert one == other
    assert hash(one) == hash(other)
    assert isinstance(one.growth, float)


def test_what_was_asked_before_does_not_change_a_schedule() -> None:
    asked, fresh = paper_schedule(2), paper_schedule(2)
    asked.index_at(10**9)
    assert asked == fresh
    assert [asked.pulls_at(i) for i in (1, 5, 39, 40)] == [2, 32, 2**39, None]
    assert [fresh.pulls_at(i) for i in (40, 39, 5, 1)] == [None, 2**39, 32, 2]


@pytest.mark.parametrize(
    "growth", [1.0, 1, 0.5, 0.0, -2.0, math.nan, math.inf, -math.inf, 1 + 2**-60]
)
def test_a_growth_that_does_not_grow_is_refused(growth: float) -> None:
    with pytest.raises(ConfigError, match="growth"):
        GeometricSchedule(growth=growth, first=2)
    with pytest.raises(ConfigError, match="growth"):
        paper_schedule(growth)


@pytest.mark.parametrize("first", [0, -1, MAX_PULLS + 1])
def test_a_first_checkpoint_off_the_range_is_refused(first: int) -> None:
    with pytest.raises(ConfigError, match="first"):
        GeometricSchedule(growth=2.0, first=first)


@pytest.mark.parametrize("points", [(1,), (5, 6, 7), (10, 1000, MAX_PULLS)])
def test_a_listed_schedule_is_its_list(points: tuple[int, ...]) -> None:
    assert tuple(grid(ListedSchedule(checkpoints=points))) == points


@pytest.mark.parametrize(
    ("points", "complaint"),
    [
        ((), "at least one"),
        ((3, 3), "increase, got 3 after 3"),
        ((1, 5, 4), "increase, got 4 after 5"),
        ((0, 1), "between 1 and"),
        ((-4,), "between 1 and"),
        ((1, MAX_PULLS + 1), "between 1 and"),
    ],
)
def test_a_list_that_is_no_grid_is_refused(points: tuple[int, ...], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        ListedSchedule(checkpoints=points)


@pytest.mark.parametrize("schedule", [paper_schedule(2), ListedSchedule(checkpoints=(3, 9))])
@pytest.mark.parametrize("index", [0, -1])
def test_checkpoints_are_numbered_from_1(
    schedule: GeometricSchedule | ListedSchedule, index: int
) -> None:
    with pytest.raises(ValueError, match="numbered from 1"):
        schedule.pulls_at(index)


def test_index_counts_the_checkpoints_at_or_below() -> None:
    schedule = ListedSchedule(checkpoints=(3, 9, 10))
    table = {0: 0, 2: 0, 3: 1, 8: 1, 9: 2, 10: 3, 11: 3, 10**12: 3}
    assert {pulls: schedule.index_at(pulls) for pulls in table} == table
    table = {0: 0, 1: 0, 2: 1, 3: 1, 4: 2, 7: 2, 8: 3}
    assert {pulls: paper_schedule(2).index_at(pulls) for pulls in table} == table
