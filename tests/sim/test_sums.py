"""Sums of rewards: one draw of a sum has the law of that many rewards added up."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from bitarm.sim.kernels.sums import draw_sum
from bitarm.sim.models import Bernoulli, Beta, Exponential, Gaussian, Poisson, RewardModel

_P_VALUE = 1e-4  # each seeded draw below is far from it
_DRAWS = 3000
_COUNTS = (1, 2, 7, 100)
_CONTINUOUS: tuple[RewardModel, ...] = (
    Gaussian(mean=-7.5, sd=3.0),
    Exponential(mean=2.5),
    Beta(mean=0.3),
    Beta(mean=0.93, concentration=19.0),
    Beta(mean=0.05, concentration=0.2),
)
_DISCRETE: tuple[RewardModel, ...] = (
    Bernoulli(mean=0.02),
    Bernoulli(mean=0.5),
    Bernoulli(mean=0.93),
    Poisson(mean=0.05),
    Poisson(mean=3.0),
    Poisson(mean=40.0),
)


def _rng(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def _sums(model: RewardModel, count: int, seed: int = 1) -> npt.NDArray[np.float64]:
    rng = _rng(seed)
    p, q = model.parameters
    return np.array([draw_sum(rng, model.family, p, q, count) for _ in range(_DRAWS)])


def _added_up(model: RewardModel, count: int, seed: int = 2) -> npt.NDArray[np.float64]:
    rewards = model.draw(_rng(seed), 4 * _DRAWS * count).reshape(-1, count)
    sums: npt.NDArray[np.float64] = rewards.sum(axis=1)
    return sums


def _same_counts(one: npt.NDArray[np.float64], two: npt.NDArray[np.float64]) -> float:
    """Chi-square for equal laws, over ten classes of about equal size."""
    edges = np.unique(np.quantile(np.concatenate([one, two]), np.linspace(0, 1, 11)[1:-1]))
    table = np.array(
        [np.bincount(np.searchsorted(edges, drawn), minlength=11) for drawn in (one, two)]
    )
    return float(stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue)


@pytest.mark.parametrize("count", _COUNTS)
@pytest.mark.parametrize("model", _CONTINUOUS, ids=repr)
def test_a_drawn_sum_has_the_law_of_rewards_added_up(model: RewardModel, count: int) -> None:
    drawn, added_up = _sums(model, count), _added_up(model, count)
    assert stats.ks_2samp(drawn, added_up).pvalue > _P_VALUE
    scale = float(added_up.std())
    assert stats.ks_2samp(drawn + scale / 4, added_up).pvalue < _P_VALUE  # control: it would show


@pytest.mark.parametrize("count", _COUNTS)
@pytest.mark.parametrize("model", _DISCRETE, ids=repr)
def test_a_drawn_count_has_the_law_of_rewards_added_up(model: RewardModel, count: int) -> None:
    drawn, added_up = _sums(model, count), _added_up(model, count)
    assert np.array_equal(drawn, np.round(drawn))
    assert _same_counts(drawn, added_up) > _P_VALUE
    shift = max(1, round(float(added_up.std()) / 4))
    assert _same_counts(drawn + shift, added_up) < _P_VALUE  # control: it would show


@pytest.mark.parametrize("count", [7, 10**6, 10**12])
@pytest.mark.parametrize(
    ("model", "variance"),
    [
        (Gaussian(mean=-7.5, sd=3.0), 9.0),
        (Bernoulli(mean=0.3), 0.21),
        (Bernoulli(mean=1e-3), 0.000999),
        (Poisson(mean=3.0), 3.0),
        (Exponential(mean=2.5), 6.25),
    ],
    ids=repr,
)
def test_mean_and_variance_of_a_sum_are_right_up_to_the_largest_batch(
    model: RewardModel, variance: float, count: int
) -> None:
    """By the central limit theorem, except for 7 rewards, of which only the mean is asked."""
    standard = (_sums(model, count) - model.mean * count) / math.sqrt(variance * count)
    limit = stats.norm.isf(_P_VALUE / 2)
    assert abs(standard.mean()) * math.sqrt(_DRAWS) < limit
    if count >= 10**6:
        tails = stats.chi2(_DRAWS - 1)
        squares = float(np.square(standard - standard.mean()).sum())
        assert tails.ppf(_P_VALUE / 2) < squares < tails.isf(_P_VALUE / 2)


@pytest.mark.parametrize("mean", [0.0, 1.0])
@pytest.mark.parametrize("count", [1, 7, 10**12])
def test_a_coin_that_never_varies_adds_up_to_the_same_sum(mean: float, count: int) -> None:
    assert set(_sums(Bernoulli(mean=mean), count)) == {mean * count}


@pytest.mark.parametrize("model", [*_CONTINUOUS, *_DISCRETE], ids=repr)
def test_a_generator_in_the_same_state_draws_the_same_sums(model: RewardModel) -> None:
    assert _sums(model, 7).tolist() == _sums(model, 7).tolist()
    assert _sums(model, 7).tolist() != _sums(model, 7, seed=3).tolist()
