"""The ladder of rates, and the law for pairs of rungs: what the proof of evidence needs of them."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.evidence.ladder import RUNGS, law, rate, share, weight
from bitarm.core.evidence.sub_gaussian import MIDDLE


@given(middle=st.integers(0, RUNGS - 1))
def test_weights_of_all_pairs_add_up_to_at_most_1(middle: int) -> None:
    """More would make evidence of nothing; the rest is unspent beyond the ladder's ends."""
    assert sum(math.exp(pair.log_weight) for pair in law(middle)) <= 1 + 1e-12


def test_little_is_unspent_where_the_middle_is() -> None:
    assert sum(math.exp(pair.log_weight) for pair in law(MIDDLE)) > 0.8


@given(middle=st.integers(0, RUNGS - 1))
def test_weights_of_rungs_without_end_add_up_to_1(middle: int) -> None:
    looked_at = sum(weight(rung, middle) for rung in range(10**4))
    assert looked_at == pytest.approx(1, abs=1e-3)
    assert looked_at < 1


def test_shares_of_climbs_without_end_add_up_to_1() -> None:
    assert sum(share(climb) for climb in range(-1, 10**5)) == pytest.approx(1, abs=1e-5)


def test_rates_fall_evenly_and_take_few_bits() -> None:
    for rung in range(RUNGS - 1):
        assert 1.5 < rate(rung) / rate(rung + 1) < 1.65
        assert Fraction(rate(rung)).numerator < 32  # over a power of two: exact times a count
    assert rate(0) < 1


def test_no_pair_stands_twice() -> None:
    pairs = [(pair.winner, pair.loser) for pair in law(4)]
    assert len(pairs) == len(set(pairs))
    assert all(0 <= rung < RUNGS for pair in pairs for rung in pair)
