"""`simulate`: which σ is taken, what is claimed for it, and rewards of a sampler of one's own."""

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from bitarm.api.simulate import simulate
from bitarm.errors import ConfigError, RewardError
from bitarm.sim.models import Bernoulli, Beta, Exponential, Gaussian, Poisson, RewardModel, Sampler

_COINS = (Bernoulli(mean=0.7), Bernoulli(mean=0.4))
_FINE = tuple(Gaussian(mean=mean, sd=0.50004) for mean in (0.0, 1.0))  # rounds down to 0.5


# σ.


@pytest.mark.parametrize(
    ("models", "sigma"),
    [
        ((Bernoulli(mean=0.9), Bernoulli(mean=0.5)), 0.5),
        ((Bernoulli(mean=0.9), Bernoulli(mean=0.8)), Bernoulli(mean=0.8).sigma),
        ((Gaussian(mean=0.0, sd=1.0), Gaussian(mean=5.0, sd=2.5)), 2.5),
        ((Beta(mean=0.7), Beta(mean=0.2, concentration=9.0)), Beta(mean=0.7).sigma),
        ((Bernoulli(mean=1.0), Bernoulli(mean=0.1)), Bernoulli(mean=0.1).sigma),
    ],
)
def test_sigma_is_the_smallest_that_is_valid_for_all_arms(
    models: tuple[RewardModel, ...], sigma: float
) -> None:
    (point,) = simulate(models, trials=10, seed=1).to_json()["results"]
    assert point["sigma"] == sigma
    assert point["guarantee"] == 0.05


@pytest.mark.parametrize(
    "models",
    [
        (Poisson(mean=1.0), Poisson(mean=2.0)),
        (Exponential(mean=1.0), Exponential(mean=2.0)),
        (Bernoulli(mean=0.0), Bernoulli(mean=1.0)),
    ],
    ids=["poisson", "exponential", "coins without chance"],
)
def test_sigma_must_be_given_where_the_models_have_none(models: tuple[RewardModel, ...]) -> None:
    with pytest.raises(ConfigError, match="sigma is needed"):
        simulate(models)
    assert simulate(models, trials=10, seed=1, sigma=1.0).points[0].setup.spec.sigma == 1.0


@pytest.mark.parametrize(
    ("models", "sigma", "reason"),
    [
        (_COINS, 0.25, "sigma = 0.25 is too small for these rewards: 0.4967 is valid"),
        (_FINE, 0.25, "sigma = 0.25 is too small for these rewards: 0.5001 is valid"),
        ((Poisson(mean=1.0), Poisson(mean=4.0)), 2.0, "not sub-Gaussian: no sigma is valid"),
    ],
)
def test_a_sigma_that_is_not_valid_runs_without_a_guarantee(
    models: tuple[RewardModel, ...], sigma: float, reason: str
) -> None:
    (point,) = simulate(models, trials=10, seed=1, sigma=sigma).to_json()["results"]
    assert point["guarantee"] is None
    assert reason in point["guarantee_reason"]


def test_a_policy_without_a_proof_has_no_guarantee() -> None:
    results = simulate(_COINS, trials=10, seed=1, policy=["se", "lil-ucb-count"]).to_json()[
        "results"
    ]
    assert [point["guarantee"] for point in results] == [0.05, None]
    assert results[1]["guarantee_reason"]


# Rewards of one's own.


def _own(rng: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
    return (rng.random(count) < 0.9).astype(np.float64)


def test_a_sampler_is_simulated_and_not_cached(tmp_path: Path) -> None:
    models = (Sampler(sample=_own, mean=0.9, sigma=0.5), Bernoulli(mean=0.1))
    (point,) = simulate(models, trials=50, seed=1, cache=tmp_path).to_json()["results"]
    assert point["outcomes"] == {"decided": 50}
    assert list(tmp_path.iterdir()) == []


def test_a_sampler_that_returns_something_else_is_refused() -> None:
    models = (
        Sampler(sample=lambda rng, count: [math.nan] * count, mean=0.9, sigma=0.5),
        Bernoulli(mean=0.1),
    )
    with pytest.raises(RewardError, match="finite rewards"):
        simulate(models, trials=10, seed=1, workers=1)


def test_means_that_floats_do_not_tell_apart_are_claimed_nothing_of() -> None:
    near = [Gaussian(mean=2.0**50 + gap, sd=4.0) for gap in (0.0, 4.0)]
    point = simulate(near, trials=3, seed=1, quantizer="exact").points[0]
    assert point.guarantee.delta is None
    assert "too large beside a gap of 4" in point.guarantee.reason
    usual = [Gaussian(mean=1e6 + gap, sd=4.0) for gap in (0.0, 4.0)]
    point = simulate(usual, trials=3, seed=1, quantizer="exact").points[0]
    assert point.guarantee.delta == 0.05
    assert point.to_json()["assumptions"] == list(point.guarantee.assumptions) != []
