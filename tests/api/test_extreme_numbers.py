"""Settings at the ends of what floats hold: an answer with its claim, or a refusal, and no more."""

import random
from collections.abc import Callable
from typing import Any

import pytest

import bitarm
from bitarm.api.identification import Identification
from bitarm.errors import ConfigError, RewardError
from bitarm.sim.models import Bernoulli, Gaussian

_SHIFT = 2.0**40


def _coin(chance: random.Random, mean: float, a: float, b: float) -> Callable[[], float]:
    return lambda: b if chance.random() < mean else a


def _identify(*means: float, bounds: tuple[float, float] = (0.0, 1.0), **words: Any) -> Any:
    chance = random.Random(1)
    arms = [_coin(chance, mean, *bounds) for mean in means]
    if "sigma" not in words:
        words["bounds"] = bounds
    words.setdefault("max_samples", 100_000)
    return bitarm.identify(arms, seed=1, **words)


def _is_right(result: Identification, delta: float = 0.05) -> bool:
    return (result.best_arm, result.guarantee) == (0, delta)


@pytest.mark.parametrize("delta", [1e-60, 1e-12, 0.99, 1 - 1e-16])
def test_any_delta_that_is_allowed_is_claimed(delta: float) -> None:
    assert _is_right(_identify(0.95, 0.1, delta=delta), delta)
    assert _is_right(_identify(0.95, 0.1, sigma=0.5, delta=delta), delta)


@pytest.mark.parametrize(
    "bounds", [(0.0, 1e-300), (0.0, 1e300), (-1e300, 1e300), (-1e-300, 0.0)], ids=str
)
def test_narrow_and_wide_bounds_are_units_like_any_other(bounds: tuple[float, float]) -> None:
    a, b = bounds
    plain = _identify(0.9, 0.2, 0.3)
    scaled = _identify(0.9, 0.2, 0.3, bounds=bounds)
    assert _is_right(scaled)
    assert scaled.samples < 3 * plain.samples
    assert _is_right(_identify(0.9, 0.2, 0.3, bounds=bounds, epsilon=0.1 * (b - a)))


@pytest.mark.parametrize("bounds", [(0.0, 1e-320), (0.0, 1.7e308), (_SHIFT, _SHIFT + 2.0**-10)])
def test_bounds_that_floats_do_not_resolve_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises((ConfigError, RewardError)):
        _identify(0.9, 0.2, 0.3, bounds=bounds)


@pytest.mark.parametrize("sigma", [1e-300, 1e154, 1e300])
def test_a_tiny_or_huge_sigma_is_a_unit(sigma: float) -> None:
    result = bitarm.identify([lambda: 3 * sigma, lambda: 0.0], sigma=sigma, seed=1)
    assert _is_right(result)


@pytest.mark.parametrize("sigma", [1e13, 1e154, 1e300])
def test_a_sigma_far_beyond_the_bounds_is_refused(sigma: float) -> None:
    """The spread that it lets an answer have was squared until no float held it."""
    chance = random.Random(1)
    arms = [_coin(chance, mean, 0.0, 1.0) for mean in (0.9, 0.2)]
    with pytest.raises(ConfigError, match=r"divisor must lie in .* Is sigma"):
        bitarm.identify(arms, bounds=(0, 1), sigma=sigma, seed=1)


@pytest.mark.parametrize("sigma", [1.0, 1e200])
def test_a_lead_that_is_nothing_beside_the_noise_has_no_cost_of_deciding(sigma: float) -> None:
    arms = [lambda: 1e-200, lambda: 0.0]
    result = bitarm.identify(arms, sigma=sigma, quantizer="exact", max_samples=100, seed=1)
    assert (result.best_arm, result.to_decide) == (None, None)


@pytest.mark.parametrize("epsilon", [5e-324, 1e10, 1e19, 1e150, 1.7e308])
def test_any_tolerance_is_one(epsilon: float) -> None:
    """Wider than all rewards are: whoever leads will do. It was an error, or went on for ever."""
    for bounds in ((0.0, 1.0), (0.0, 1e-300)):
        result = _identify(0.9, 0.1, bounds=bounds, epsilon=epsilon)
        assert (result.guarantee, result.samples < 200) == (0.05, True)
        half = (bounds[1] - bounds[0]) / 2
        assert _identify(0.9, 0.1, bounds=bounds, sigma=half, epsilon=epsilon).guarantee == 0.05
    coins = (Bernoulli(mean=0.9), Bernoulli(mean=0.1))
    normal = (Gaussian(mean=0.0, sd=1.0), Gaussian(mean=1.0, sd=1.0))
    for models, words in ((coins, {"bounds": (0.0, 1.0)}), (normal, {"sigma": 1.0})):
        (point,) = bitarm.simulate(
            models,
            trials=20,
            workers=1,
            seed=1,
            epsilon=epsilon,
            max_samples=20_000,
            **words,
        ).points
        assert point.result.outcomes == (("decided", 20),)


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_equal_arms_without_noise_end_only_by_a_tolerance_or_a_limit(value: float) -> None:
    arms = [lambda: value, lambda: value]
    ended = bitarm.identify(arms, bounds=(0, 1), max_samples=2000, seed=1)
    assert (ended.best_arm, ended.guarantee) == (None, None)
    assert bitarm.identify(arms, bounds=(0, 1), epsilon=0.05, seed=1).guarantee == 0.05


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_recorded_rewards_of_any_size_are_held_against_sigma(size: float) -> None:
    """Their squares are no floats: they were an error, or contradicted no sigma at all."""
    arms = [[size, -size] * 200, [3 * size, 5 * size] * 200]
    assert bitarm.identify(arms, sigma=size, seed=1).guarantee == 0.05
    with pytest.warns(UserWarning, match="is too small for the data of arm-"):
        assert bitarm.identify(arms, sigma=size / 9, policy="se", seed=1).guarantee is None


@pytest.mark.parametrize("gap", [5e-324, 1e-170])
def test_a_lead_that_would_take_for_ever_has_no_estimate_of_its_cost(gap: float) -> None:
    ended = bitarm.identify(
        [[gap] * 50, [0.0] * 50], bounds=(0, 1), quantizer="exact", policy="se", seed=1
    )
    assert (ended.best_arm, ended.leader, ended.to_decide) == (None, 0, None)
