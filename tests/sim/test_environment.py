"""Environments: models in the form that kernels read, and cells drawn from them."""

import numpy as np
import numpy.typing as npt
import pytest

from bitarm.errors import ConfigError, RewardError
from bitarm.sim.environment import cell_moments, draw_cell, environment_of
from bitarm.sim.kernels.arrays import BERNOULLI, BETA, EXPONENTIAL, GAUSSIAN, POISSON, SAMPLED
from bitarm.sim.models import Bernoulli, Beta, Exponential, Gaussian, Poisson, RewardModel, Sampler

_GRID = np.array([1, 2, 5, 1000, 1000_000, 10**12])


def _rng(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def _ones(rng: np.random.Generator, count: int) -> npt.ArrayLike:
    return np.ones(count)


_ONES = Sampler(sample=_ones, mean=1.0, sigma=0.1)


def test_a_environment_has_an_entry_for_every_arm_in_their_order() -> None:
    models: tuple[RewardModel, ...] = (
        Beta(mean=0.25, concentration=8.0),
        Gaussian(mean=-1.0, sd=2.0),
        Bernoulli(mean=0.3),
        Poisson(mean=4.0),
        Exponential(mean=0.5),
        _ONES,
    )
    environment = environment_of(models)
    assert environment.models == models
    assert environment.means.tolist() == [0.25, -1.0, 0.3, 4.0, 0.5, 1.0]
    assert environment.p.tolist() == [2.0, -1.0, 0.3, 4.0, 0.5, 0.0]
    assert environment.q.tolist() == [6.0, 2.0, 0.0, 0.0, 0.0, 0.0]
    assert environment.family.tolist() == [model.family for model in models]
    assert len(set(environment.family.tolist())) == 6


@pytest.mark.parametrize(
    ("models", "gaussian", "sampled"),
    [
        ([Gaussian(mean=0.0, sd=1.0)] * 2, True, False),
        ([Gaussian(mean=0.0, sd=1.0), Bernoulli(mean=0.5)], False, False),
        ([Gaussian(mean=0.0, sd=1.0), _ONES], False, True),
    ],
)
def test_a_environment_knows_which_kernels_can_draw_it(
    models: list[RewardModel], *, gaussian: bool, sampled: bool
) -> None:
    environment = environment_of(models)
    assert (environment.gaussian, environment.sampled) == (gaussian, sampled)


@pytest.mark.parametrize("models", [[], [Bernoulli(mean=0.5)]])
def test_fewer_than_two_arms_are_refused(models: list[RewardModel]) -> None:
    with pytest.raises(ConfigError, match=f"at least 2 arms .* got {len(models)}"):
        environment_of(models)


def test_a_gaussian_sum_is_the_same_from_the_table_of_moments_and_from_the_family() -> None:
    """The kernel draws from the table, Python from the family: a tape may be filled by both."""
    environment = environment_of([Gaussian(mean=0.1, sd=0.7), Gaussian(mean=-3.3, sd=1e-3)])
    mean, sd = cell_moments(environment, _GRID)
    for cell, count in enumerate(np.diff(_GRID, prepend=0).tolist()):
        for arm in range(2):
            z = _rng(cell).standard_normal()
            assert mean[cell, arm] + sd[cell, arm] * z == draw_cell(
                environment, _rng(cell), arm, count
            )


def test_a_samplers_sum_is_that_of_all_its_rewards_and_asks_for_no_more() -> None:
    asked: list[int] = []

    def sample(rng: np.random.Generator, count: int) -> npt.ArrayLike:
        asked.append(count)
        return rng.random(count)

    environment = environment_of([Sampler(sample=sample, mean=0.5, sigma=0.5)] * 2)
    for count in (1, 7, 1 << 16, 150_000):
        asked.clear()
        total = draw_cell(environment, _rng(), 0, count)
        assert sum(asked) == count
        assert max(asked) <= 1 << 16  # memory stays bounded, however large the cell
        assert total == pytest.approx(_rng().random(count).sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("returned", "named"),
    [
        ([1.0], r"2 finite rewards, got \[1\.0\]"),
        ([1.0, 2.0, 3.0], "2 finite rewards"),
        ([[1.0, 2.0]], "2 finite rewards"),
        (3.0, "2 finite rewards"),
        (None, "2 finite rewards"),
        ([1.0, float("nan")], "2 finite rewards, got .*nan"),
        ([1.0, float("inf")], "2 finite rewards, got .*inf"),
    ],
)
def test_a_sampler_that_returns_something_else_is_refused(
    returned: npt.ArrayLike, named: str
) -> None:
    def sample(rng: np.random.Generator, count: int) -> npt.ArrayLike:
        return returned

    environment = environment_of([Sampler(sample=sample, mean=0.5, sigma=0.5)] * 2)
    with pytest.raises(RewardError, match=named):
        draw_cell(environment, _rng(), 1, 2)


def test_only_a_sampler_is_drawn_by_python() -> None:
    own = [GAUSSIAN, BERNOULLI, POISSON, EXPONENTIAL]
    assert SAMPLED not in [*own, BETA]
