"""Numbers that look random and are a function of a seed and a place."""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bitarm.core.dither import DITHER_BITS, dither, keyed_unit, uniform_priors

seeds = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize(
    ("seed", "arm", "message", "expected"),
    [(0, 0, 1, 0.5674743732690465), (2**64 - 1, 3, 17, 0.350921281073735)],
)
def test_dithers_never_change_between_versions(
    seed: int, arm: int, message: int, expected: float
) -> None:
    # A learner of a newer version that is restored must ask the same questions to the bit.
    assert keyed_unit(seed, "dither", arm, message) == expected
    assert dither(seed, arm, message) == math.floor(expected * 2**32) / 2**32


def test_priors_never_change_between_versions() -> None:
    assert uniform_priors(7, 3, (-1.0, 2.0)) == (
        0.29625561465097294,
        0.5172722033932984,
        1.112524326697986,
    )


@given(
    seed=seeds,
    purpose=st.sampled_from(["dither", "prior"]),
    arm=st.integers(0, 10**6),
    message=st.integers(0, 10**12),
)
def test_every_place_has_one_number_in_the_unit_interval(
    seed: int, purpose: str, arm: int, message: int
) -> None:
    number = keyed_unit(seed, purpose, arm, message)
    assert 0 <= number < 1
    assert number == keyed_unit(seed, purpose, arm, message)
    assert number * 2**53 == int(number * 2**53)


@given(seed=seeds, arm=st.integers(0, 10**6), message=st.integers(1, 10**12))
def test_a_dither_is_a_fraction_of_32_bits(seed: int, arm: int, message: int) -> None:
    number = dither(seed, arm, message)
    assert 0 <= number < 1
    assert number * 2**DITHER_BITS == int(number * 2**DITHER_BITS)


def test_no_two_places_share_a_number() -> None:
    places = list(product((0, 1, 2**63), ("dither", "prior"), range(12), range(40)))
    assert len({keyed_unit(*place) for place in places}) == len(places)


def test_dithers_are_uniform_and_neighbours_unrelated() -> None:
    # The numbers are fixed, so this is a statement about the hash, not a draw: 3σ-like bounds.
    by_message = [dither(1, 0, message) for message in range(1, 4001)]
    by_arm = [dither(1, arm, 1) for arm in range(4000)]
    by_seed = [dither(seed, 0, 1) for seed in range(4000)]
    for sample in (by_message, by_arm, by_seed):
        assert stats.kstest(sample, "uniform").pvalue > 0.001
    assert abs(stats.pearsonr(by_message[:-1], by_message[1:]).statistic) < 3.3 / 4000**0.5
    assert abs(stats.pearsonr(by_arm, by_seed).statistic) < 3.3 / 4000**0.5


@given(
    seed=seeds,
    arms=st.integers(2, 20),
    a=st.floats(-1e9, 1e9),
    span=st.floats(1e-9, 1e9),
)
def test_priors_lie_within_the_bounds_one_for_each_arm(
    seed: int, arms: int, a: float, span: float
) -> None:
    b = a + span
    priors = uniform_priors(seed, arms, (a, b))
    assert len(priors) == arms
    assert all(a <= prior <= b for prior in priors)
    assert uniform_priors(seed, arms + 1, (a, b))[:arms] == priors


def test_priors_are_uniform_on_the_bounds() -> None:
    priors = uniform_priors(3, 4000, (-2.0, 6.0))
    assert stats.kstest([(prior + 2) / 8 for prior in priors], "uniform").pvalue > 0.001
