"""Reward models: mean, bounds and σ are true of what is drawn, and a draw can be split."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from bitarm.errors import ConfigError, RewardError
from bitarm.sim.models import (
    MODELS,
    Bernoulli,
    Beta,
    Exponential,
    Gaussian,
    Poisson,
    RewardModel,
    Sampler,
)

_P_VALUE = 1e-4  # each seeded draw below is far from it
_DRAWS = 20_000

_MODELS: list[RewardModel] = [
    Gaussian(mean=0.0, sd=1.0),
    Gaussian(mean=-7.5, sd=3.0),
    Gaussian(mean=1e6, sd=1e-3),
    Bernoulli(mean=0.0),
    Bernoulli(mean=0.02),
    Bernoulli(mean=0.5),
    Bernoulli(mean=0.93),
    Bernoulli(mean=1.0),
    Beta(mean=0.5),
    Beta(mean=0.3),
    Beta(mean=0.93, concentration=19.0),
    Beta(mean=0.05, concentration=0.2),
    Beta(mean=0.5, concentration=400.0),
]
_RANDOM_COINS = [model for model in _MODELS if isinstance(model, Bernoulli) and 0 < model.mean < 1]
_BETAS = [model for model in _MODELS if isinstance(model, Beta)]


def _rng(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def _lambdas() -> npt.NDArray[np.float64]:
    """λ on both sides of 0, from where the moments agree to where the bounds rule."""
    positive = np.geomspace(0.05, 60, 200)
    return np.concatenate([-positive, positive])


def _excess_of_coin(p: float, sigma: float, lam: npt.NDArray[np.float64]) -> float:
    """The largest ln E exp(λ(X − p)) − λ²σ²/2 on the grid."""
    log_mgf = np.logaddexp(math.log1p(-p), math.log(p) + lam) - lam * p
    return float(np.max(log_mgf - lam**2 * sigma**2 / 2))


@pytest.mark.parametrize("model", _RANDOM_COINS, ids=repr)
def test_the_sigma_of_a_coin_is_valid_and_none_smaller_is(model: Bernoulli) -> None:
    p = model.mean
    worst = 2 * math.log((1 - p) / p) if p != 0.5 else 0.05  # where Kearns and Saul is tight
    lam = np.append(_lambdas(), worst)
    assert _excess_of_coin(p, model.sigma, lam) <= 1e-12
    assert _excess_of_coin(p, 0.99 * model.sigma, lam) > 1e-6


@given(p=st.floats(1e-9, 1 - 1e-9))
def test_the_sigma_of_any_coin_is_valid(p: float) -> None:
    assert _excess_of_coin(p, Bernoulli(mean=p).sigma, _lambdas()) <= 1e-11


@given(p=st.floats(1e-9, 1.0))
def test_the_sigma_of_a_coin_is_at_most_that_of_any_reward_in_its_bounds(p: float) -> None:
    assert 0 <= Bernoulli(mean=p).sigma <= 0.5
    assert math.isclose(Bernoulli(mean=p).sigma, Bernoulli(mean=1 - p).sigma, rel_tol=1e-6)


@pytest.mark.parametrize("model", _BETAS, ids=repr)
def test_the_sigma_of_a_beta_arm_is_valid(model: Beta) -> None:
    lam = _lambdas()
    log_mgf = np.log(special.hyp1f1(model.mean * model.concentration, model.concentration, lam))
    assert np.all(np.isfinite(log_mgf))
    assert np.max(log_mgf - lam * model.mean - lam**2 * model.sigma**2 / 2) <= 1e-12


def test_the_sigma_of_a_beta_arm_is_optimal_when_it_is_symmetric() -> None:
    model = Beta(mean=0.5, concentration=3.0)
    assert math.isclose(model.sigma**2, stats.beta(1.5, 1.5).var())


def test_the_papers_beta_arms_have_a_concentration_of_1() -> None:
    assert Beta(mean=0.3) == Beta(mean=0.3, concentration=1.0)
    assert math.isclose(Beta(mean=0.3).sigma, math.sqrt(1 / 8))


@pytest.mark.parametrize("sd", [1e-3, 1.0, 30.0])
def test_the_sigma_of_a_gaussian_is_its_standard_deviation(sd: float) -> None:
    assert Gaussian(mean=2.0, sd=sd).sigma == sd  # E exp(λ(X − μ)) = exp(λ²·sd²/2)


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_a_coin_that_never_varies_has_sigma_0(mean: float) -> None:
    assert Bernoulli(mean=mean).sigma == 0
    assert set(Bernoulli(mean=mean).draw(_rng(), 50)) == {mean}


@pytest.mark.parametrize("model", _MODELS, ids=repr)
@pytest.mark.parametrize(("m", "n"), [(0, 5), (1, 1), (3, 4), (100, 57), (1, 1000)])
def test_drawing_m_and_then_n_gives_the_same_as_m_plus_n(
    model: RewardModel, m: int, n: int
) -> None:
    at_once, in_parts = _rng(m), _rng(m)
    parts = np.concatenate([model.draw(in_parts, m), model.draw(in_parts, n)])
    assert parts.tolist() == model.draw(at_once, m + n).tolist()
    assert in_parts.random() == at_once.random()  # and both go on from the same place


@pytest.mark.parametrize("model", _MODELS, ids=repr)
def test_rewards_are_finite_and_within_the_bounds(model: RewardModel) -> None:
    rewards = model.draw(_rng(2), _DRAWS)
    assert rewards.dtype == np.float64
    assert np.all(np.isfinite(rewards))
    if model.bounds is not None:
        a, b = model.bounds
        assert a <= rewards.min() <= rewards.max() <= b


@pytest.mark.parametrize("model", _MODELS, ids=repr)
def test_the_mean_of_many_rewards_is_the_mean(model: RewardModel) -> None:
    """Hoeffding for σ-sub-Gaussian rewards: an exact bound on the chance of failing."""
    radius = model.sigma * math.sqrt(2 * math.log(2 / _P_VALUE) / _DRAWS)
    rounding = 1e-9 * max(1.0, abs(model.mean))
    assert abs(model.draw(_rng(3), _DRAWS).mean() - model.mean) <= radius + rounding


@pytest.mark.parametrize(
    ("model", "law"),
    [
        (Gaussian(mean=-7.5, sd=3.0), stats.norm(-7.5, 3.0)),
        (Beta(mean=0.3), stats.beta(0.3, 0.7)),
        (Beta(mean=0.93, concentration=19.0), stats.beta(0.93 * 19, 0.07 * 19)),
    ],
    ids=["gaussian", "beta of the paper", "beta of the gateways"],
)
def test_rewards_have_the_distribution_that_they_are_named_after(
    model: RewardModel, law: stats.distributions.rv_frozen
) -> None:
    assert stats.kstest(model.draw(_rng(4), _DRAWS), law.cdf).pvalue > _P_VALUE


@pytest.mark.parametrize("model", _RANDOM_COINS, ids=repr)
def test_a_coin_is_1_as_often_as_it_should(model: Bernoulli) -> None:
    rewards = model.draw(_rng(5), _DRAWS)
    assert set(rewards) == {0.0, 1.0}
    assert stats.binomtest(int(rewards.sum()), _DRAWS, model.mean).pvalue > _P_VALUE
    pairs = rewards.reshape(-1, 2).astype(int)  # and independent of the one before
    table = np.histogram2d(pairs[:, 0], pairs[:, 1], bins=2)[0]
    assert stats.chi2_contingency(table).pvalue > _P_VALUE


@pytest.mark.parametrize(
    ("model", "words", "message"),
    [
        (Gaussian, {"mean": math.nan, "sd": 1.0}, "mean must be a finite number, got nan"),
        (Gaussian, {"mean": math.inf, "sd": 1.0}, "mean must be a finite number, got inf"),
        (Gaussian, {"mean": 0.0, "sd": 0.0}, "sd must be a finite number above 0, got 0.0"),
        (Gaussian, {"mean": 0.0, "sd": -1.0}, "sd must be a finite number above 0, got -1.0"),
        (Gaussian, {"mean": 0.0, "sd": math.inf}, "sd must be a finite number above 0, got inf"),
        (Bernoulli, {"mean": -0.1}, r"Bernoulli arm must lie in \[0, 1\], got -0.1"),
        (Bernoulli, {"mean": 1.1}, r"Bernoulli arm must lie in \[0, 1\], got 1.1"),
        (Bernoulli, {"mean": math.nan}, r"Bernoulli arm must lie in \[0, 1\], got nan"),
        (Beta, {"mean": 0.0}, r"Beta arm must lie in \(0, 1\), got 0.0"),
        (Beta, {"mean": 1.0}, r"Beta arm must lie in \(0, 1\), got 1.0"),
        (Beta, {"mean": math.nan}, r"Beta arm must lie in \(0, 1\), got nan"),
        (Beta, {"mean": 0.5, "concentration": 0.0}, "concentration must be .* above 0, got 0.0"),
        (Beta, {"mean": 0.5, "concentration": math.inf}, "concentration must be .* got inf"),
        (Beta, {"mean": 0.5, "concentration": 5e-324}, "5e-324 is too small for a mean of 0.5"),
    ],
)
def test_a_model_that_cannot_be_is_refused(
    model: type[Gaussian | Bernoulli | Beta], words: dict[str, float], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        model(**words)


@pytest.mark.parametrize("name", ["gaussian", "bernoulli", "beta"])
def test_a_model_is_listed_by_its_name(name: str) -> None:
    assert MODELS[name].name == name


def test_every_listed_model_that_claims_a_sigma_is_tested_here() -> None:
    claiming = {name for name, model in MODELS.items() if math.isfinite(model(**_any(name)).sigma)}
    assert claiming == {model.name for model in _MODELS}


def _any(name: str) -> dict[str, float]:
    return {"mean": 0.5, "sd": 1.0} if name == "gaussian" else {"mean": 0.5}


# -- rewards that are not sub-Gaussian ------------------------------------------------------------

_HEAVY: list[Poisson | Exponential] = [
    Poisson(mean=0.05),
    Poisson(mean=7.0),
    Exponential(mean=0.05),
    Exponential(mean=7.0),
]


@pytest.mark.parametrize("model", _HEAVY, ids=repr)
def test_no_sigma_is_valid_for_a_heavy_tail(model: Poisson | Exponential) -> None:
    """E exp(λX) grows faster than exp(λ²σ²/2), or is infinite from λ = 1/mean on."""
    assert model.sigma == math.inf
    assert model.bounds is None


@pytest.mark.parametrize("model", _HEAVY, ids=repr)
@pytest.mark.parametrize(("m", "n"), [(0, 5), (1, 1), (100, 57)])
def test_a_heavy_tail_too_can_be_drawn_in_parts(
    model: Poisson | Exponential, m: int, n: int
) -> None:
    at_once, in_parts = _rng(m), _rng(m)
    parts = np.concatenate([model.draw(in_parts, m), model.draw(in_parts, n)])
    assert parts.tolist() == model.draw(at_once, m + n).tolist()
    assert parts.dtype == np.float64


@pytest.mark.parametrize("mean", [0.05, 7.0])
def test_poisson_rewards_are_poisson(mean: float) -> None:
    rewards = Poisson(mean=mean).draw(_rng(6), _DRAWS)
    top = int(stats.poisson(mean).isf(20 / _DRAWS))
    seen = [np.count_nonzero(rewards == value) for value in range(top)]
    chances = stats.poisson(mean).pmf(range(top))
    observed = np.array([*seen, _DRAWS - sum(seen)])
    expected = np.array([*chances, 1 - chances.sum()]) * _DRAWS
    assert stats.chisquare(observed, expected).pvalue > _P_VALUE


@pytest.mark.parametrize("mean", [0.05, 7.0])
def test_exponential_rewards_are_exponential(mean: float) -> None:
    rewards = Exponential(mean=mean).draw(_rng(7), _DRAWS)
    assert stats.kstest(rewards, stats.expon(scale=mean).cdf).pvalue > _P_VALUE


@pytest.mark.parametrize(("model", "word"), [(Poisson, "Poisson"), (Exponential, "exponential")])
@pytest.mark.parametrize("mean", [0.0, -1.0, math.inf, math.nan])
def test_a_heavy_tail_needs_a_mean_above_0(
    model: type[Poisson | Exponential], word: str, mean: float
) -> None:
    with pytest.raises(ConfigError, match=f"{word} arm must be a number above 0"):
        model(mean=mean)


# -- rewards of one's own -------------------------------------------------------------------------


def _sampler(returned: npt.ArrayLike, *, bounds: tuple[float, float] | None = None) -> Sampler:
    return Sampler(sample=lambda rng, count: returned, mean=0.5, sigma=0.5, bounds=bounds)


@pytest.mark.parametrize("returned", [[1, 0, 1], (True, False, True), np.array([1.0, 0.0, 1.0])])
def test_a_sampler_may_return_any_numbers(returned: npt.ArrayLike) -> None:
    rewards = _sampler(returned).draw(_rng(), 3)
    assert rewards.dtype == np.float64
    assert rewards.tolist() == [1.0, 0.0, 1.0]


def test_a_sampler_draws_from_the_generator_that_it_is_given() -> None:
    model = Sampler(sample=lambda rng, count: rng.random(count), mean=0.5, sigma=0.5)
    assert model.draw(_rng(8), 5).tolist() == _rng(8).random(5).tolist()
    assert (model.name, model.bounds) == ("sampler", None)
    assert model.name not in MODELS  # no file can spell a function


@pytest.mark.parametrize(
    "returned", [[1.0, 0.0], [[1.0, 0.0, 1.0]], 1.0, [1.0, math.nan, 1.0], [1.0, math.inf, 1.0]]
)
def test_a_sampler_that_returns_something_else_is_refused(returned: npt.ArrayLike) -> None:
    with pytest.raises(RewardError, match="a sampler must return 3 finite rewards"):
        _sampler(returned).draw(_rng(), 3)


@pytest.mark.parametrize("returned", [["a", "b", "c"], [[1.0], [1.0, 2.0], []]])
def test_a_sampler_that_returns_no_numbers_is_refused(returned: npt.ArrayLike) -> None:
    with pytest.raises(RewardError, match="a sampler must return 3 finite rewards"):
        _sampler(returned).draw(_rng(), 3)


def test_a_sampler_that_leaves_its_own_bounds_is_refused() -> None:
    """As `identify` refuses such rewards: fed-sel and icq would not contain them."""
    with pytest.raises(RewardError, match="bounds"):
        _sampler([0.5, 1.5, 0.5], bounds=(0.0, 1.0)).draw(_rng(), 3)


@pytest.mark.parametrize(("mean", "sigma"), [(math.nan, 0.5), (0.5, math.nan), (0.5, -1.0)])
def test_a_sampler_of_which_nothing_can_be_said_is_refused(mean: float, sigma: float) -> None:
    with pytest.raises(ConfigError):
        Sampler(sample=lambda rng, count: rng.random(count), mean=mean, sigma=sigma)
