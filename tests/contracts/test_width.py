"""The laws of `Width` and of the confidence that it gives, for every width there is."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.confidence import ArmView, Intervals, Stride, Width
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.widths import WIDTHS

widths = pytest.mark.parametrize("name", WIDTHS)
pulls_st = st.one_of(st.integers(1, 20), st.integers(1, MAX_PULLS))


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, float, float]:
    return draw(st.integers(2, 2000)), draw(st.floats(1e-12, 0.999)), draw(st.floats(1e-6, 1e6))


def make(name: str, problem: tuple[int, float, float]) -> Width:
    arms, delta, sigma = problem
    bounds = (-sigma, sigma)  # rewards that are in there are σ-sub-Gaussian
    return WIDTHS[name](arms=arms, delta=delta, sigma=sigma, certain=True, bounds=bounds)


def test_every_width_is_listed_under_its_own_name() -> None:
    # The laws below run over WIDTHS itself: a new width is covered as soon as it is listed.
    names = {"paper", "lil", "intervals", "pairwise", "pairwise-mixture", "sub-gaussian", "bounded"}
    assert names <= set(WIDTHS)
    assert all(cls.name == name for name, cls in WIDTHS.items())


@widths
@given(problem=problems(), pulls=pulls_st, index=st.integers(1, 60))
def test_positive_and_finite(
    name: str, problem: tuple[int, float, float], pulls: int, index: int
) -> None:
    assert 0 < make(name, problem).u_prime(pulls, index) < math.inf


@widths
@given(problem=problems(), pulls=st.lists(pulls_st, min_size=1, max_size=8), index=st.integers(1))
def test_a_function_of_the_arms_own_pulls_and_checkpoint(
    name: str, problem: tuple[int, float, float], pulls: list[int], index: int
) -> None:
    used = make(name, problem)
    first = [used.u_prime(t, index) for t in pulls]  # in any order, with others in between
    again = [used.u_prime(t, index) for t in reversed(pulls)]
    assert first == again[::-1] == [make(name, problem).u_prime(t, index) for t in pulls]


@widths
@given(problem=problems(), pulls=pulls_st)
def test_more_pulls_are_narrower(name: str, problem: tuple[int, float, float], pulls: int) -> None:
    width = make(name, problem)
    assert width.u_prime(2 * pulls, 2) < width.u_prime(pulls, 1)
    assert width.u_prime(pulls + 1, 1) <= width.u_prime(pulls, 1)


@widths
@given(problem=problems(), pulls=pulls_st)
def test_a_smaller_delta_more_arms_and_a_larger_sigma_are_wider(
    name: str, problem: tuple[int, float, float], pulls: int
) -> None:
    arms, delta, sigma = problem
    here = make(name, problem).u_prime(pulls, 1)
    assert make(name, (arms, delta / 2, sigma)).u_prime(pulls, 1) > here
    assert make(name, (2 * arms, delta, sigma)).u_prime(pulls, 1) > here
    doubled = make(name, (arms, delta, 2 * sigma)).u_prime(pulls, 1)
    assert doubled == pytest.approx(2 * here, rel=1e-14)


@widths
@given(problem=problems(), pulls=pulls_st)
def test_wide_enough_for_quban_to_keep_its_published_radius(
    name: str, problem: tuple[int, float, float], pulls: int
) -> None:
    # M = εσ/√t ≤ (ε/2)·U' needs U' ≥ 2σ/√t.
    sigma = problem[2]
    assert make(name, problem).u_prime(pulls, 1) >= 2 * sigma / math.sqrt(pulls)


def view(arm: int, pulls: int, error: float) -> ArmView:
    return ArmView(arm=arm, mean=0.0, pulls=pulls, messages=1, index=1, error=error)


@widths
@given(
    problem=problems(),
    pulls=st.tuples(pulls_st, pulls_st),
    errors=st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)),
)
def test_radius_is_width_plus_error_and_disjoint_intervals_are_of_separated_arms(
    name: str,
    problem: tuple[int, float, float],
    pulls: tuple[int, int],
    errors: tuple[float, float],
) -> None:
    width = make(name, problem)
    confidence = width.confidence(Stride.APART if width.fits(Stride.APART) else Stride.JUDGED)
    one, other = (view(arm, pulls[arm], errors[arm]) for arm in (0, 1))
    for v in (one, other):
        if isinstance(confidence, Intervals):
            assert confidence.radius(v) == width.u_prime(v.pulls, v.index) + v.error  # Eq. (3)
            assert 2 * confidence.radius(v) == pytest.approx(confidence.separation(v, v))
        # two arms that are drawn with disjoint intervals are separated
        assert 2 * confidence.radius(v) >= confidence.separation(v, v) * (1 - 1e-12)
    assert confidence.separation(one, other) > 0
    swapped = (replace(one, arm=other.arm), replace(other, arm=one.arm))
    assert confidence.separation(one, other) == confidence.separation(*swapped)
