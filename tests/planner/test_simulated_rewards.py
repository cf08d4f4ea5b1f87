"""What is simulated: families that honour bounds and σ, and means that lie anywhere."""

import math
from typing import Any

import numpy as np
import pytest

from bitarm.errors import ConfigError
from bitarm.planner.guessed_gaps import GapPrior, GuessedGaps
from bitarm.planner.simulated_rewards import Rewards, rewards_of
from bitarm.sim.environment import Environment
from bitarm.sim.kernels.arrays import BERNOULLI, BETA, GAUSSIAN
from bitarm.sim.models import Beta

_GAP = GuessedGaps(gaps=(0.2,))


def _environments(rewards: Rewards, *, exact: bool = False, count: int = 40) -> list[Environment]:
    return rewards.environments(_GAP, 5, np.random.default_rng(1), count, exact=exact)


def test_without_bounds_rewards_are_normal_and_the_best_mean_lies_within_3_sigma() -> None:
    rewards = rewards_of(None, sigma=2.0, bounds=None, offset=None)
    environments = _environments(rewards)
    best = np.array([environment.means.max() for environment in environments])
    assert all(
        np.all(environment.family == GAUSSIAN) and np.all(environment.q == 2.0)
        for environment in environments
    )
    assert best.min() < -5.5
    assert best.max() > 5.5
    assert np.abs(best).max() <= 6.0


def test_means_have_the_guessed_gaps_and_the_best_arm_any_place() -> None:
    environments = _environments(rewards_of(None, sigma=1.0, bounds=None, offset=None))
    for environment in environments:
        assert np.sort(environment.means.max() - environment.means) == pytest.approx(
            [0, 0.2, 0.2, 0.2, 0.2]
        )
    assert {int(environment.means.argmax()) for environment in environments} == set(range(5))


@pytest.mark.parametrize(
    ("sigma", "family"), [(0.5, "bernoulli"), (0.7, "bernoulli"), (0.499, "beta"), (0.1, "beta")]
)
def test_with_bounds_the_family_honours_sigma(sigma: float, family: str) -> None:
    rewards = rewards_of(None, sigma=10 * sigma, bounds=(-5.0, 5.0), offset=None)
    assert rewards.family == family
    if family == "beta":
        model = Beta(mean=0.5, concentration=rewards.concentration)
        assert model.sigma == pytest.approx(sigma)


def test_bounded_means_lie_inside_the_unit_interval_and_fill_it() -> None:
    means = np.array(
        [
            environment.means
            for environment in _environments(
                rewards_of(None, sigma=0.5, bounds=(0, 1), offset=None)
            )
        ]
    )
    assert means.min() > 0
    assert means.max() < 1
    assert means.max(axis=1).min() < 0.25
    assert means.max(axis=1).max() > 0.95


def test_beta_sums_are_normal_with_the_same_moments_unless_they_must_be_exact() -> None:
    rewards = rewards_of("beta", sigma=0.25, bounds=(0, 1), offset=None)
    for rough, exact in zip(
        _environments(rewards), _environments(rewards, exact=True), strict=True
    ):
        assert np.all(rough.family == GAUSSIAN)
        assert np.all(exact.family == BETA)
        p, q = exact.p, exact.q
        assert rough.p == pytest.approx(p / (p + q))
        assert rough.q**2 == pytest.approx(p * q / ((p + q) ** 2 * (p + q + 1)))


def test_coins_are_coins() -> None:
    assert all(
        np.all(environment.family == BERNOULLI)
        for environment in _environments(
            rewards_of("bernoulli", sigma=0.5, bounds=(0, 1), offset=None)
        )
    )


def test_a_wide_sigma_leaves_beta_its_usual_concentration() -> None:
    assert rewards_of("beta", sigma=0.5, bounds=(0, 1), offset=None).concentration == 1.0


def test_without_sigma_rewards_are_coins_about_the_middle_of_the_bounds() -> None:
    environments = _environments(rewards_of(None, sigma=None, bounds=(-3.0, 5.0)))
    for environment in environments:
        assert np.all(environment.family == BERNOULLI)
        assert abs(environment.means.max() - 0.6) <= 0.1
        assert np.ptp(environment.means) == pytest.approx(0.2)
    assert np.std([environment.means.max() for environment in environments]) > 0.03


