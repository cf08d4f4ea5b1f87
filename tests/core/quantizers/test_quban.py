"""QuBan's steps, its centre and its error; its codewords are those of the code `levels`.

With ε = σ = t = 1 the step M is 1, so that means are levels.
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.codes import Levels
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion
from bitarm.core.quantizers import QuBan
from bitarm.core.question import Question
from bitarm.core.widths import PaperWidth
from bitarm.errors import ConfigError, RewardError

UNIT = QuBan(epsilon_quban=1.0)
STEP = Occasion(message=1, pulls=1, index=1, u_prime=4.0, sigma=1.0, bounds=None)


def around(centre: float) -> Estimate:
    return Estimate(mean=centre, error=1.0, radius=2.0)


@pytest.mark.parametrize(
    ("held", "centre"), [(0.0, 0), (2.75, 2), (-2.25, -3), (2.0**50 - 1, 2**50 - 1)]
)
def test_the_question_counts_levels_of_M_from_the_centre(held: float, centre: int) -> None:
    code = Levels(step=1.0, centre=centre, dither=0.25)
    assert UNIT.question(around(held), STEP, 0.25) == Question(until=1, code=code)
    wide = Occasion(message=2, pulls=16, index=4, u_prime=4.0, sigma=6.0, bounds=None)
    assert UNIT.question(NOTHING_KNOWN, wide, 0.5).code == Levels(step=1.5, centre=0, dither=0.5)


@pytest.mark.parametrize("far", [2.0**50, -(2.0**50), 2.0**60, 1e300])
def test_a_held_mean_too_far_from_0_is_no_centre_and_such_a_mean_is_refused(far: float) -> None:
    assert UNIT.question(around(far), STEP, 0.5) == UNIT.question(NOTHING_KNOWN, STEP, 0.5)
    with pytest.raises(RewardError, match="too far from 0"):
        encode(UNIT, far, around(far), STEP, 0.5)


@given(
    centre=st.floats(-300, 300),
    within=st.floats(0, 0.999),
    x=st.floats(-300, 300),
    dither=st.floats(0, 0.999),
)
def test_only_the_whole_steps_of_the_centre_enter(
    centre: float, within: float, x: float, dither: float
) -> None:
    floor = math.floor(centre)
    near, within_it = around(floor), around(floor + within)
    assert encode(UNIT, x, near, STEP, dither) == encode(UNIT, x, within_it, STEP, dither)


@given(
    epsilon=st.floats(0.01, 8),
    sigma=st.floats(1e-3, 1e3),
    pulls=st.integers(1, 10**12),
    mean=st.floats(-1e3, 1e3),
    centre=st.floats(-1e3, 1e3),
    dither=st.floats(0, 1, exclude_max=True),
)
def test_the_decoded_mean_is_never_off_by_more_than_a_step(
    epsilon: float, sigma: float, pulls: int, mean: float, centre: float, dither: float
) -> None:
    quantizer = QuBan(epsilon_quban=epsilon)
    u_prime = PaperWidth(arms=2, delta=0.9, sigma=sigma).u_prime(pulls, 1)
    step = Occasion(message=2, pulls=pulls, index=1, u_prime=u_prime, sigma=sigma, bounds=None)
    m = epsilon * sigma / math.sqrt(pulls)
    held = around(centre)
    decoded = decode(quantizer, encode(quantizer, mean, held, step, dither), held, step)
    rounding = 2.0**-50 * max(abs(mean), abs(centre))
    assert abs(decoded.mean - mean) <= m + rounding
    lattice = decoded.mean / m
    assert abs(lattice - round(lattice)) <= 1e-6 + 2.0**-50 * abs(lattice)


@given(epsilon=st.floats(0.01, 8), pulls=st.integers(1, 10**12), arms=st.integers(2, 99))
def test_the_radius_is_that_of_the_papers_figures(epsilon: float, pulls: int, arms: int) -> None:
    u_prime = PaperWidth(arms=arms, delta=0.99, sigma=0.5).u_prime(pulls, 1)
    step = Occasion(message=1, pulls=pulls, index=1, u_prime=u_prime, sigma=0.5, bounds=None)
    error = QuBan(epsilon_quban=epsilon).error(NOTHING_KNOWN, step)
    assert error == epsilon / 2 * u_prime
    assert error >= epsilon * 0.5 / math.sqrt(pulls)


def test_the_error_never_falls_below_a_step_even_for_a_narrow_width() -> None:
    narrow = Occasion(message=1, pulls=4, index=1, u_prime=0.01, sigma=1.0, bounds=None)
    assert QuBan(epsilon_quban=0.5).error(NOTHING_KNOWN, narrow) == 0.25


def test_the_first_centre_is_0() -> None:
    assert QuBan().start(None, None).mean == 0.0
    with pytest.raises(ConfigError, match="quban takes no prior"):
        QuBan().start(0.0, None)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_an_epsilon_that_is_no_step_is_refused(epsilon: float) -> None:
    with pytest.raises(ConfigError, match="epsilon_quban"):
        QuBan(epsilon_quban=epsilon)
