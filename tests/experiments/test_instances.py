import numpy as np
import numpy.typing as npt
import pytest

from bitarm.experiments.instances import drawn, fitted

_NAMES = ["bounded", "gaussian", "sweeps"]


@pytest.mark.parametrize("name", _NAMES)
def test_a_fitted_instance_has_five_arms_and_one_best(name: str) -> None:
    means = [model.mean for model in fitted(name).models(0.0)]
    assert len(means) == 5
    assert sorted(means)[-1] > sorted(means)[-2]


@pytest.mark.parametrize("name", _NAMES)
def test_a_drawn_instance_is_a_function_of_its_seed(name: str) -> None:
    assert drawn(name, 3) == drawn(name, 3)
    assert drawn(name, 3).means != drawn(name, 4).means
    assert drawn(name, 3).means != fitted(name).means


def _means(name: str, seeds: range) -> npt.NDArray[np.float64]:
    return np.array([drawn(name, seed).means for seed in seeds], dtype=float)


def test_beta_means_are_uniform_on_the_unit_interval() -> None:
    means = _means("bounded", range(400)).ravel()
    assert 0 < means.min() < 0.01 < 0.99 < means.max() < 1
    assert abs(means.mean() - 0.5) < 5 * np.sqrt(1 / 12 / means.size)


def test_gaussian_means_lie_between_0_and_a_normal_that_may_be_negative() -> None:
    means = _means("gaussian", range(400))
    positive, negative = (means > 0).all(axis=1), (means < 0).all(axis=1)
    assert (positive | negative).all()  # all on one side of 0
    assert 150 < positive.sum() < 250
    # E[mean²] = E[N²]/3 = 3, within five standard errors
    squares = np.square(means).mean(axis=1)
    assert abs(squares.mean() - 3) < 5 * squares.std() / 20
