"""The width of lil'UCB."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.widths.lil import EPSILON, LilWidth, delta_prime

C_EPSILON = 21153.3989753522689575  # ((2+ε)/ε)(1/ln(1+ε))^(1+ε) at ε = 0.01, 60 digits

TABLE = [
    # K, δ, σ, N, width computed with 60 decimal digits
    (2, 0.05, 1.0, 1, 5.81770028036515039252),
    (2, 0.05, 1.0, 2, 4.11373531915707658364),
    (5, 0.00001, 0.125, 1024, 0.0308250685957759449087),
    (10, 0.1, 0.5, 1000, 0.102043301774659436005),
    (2, 0.5, 2.5, 10**12, 1.52576629781960659377e-5),
]

arms_st = st.integers(2, 10_000)
delta_st = st.floats(1e-12, 0.999)


@pytest.mark.parametrize(("arms", "delta", "sigma", "pulls", "expected"), TABLE)
def test_the_width_is_the_published_formula(
    arms: int, delta: float, sigma: float, pulls: int, expected: float
) -> None:
    width = LilWidth(arms=arms, delta=delta, sigma=sigma)
    assert width.u_prime(pulls, 1) == pytest.approx(expected, rel=1e-13)


@given(arms=arms_st, delta=delta_st, pulls=st.integers(2, 10**12))
def test_the_width_from_two_pulls_on_is_the_formula_of_the_notes(
    arms: int, delta: float, pulls: int
) -> None:
    eps = 0.01
    iterated = math.log(math.log((1 + eps) * pulls) / delta_prime(arms, delta))
    expected = (1 + math.sqrt(eps)) * math.sqrt(2 * 3.0**2 * (1 + eps) * iterated / pulls)
    width = LilWidth(arms=arms, delta=delta, sigma=3.0)
    assert width.u_prime(pulls, 1) == pytest.approx(expected, rel=1e-13)


@given(arms=arms_st, delta=delta_st)
def test_a_single_pull_takes_the_iterated_logarithm_of_two(arms: int, delta: float) -> None:
    width = LilWidth(arms=arms, delta=delta, sigma=1.0)
    assert width.u_prime(1, 1) == pytest.approx(math.sqrt(2) * width.u_prime(2, 1), rel=1e-14)
    # The formula itself at N = 1 would be narrower: the stand-in is on the safe side.
    formula = 1.1 * math.sqrt(2 * 1.01 * math.log(math.log(1.01) / delta_prime(arms, delta)))
    assert formula < width.u_prime(1, 1)


@pytest.mark.parametrize(
    ("arms", "delta", "expected"),
    [
        (2, 0.05, 6.81079601964338869382e-7),
        (5, 0.00001, 5.98206773186268640144e-11),
        (100, 0.5, 1.38403911564821640265e-7),
    ],
)
def test_delta_prime_values(arms: int, delta: float, expected: float) -> None:
    assert delta_prime(arms, delta) == pytest.approx(expected, rel=1e-13)


@given(arms=arms_st, delta=delta_st)
def test_delta_prime_solves_its_equation_and_meets_the_lemmas_condition(
    arms: int, delta: float
) -> None:
    omega = delta_prime(arms, delta)
    assert 2 * arms * C_EPSILON * omega ** (1 + EPSILON) == pytest.approx(delta, rel=1e-12)
    assert omega < math.log(1 + EPSILON) / math.e
