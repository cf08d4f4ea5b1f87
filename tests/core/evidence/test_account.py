"""What an agent knows of its own rewards: evidence on any scale, and a rough model of its cost."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.evidence.account import SIGMA_RATES, Account, Scale, clamped, cost, variance
from bitarm.core.evidence.bets import Bets
from bitarm.core.evidence.ladder import RUNGS, rate
from bitarm.errors import LocalProtocolError

rungs = st.integers(0, RUNGS - 1)


@given(rung=rungs, mean=st.floats(-50, 50), pulls=st.integers(1, 10**6), sigma=st.floats(0.01, 100))
def test_with_a_sigma_it_is_the_sub_gaussian_form(
    rung: int, mean: float, pulls: int, sigma: float
) -> None:
    account = Account(Scale(bounded=False, low=0.0, unit=sigma), pulls, mean, None)
    step = SIGMA_RATES[rung] / sigma  # λ per unit of reward
    expected = [side * step * pulls * mean - step**2 * sigma**2 * pulls / 2 for side in (1, -1)]
    got = [account.above(rung), account.below(rung)]
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(sigma=st.floats(1e-300, 1e300))
def test_a_sigma_is_told_in_eight_binary_digits_never_too_small(sigma: float) -> None:
    unit = Scale.of_sigma(sigma).unit
    assert sigma <= unit <= sigma * (1 + 2**-7)
    numerator, denominator = math.frexp(unit)[0].as_integer_ratio()
    assert denominator <= 256
    assert Scale.of_sigma(unit).unit == unit
    assert numerator <= 256


@given(
    rewards=st.lists(st.floats(-2, 6), min_size=1, max_size=30),
    rung=st.integers(0, 12),
)
def test_rewards_on_another_scale_are_weighed_as_in_0_to_1(rewards: list[float], rung: int) -> None:
    scale = Scale(bounded=True, low=-2.0, unit=8.0)
    scaled = [scale.inward(reward) for reward in rewards]
    assert all(0 <= reward <= 1 for reward in scaled)
    n, bets = len(rewards), Bets().after(scaled, 0)
    one = Account(scale, n, sum(rewards) / n, bets)
    other = Account(Scale(bounded=True, low=0.0, unit=1.0), n, sum(scaled) / n, bets)
    assert (one.above(rung), one.below(rung)) == (other.above(rung), other.below(rung))
    assert one.variance == other.variance


@pytest.mark.parametrize(("low", "unit"), [(-0.1, 0.8), (0.1, 0.2), (-7.3, 1e-3), (1e9, 3.0)])
def test_the_ends_of_the_bounds_are_0_and_1(low: float, unit: float) -> None:
    high = low + unit
    scale = Scale(bounded=True, low=low, unit=high - low)
    assert (scale.inward(low), scale.inward(high)) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("low", "unit"), [(math.nan, 1.0), (math.inf, 1.0), (0.0, 0.0), (0.0, -1.0), (1e308, 1.7e308)]
)
def test_a_scale_that_is_none_is_refused(low: float, unit: float) -> None:
    with pytest.raises(LocalProtocolError, match="must be a finite number"):
        Scale(bounded=True, low=low, unit=unit)


@given(
    kind=st.sampled_from(["bounded", "sigma"]),
    rung=rungs,
    mean=st.floats(-1, 2),
    spread=st.integers(-40, 2),
    pulls=st.integers(1, 10**9),
    side=st.sampled_from([-1.0, 1.0]),
)
def test_a_bettor_loses_something_and_never_gains_by_variance(
    kind: str, rung: int, mean: float, spread: int, pulls: int, side: float
) -> None:
    bounded = kind == "bounded"
    step = rate(rung)
    lost = cost(bounded, step, mean, 2.0**spread, pulls, side)
    assert 0 < lost < math.inf
    assert cost(bounded, step, mean, 2.0 ** min(spread + 1, 2), pulls, side) >= lost * (1 - 1e-9)
    assert variance(bounded, mean, 2.0**spread, pulls) > 0


@given(mean=st.floats(0.05, 0.95), rung=st.integers(3, 20))
def test_to_first_order_the_cost_is_half_the_variance_times_the_rate_squared(
    mean: float, rung: int
) -> None:
    step = rate(rung)
    lost = cost(True, step, mean, 1.0, 1e9, 1.0)
    assert lost == pytest.approx(mean * (1 - mean) * step**2 / 2, rel=step)


@pytest.mark.parametrize("lean", [0.9e-4, 1.1e-4])
def test_the_cost_has_no_step_where_its_formula_changes(lean: float) -> None:
    near = cost(True, 0.1, 0.5 + lean / 0.2, 1.0, 1e9, 1.0)
    there = cost(True, 0.1, 0.5, 1.0, 1e9, 1.0)
    assert near == pytest.approx(there, rel=1e-3)


@given(mean=st.floats(-3, 4), pulls=st.integers(1, 10**12))
def test_a_mean_is_kept_half_a_reward_from_the_ends(mean: float, pulls: int) -> None:
    least = 0.5 / (pulls + 1)
    assert least <= clamped(mean, pulls) <= 1 - least
    if least < mean < 1 - least:
        assert clamped(mean, pulls) == mean
