"""Clamped bins: words of one length, the outermost bin beyond the range."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins
from bitarm.core.codes.bins import MOST_BINS
from bitarm.errors import LocalProtocolError, PeerProtocolError

FIVE = Bins(low=-1.0, step=0.5, bins=5)  # [−1, 1.5] in five bins, in words of three bits


@pytest.mark.parametrize(
    ("mean", "number", "told"),
    [
        (-1.0, 0, -0.75),
        (-0.6, 0, -0.75),
        (-0.5, 1, -0.25),  # a border belongs to the bin above
        (0.9, 3, 0.75),
        (1.49, 4, 1.25),
        (1.5, 4, 1.25),  # the upper end is in the last bin
        (1e300, 4, 1.25),
        (-1e300, 0, -0.75),
        (math.inf, 4, 1.25),
    ],
)
def test_words_by_hand(mean: float, number: int, told: float) -> None:
    assert FIVE.write(mean) == Symbol(number, 3)
    assert FIVE.read(Symbol(number, 3)) == told


@pytest.mark.parametrize(
    ("bins", "nbits"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (256, 8), (257, 9), (2**53, 53)]
)
def test_the_length_is_what_the_number_of_bins_needs(bins: int, nbits: int) -> None:
    code = Bins(low=0.0, step=1.0, bins=bins)
    assert code.nbits == nbits
    assert {code.write(mean).nbits for mean in (-1.0, 0.0, bins / 2, 2.0 * bins)} == {nbits}
    assert code.write(2.0 * bins) == Symbol(bins - 1, nbits)


def test_a_single_bin_says_nothing() -> None:
    code = Bins(low=2.0, step=3.0, bins=1)
    assert {code.write(mean) for mean in (-9.0, 2.5, 99.0)} == {Symbol(0, 0)}
    assert code.read(Symbol(0, 0)) == 3.5


@given(
    low=st.floats(-1e6, 1e6),
    step=st.floats(1e-3, 1e3),
    bins=st.integers(1, 2**20),
    fraction=st.floats(0, 1),
)
def test_a_mean_within_the_range_is_told_to_half_a_step(
    low: float, step: float, bins: int, fraction: float
) -> None:
    code = Bins(low=low, step=step, bins=bins)
    mean = low + fraction * bins * step
    symbol = code.write(mean)
    told = code.read(symbol)
    assert abs(told - mean) <= step / 2 + 2.0**-48 * max(abs(low), bins * step)
    assert code.write(told) == symbol


@pytest.mark.parametrize(
    ("symbol", "why"),
    [
        (Symbol(0, 2), "2 bits, 3 were expected"),
        (Symbol(0, 4), "4 bits, 3 were expected"),
        (Symbol(0, 0), "0 bits, 3 were expected"),
        (Symbol(5, 3), "bin 5 of 5"),
        (Symbol(7, 3), "bin 7 of 5"),
    ],
)
def test_what_nobody_writes_is_the_peers_fault(symbol: Symbol, why: str) -> None:
    with pytest.raises(PeerProtocolError, match=why):
        FIVE.read(symbol)


@pytest.mark.parametrize("low", [math.nan, math.inf, -math.inf])
def test_a_low_end_that_is_no_number_is_refused(low: float) -> None:
    with pytest.raises(LocalProtocolError, match="low must be a finite number"):
        Bins(low=low, step=1.0, bins=2)


@pytest.mark.parametrize("bins", [0, -1, MOST_BINS + 1])
def test_no_bins_and_more_than_a_float_numbers_are_refused(bins: int) -> None:
    with pytest.raises(LocalProtocolError, match=rf"bins must lie in \[1, {MOST_BINS}\], got"):
        Bins(low=0.0, step=1.0, bins=bins)