def test_a_guessed_mean_and_spread_are_those_of_the_rewards() -> None:
    rewards = rewards_of(None, sigma=None, bounds=(0.0, 10.0), mean=8.0, spread=2.0)
    assert rewards.family == "beta"
    for environment in _environments(rewards, exact=True):
        best = environment.means.argmax()
        assert abs(environment.means[best] - 0.8) <= 0.1
        p, q = environment.p[best], environment.q[best]
        deviation = math.sqrt(p * q / ((p + q) ** 2 * (p + q + 1)))
        assert deviation == pytest.approx(0.2, rel=0.3)  # where the mean is a little elsewhere


def test_a_spread_may_be_half_or_twice_as_much_if_the_bounds_allow_it() -> None:
    coins = rewards_of(None, sigma=None, bounds=(0.0, 1.0))
    half = coins.if_spread_were(0.5)
    assert half is not None
    assert (half.family, half.deviation) == ("beta", 0.25)
    assert coins.if_spread_were(2.0) is None
    narrow = rewards_of(None, sigma=None, bounds=(0.0, 1.0), spread=0.1)
    twice = narrow.if_spread_were(2.0)
    assert twice is not None
    assert twice.deviation == pytest.approx(0.2)
    assert rewards_of(None, sigma=0.2, bounds=(0.0, 1.0)).if_spread_were(0.5) is None


def test_a_prior_draws_other_gaps_for_every_environment() -> None:
    rewards = rewards_of(None, sigma=1.0, bounds=None, offset=0.0)
    prior = GapPrior(law="uniform", low=0.1, high=0.9)
    environments = rewards.environments(prior, 3, np.random.default_rng(1), 20, exact=False)
    assert len({float(np.sort(environment.means)[0]) for environment in environments}) == 20


@pytest.mark.parametrize(
    ("family", "sigma", "bounds", "offset", "said"),
    [
        ("poisson", 1.0, None, None, "rewards must be one of gaussian, bernoulli, beta"),
        ("beta", 1.0, None, None, "beta rewards have bounds: give them"),
        ("gaussian", 0.5, (0.0, 1.0), None, "gaussian rewards leave any bounds"),
        ("bernoulli", 0.2, (0.0, 1.0), None, "sigma = 0.2 is too small .* 0.5 is valid"),
        (None, 0.5, (0.0, 1.0), 2.0, "offset does not apply with bounds"),
        (None, 1.0, None, -1.0, "offset must be a finite number of 0 or more"),
        (None, 1.0, None, math.inf, "offset must be a finite number of 0 or more"),
    ],
)
def test_what_honours_no_sigma_is_refused(
    family: str | None,
    sigma: float,
    bounds: tuple[float, float] | None,
    offset: float | None,
    said: str,
) -> None:
    with pytest.raises(ConfigError, match=said):
        rewards_of(family, sigma=sigma, bounds=bounds, offset=offset)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"mean": 1.5}, "mean must lie between the bounds 0 and 1, got 1.5"),
        ({"spread": 0.5}, "spread must be above 0 and below 0.5, which is that of rewards at eith"),
        ({"spread": -0.1}, "spread must be above 0"),
        ({"mean": 0.9, "spread": 0.31}, "spread must be above 0 and below 0.3,"),
        ({"family": "bernoulli", "spread": 0.1}, "leave out spread, or take beta"),
        ({"sigma": 0.5, "mean": 0.5}, "mean is a guess for rewards of which only the bounds"),
        ({"sigma": 0.5, "spread": 0.1}, "only the bounds are known: leave out sigma"),
        ({"sigma": 1.0, "bounds": None, "mean": 0.1}, "give bounds in place of sigma"),
    ],
)
def test_a_guess_that_cannot_be_is_refused(words: dict[str, Any], said: str) -> None:
    given = {"family": None, "sigma": None, "bounds": (0.0, 1.0)} | words
    with pytest.raises(ConfigError, match=said):
        rewards_of(given.pop("family"), **given)
