"""Averages merge to what one pass would give, and the interval of a rate is the exact one."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from bitarm.sim.statistics import Moments, Tally, clopper_pearson, merge_all, merge_tallies

_EPS = np.finfo(np.float64).eps

_parts = st.lists(st.lists(st.integers(0, 10**9), min_size=1, max_size=20), min_size=1, max_size=8)


def _moments(values: list[int]) -> Moments:
    return Moments.of(np.array(values, dtype=np.int64))


@given(_parts)
def test_merged_moments_are_those_of_all_numbers_together(parts: list[list[int]]) -> None:
    numbers = [number for part in parts for number in part]
    mean = Fraction(sum(numbers), len(numbers))
    squares = sum((number - mean) ** 2 for number in numbers)
    spread, largest = max(numbers) - min(numbers), max(numbers)

    merged = merge_all(map(_moments, parts))

    assert merged.count == len(numbers)
    assert abs(Fraction(merged.mean) - mean) <= 16 * _EPS * largest
    # a mean that is off by one rounding moves every deviation by as much
    allowed = 64 * _EPS * len(numbers) * (spread + 1) * (largest + 1)
    assert abs(Fraction(merged.squares) - squares) <= allowed
    assert merged.squares >= 0


@given(_parts)
def test_moments_merge_from_the_left(parts: list[list[int]]) -> None:
    moments = [_moments(part) for part in parts]
    folded = moments[0]
    for following in moments[1:]:
        folded = folded.merged(following)
    assert merge_all(moments) == folded


def test_another_order_of_merging_gives_other_bits() -> None:
    """Why results are merged in the order of their chunks and not of their arrival."""
    parts = [_moments([1, 2]), _moments([10**9, 7, 3]), _moments([12345, 1])]
    means = {merge_all(order).mean for order in permutations(parts)}
    assert len(means) > 1


def test_the_standard_error_is_that_of_the_sample_variance() -> None:
    values = np.array([3, 1, 4, 1, 5, 9, 2, 6], dtype=np.int64)
    sem = Moments.of(values).sem
    assert sem == pytest.approx(float(np.std(values, ddof=1)) / 8**0.5, rel=1e-14)


def test_a_single_number_has_no_standard_error() -> None:
    assert _moments([7]).sem is None


def test_equal_numbers_have_a_standard_error_of_0() -> None:
    assert _moments([7, 7, 7]).sem == 0.0


@given(_parts, st.integers(0, 8))
def test_numbers_that_are_not_there_change_no_moments(parts: list[list[int]], place: int) -> None:
    moments = [_moments(part) for part in parts]
    none = Moments.of(np.array([], dtype=np.int64))
    assert none.count == 0
    assert none.sem is None
    assert merge_all([*moments[:place], none, *moments[place:]]) == merge_all(moments)


def _tally(values: list[int]) -> Tally:
    return Tally.of(np.array(values, dtype=np.int64))


@given(_parts, st.sampled_from([0.5, 0.99, 1.0]))
def test_merged_quantiles_are_those_of_all_numbers_together(
    parts: list[list[int]], share: float
) -> None:
    numbers = sorted(number for part in parts for number in part)
    exact = next(
        number for place, number in enumerate(numbers, start=1) if place >= share * len(numbers)
    )
    found = merge_tallies(map(_tally, parts)).quantile(share)
    assert found is not None
    assert exact * (1 - 1 / 1024) <= found <= exact
    if exact < 2048:
        assert found == exact
    assert merge_tallies(map(_tally, parts)) == merge_tallies(map(_tally, reversed(parts)))


@pytest.mark.parametrize("number", [0, 1, 2047, 2048, 10**12, 2**53 + 1, 2**62])
def test_a_tally_holds_numbers_of_any_size(number: int) -> None:
    found = _tally([number]).quantile(0.5)
    assert found is not None
    assert number * (1 - 1 / 512) <= found <= number


def test_no_numbers_have_no_quantile() -> None:
    assert _tally([]).quantile(0.5) is None


_COUNTS = [(1, 50), (49, 50), (17, 50), (3, 10**6), (499_999, 10**6)]


@pytest.mark.parametrize(("hits", "trials"), [(0, 1), (1, 1), (0, 50), (50, 50), *_COUNTS])
def test_the_interval_of_a_rate_is_the_one_that_scipy_calls_exact(hits: int, trials: int) -> None:
    rate = clopper_pearson(hits, trials)
    exact = binomtest(hits, trials).proportion_ci(confidence_level=0.95, method="exact")
    assert rate.value == hits / trials
    assert rate.low == pytest.approx(exact.low, rel=1e-6)  # scipy searches for it
    assert rate.high == pytest.approx(exact.high, rel=1e-6)


@pytest.mark.parametrize(("hits", "trials"), _COUNTS)
def test_at_the_ends_of_the_interval_the_count_has_a_tail_of_one_fortieth(
    hits: int, trials: int
) -> None:
    rate = clopper_pearson(hits, trials)
    assert binom.sf(hits - 1, trials, rate.low) == pytest.approx(0.025, rel=1e-9)
    assert binom.cdf(hits, trials, rate.high) == pytest.approx(0.025, rel=1e-9)


@pytest.mark.parametrize("trials", [1, 10, 1000])
def test_the_interval_reaches_the_end_when_no_trial_or_every_trial_hits(trials: int) -> None:
    none, every = clopper_pearson(0, trials), clopper_pearson(trials, trials)
    tail = 1 - 0.025 ** (1 / trials)  # (1 − p)^n = 0.025
    assert (none.value, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(tail, rel=1e-12)
    assert (every.value, every.high) == (1.0, 1.0)
    assert every.low == pytest.approx(1 - tail, rel=1e-12)


def test_a_higher_level_makes_a_wider_interval() -> None:
    usual, careful = clopper_pearson(5, 100), clopper_pearson(5, 100, level=0.99)
    assert careful.low < usual.low < usual.value < usual.high < careful.high
