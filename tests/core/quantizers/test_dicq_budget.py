"""D-ICQ in messages of fixed length: its plan, and what lies beyond its reach."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.bits import Symbol
from bitarm.core.quantizer import Estimate, Occasion
from bitarm.core.quantizers import BudgetedDicq
from bitarm.errors import ConfigError

_GRID = (10, 30, 70)


def _planned(*bits: int, sigma: float = 0.5, first: float = 0.5) -> BudgetedDicq:
    return BudgetedDicq.planned(checkpoints=_GRID, allowances=bits, sigma=sigma, first=first)


def _step(message: int) -> Occasion:
    pulls = _GRID[message - 1]
    return Occasion(
        message=message, pulls=pulls, index=message, u_prime=0.3, sigma=0.5, bounds=None
    )


def test_the_reaches_follow_from_the_innovation() -> None:
    quantizer = _planned(2, 3, 1)
    first = 0.5 / (1 - 1 / 4)  # half a cell more: the start lies anywhere in a cell
    cell = first / 2
    second = (1.3 + 1) * math.sqrt(0.25 * (1 / 10 - 1 / 30) + cell**2 / 12)
    third = (1.3 + 1 / 3) * math.sqrt(0.25 * (1 / 30 - 1 / 70) + (second / 4) ** 2 / 12)
    assert quantizer.reaches == pytest.approx((first, second, third), rel=1e-12)


@given(bits=st.integers(1, 15))
def test_with_fewer_bits_the_steps_grow(bits: int) -> None:
    few, many = (_planned(each, each, each) for each in (bits, bits + 1))
    held = Estimate(mean=0.0, error=0.0, radius=1.0)
    for message in (1, 2, 3):
        assert few.cells(held, _step(message))[1] > 1.5 * many.cells(held, _step(message))[1]


@given(
    prior=st.floats(-0.2, 0.2),
    mu_hat=st.floats(-2, 2),
    bits=st.integers(1, 12),
)
def test_a_mean_within_reach_is_off_by_half_a_cell_and_one_beyond_is_cut(
    prior: float, mu_hat: float, bits: int
) -> None:
    quantizer = _planned(bits, bits, bits)
    held = quantizer.start(prior, None)
    symbol = encode(quantizer, mu_hat, held, _step(1), 0.0)
    assert symbol.nbits == bits
    decoded = decode(quantizer, symbol, held, _step(1)).mean
    reach, cell = quantizer.reaches[0], quantizer.cells(held, _step(1))[1]
    if abs(mu_hat - prior) <= reach:
        assert abs(decoded - mu_hat) <= cell / 2 * (1 + 1e-9)
    else:
        end = prior + math.copysign(reach - cell / 2, mu_hat - prior)
        assert decoded == pytest.approx(end)


@pytest.mark.parametrize("bits", [1, 2, 5])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-3.0, 5.0)])
def test_wherever_it_starts_the_first_message_covers_the_bounds(
    bits: int, bounds: tuple[float, float]
) -> None:
    quantizer = _planned(bits, bits, bits, first=(bounds[1] - bounds[0]) / 2)
    drawn_from = quantizer.prior_range(bounds)
    assert drawn_from is not None
    low, high = drawn_from
    assert high - low == pytest.approx(2 * quantizer.reaches[0] / 2**bits)  # one cell
    for start in (low, high):
        assert start - quantizer.reaches[0] <= bounds[0] + 1e-12
        assert start + quantizer.reaches[0] >= bounds[1] - 1e-12


def test_it_was_planned_for_so_many_messages() -> None:
    quantizer = BudgetedDicq(allowances=(2,), reaches=(1.0,))
    held = quantizer.start(0.0, None)
    with pytest.raises(ConfigError, match="planned for 1 messages an arm, not for message 2"):
        decode(quantizer, Symbol(0, 2), held, _step(2))


@pytest.mark.parametrize(
    ("allowances", "reaches"),
    [
        ((), ()),
        ((1, 2), (1.0,)),
        ((0,), (1.0,)),
        ((33,), (1.0,)),
        ((1,), (0.0,)),
        ((1,), (math.inf,)),
    ],
)
def test_a_plan_that_is_none_is_refused(
    allowances: tuple[int, ...], reaches: tuple[float, ...]
) -> None:
    with pytest.raises(ConfigError, match=r"allowance|reach"):
        BudgetedDicq(allowances=allowances, reaches=reaches)


def test_a_start_must_be_drawn() -> None:
    with pytest.raises(ConfigError, match="needs a drawn start for every arm, got None"):
        _planned(1, 1, 1).start(None, None)
