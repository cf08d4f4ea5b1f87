import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from bitarm.errors import ConfigError
from bitarm.theory import binary_kl, lower_bound


@pytest.mark.parametrize(
    ("gap", "samples"), [(0.1, 324), (0.242, 55), (0.479, 14), (0.716, 6.3), (1.0, 3.2)]
)
def test_hardness_family(gap: float, samples: float) -> None:
    bound = lower_bound((0, 0, 0, 0, gap), sigma=0.125, delta=1e-5)
    assert bound.samples == pytest.approx(samples, rel=0.012)  # the reference has two digits
    assert bound.weights == pytest.approx((1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 3))


@given(
    arms=st.integers(2, 200),
    gap=st.floats(1e-6, 1e6),
    sigma=st.floats(1e-3, 1e3),
    delta=st.floats(1e-12, 0.49),
)
def test_equal_gaps(arms: int, gap: float, sigma: float, delta: float) -> None:
    bound = lower_bound([0.0] * (arms - 1) + [gap], sigma=sigma, delta=delta)
    t_star = 2 * (sigma / gap) ** 2 * (1 + math.sqrt(arms - 1)) ** 2
    assert bound.characteristic_time == pytest.approx(t_star, rel=1e-9)
    assert bound.samples == pytest.approx(t_star * binary_kl(delta), rel=1e-9)


def test_two_arms_share_the_samples_equally() -> None:
    bound = lower_bound((3.0, 1.0), sigma=1.0, delta=0.1)
    assert bound.characteristic_time == 2.0  # 8σ²/Δ²
    assert bound.weights == (0.5, 0.5)


means_apart = st.lists(st.floats(-1, 1), min_size=2, max_size=6).filter(
    lambda means: sorted(means)[-1] - sorted(means)[-2] > 0.05
)


def informations(means: list[float], weights: list[float]) -> list[float]:
    """w_1·w_a/(w_1 + w_a)·Δ_a²/2 for every other arm: 1/T* is the largest minimum (σ = 1)."""
    best = max(range(len(means)), key=means.__getitem__)
    return [
        weights[best] * weights[a] / (weights[best] + weights[a]) * (means[best] - mean) ** 2 / 2
        for a, mean in enumerate(means)
        if a != best
    ]


def information(means: list[float], weights: list[float]) -> float:
    return min(informations(means, weights))


@given(means=means_apart)
def test_the_weights_attain_the_characteristic_time(means: list[float]) -> None:
    bound = lower_bound(means, sigma=1.0, delta=0.1)
    assert bound.weights is not None
    assert sum(bound.weights) == pytest.approx(1)
    assert information(means, list(bound.weights)) * bound.characteristic_time == pytest.approx(1)


@given(means=means_apart)
@settings(max_examples=50, deadline=None)
def test_no_other_weights_do_better(means: list[float]) -> None:
    hardest = lower_bound(means, sigma=1.0, delta=0.1).characteristic_time
    uniform = [1 / len(means)] * len(means)
    unit = information(means, uniform)
    # Maximise s over weights w whose every information is at least s: a concave problem.
    found = minimize(
        lambda point: -point[-1],
        [*uniform, 1.0],
        method="SLSQP",
        bounds=[(1e-6, 1.0)] * len(means) + [(0.0, None)],
        constraints=[
            {"type": "eq", "fun": lambda point: sum(point[:-1]) - 1},
            {
                "type": "ineq",
                "fun": lambda point: [
                    each / unit - point[-1] for each in informations(means, list(point[:-1]))
                ],
            },
        ],
        options={"maxiter": 1000, "ftol": 1e-10},
    )
    total = sum(found.x[:-1])
    reached = information(means, [weight / total for weight in found.x[:-1]]) * hardest
    assert 1 - 1e-4 <= reached <= 1 + 1e-9


@given(means=means_apart, shift=st.floats(-10, 10))
def test_only_the_gaps_matter(means: list[float], shift: float) -> None:
    bound = lower_bound(means, sigma=0.5, delta=0.01)
    moved = lower_bound([mean + shift for mean in reversed(means)], sigma=0.5, delta=0.01)
    assert moved.samples == pytest.approx(bound.samples, rel=1e-9)
    assert bound.weights is not None
    assert moved.weights == pytest.approx(tuple(reversed(bound.weights)), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("delta", [1e-300, 1e-5, 0.1, 0.4])
def test_kl_of_two_coins(delta: float) -> None:
    other = 1 - delta
    direct = delta * math.log(delta / other) + other * math.log(other / delta)
    assert binary_kl(delta) == pytest.approx(direct)


@pytest.mark.parametrize("delta", [0.5, 0.9])
def test_a_coin_needs_no_samples(delta: float) -> None:
    assert lower_bound((0.0, 1.0), sigma=1.0, delta=delta).samples == 0


def test_a_tie_needs_infinitely_many() -> None:
    bound = lower_bound((1.0, 0.0, 1.0), sigma=1.0, delta=0.1)
    assert bound.samples == bound.characteristic_time == math.inf
    assert bound.weights is None


@pytest.mark.parametrize("gap", [5e-324, 1e-170])
def test_gaps_that_a_square_cannot_hold(gap: float) -> None:
    assert lower_bound((0.0, gap, -1.0), sigma=1.0, delta=0.1).samples == math.inf


def test_a_far_arm_costs_next_to_nothing() -> None:
    near = lower_bound((0.0, 1e-9), sigma=1.0, delta=0.1)
    both = lower_bound((0.0, 1e-9, -1e9), sigma=1.0, delta=0.1)
    assert both.samples == pytest.approx(near.samples)


@pytest.mark.parametrize(
    ("means", "sigma", "delta", "complaint"),
    [
        ((0.5,), 1.0, 0.1, "at least 2 means are needed to speak of gaps, got 1"),
        ((0.5, math.nan), 1.0, 0.1, "arm 1 must be a finite number, got nan"),
        ((-1.7e308, 1.7e308), 1.0, 0.1, "must not span"),
        ((0.0, 1.0), 0.0, 0.1, "sigma must be"),
        ((0.0, 1.0), 1.0, 0.0, "delta must lie"),
    ],
)
def test_refused(means: tuple[float, ...], sigma: float, delta: float, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        lower_bound(means, sigma=sigma, delta=delta)
