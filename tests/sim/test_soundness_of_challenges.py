"""Elimination by challenge, whole runs: wrong answers are as rare as claimed.

Exact binomial tests on arms that are all but equal, where the leader has more pulls than those that
it challenges, as the default does it and with steps and leaps so small that little is to spare;
controls that must fail; and δ = 1e-5 by importance sampling, with σ and without.
`tests/core/evidence` has the same for evidence alone, every pull looked at.
"""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bitarm.api.simulate import setup_of
from bitarm.core.setup import Setup
from bitarm.sim.engine import Engine, union_grid
from bitarm.sim.environment import environment_of
from bitarm.sim.kernels import challenge
from bitarm.sim.models import Bernoulli, Beta, Gaussian, RewardModel
from bitarm.sim.tape import empty_tape
from bitarm.sim.twins import has_twin

pytestmark = pytest.mark.slow

_LEVEL = 1e-4
_TRIALS = 20_000
_WEIGHTED = 3_000  # trials that are weighed by their likelihood
_UNSEEN = 1e-9  # a gap that no run can see: who names the worse arm is wrong all the same
_SCHEME: dict[str, Any] = {"quantizer": "dyadic", "policy": "challenge"}
_SMALL: dict[str, Any] = {
    **dict.fromkeys(("kappa", "kappa_first", "kappa_cut", "kappa_place", "kappa_pilot"), 0.05),
    **{"cap": 1.2, "patience": 0.1, "behind": 1.0, "aim": 0.0},
}
"""Fine steps and small leaps: nothing is lost to rounding, and there are many challenges."""

_IN_UNIT: dict[str, Any] = {"bounds": (0.0, 1.0), "max_samples": 300}
_BOUNDED: dict[str, tuple[RewardModel, ...]] = {
    "fair coins": (Bernoulli(mean=0.5 + _UNSEEN), Bernoulli(mean=0.5)),
    "coins that hardly ever fail": (Bernoulli(mean=0.99), Bernoulli(mean=0.99 - _UNSEEN)),
    "next to no noise": tuple(
        Beta(mean=mean, concentration=1e4) for mean in (0.5, 0.5 + _UNSEEN, 0.5)
    ),
    "nearly two points, five arms": tuple(
        Beta(mean=mean, concentration=0.1) for mean in (0.3, 0.3, 0.3 + _UNSEEN, 0.3, 0.3)
    ),
}
_SIGMA: dict[str, tuple[RewardModel, ...]] = {
    "Gaussian": (Gaussian(mean=_UNSEEN, sd=1.0), Gaussian(mean=0.0, sd=1.0)),
    "Rademacher": (Bernoulli(mean=0.5), Bernoulli(mean=0.5 + _UNSEEN)),
    "five Gaussian": tuple(Gaussian(mean=mean, sd=1.0) for mean in (0.0, 0.0, _UNSEEN, 0.0, 0.0)),
}


def _setup(models: tuple[RewardModel, ...], **words: Any) -> Setup:
    setup = setup_of(models, {**_SCHEME, **words})
    assert has_twin(setup)
    return setup


def _wrong(
    models: tuple[RewardModel, ...], delta: float, *, beyond: float = 0.0, **words: Any
) -> int:
    """Runs that name an arm which is worse than the best, by more than `beyond`.

    One without an answer is not wrong.
    """
    means = np.array([model.mean for model in models])
    setup = _setup(models, delta=delta, **words)
    (trials,) = Engine([setup], environment_of(models)).run(np.random.default_rng(7), _TRIALS)
    too_low = means < means.max() - beyond
    return int(np.count_nonzero((trials.best_arm >= 0) & too_low[trials.best_arm]))


def _errs_too_often(models: tuple[RewardModel, ...], delta: float, **words: Any) -> bool:
    """Whether the answers rule out P(wrong) ≤ δ."""
    return _rules_out(_wrong(models, delta, **words), delta)


def _rules_out(wrong: int, delta: float) -> bool:
    return bool(stats.binomtest(wrong, _TRIALS, delta, alternative="greater").pvalue < _LEVEL)


@pytest.mark.parametrize("name", _BOUNDED)
def test_without_sigma(name: str) -> None:
    for delta in (0.5, 0.2, 0.05):
        assert not _errs_too_often(_BOUNDED[name], delta, **_IN_UNIT), delta


@pytest.mark.parametrize("name", _SIGMA)
def test_with_sigma(name: str) -> None:
    models = _SIGMA[name]
    for delta in (0.5, 0.2, 0.05):
        words: dict[str, Any] = {"sigma": models[0].sigma, "max_samples": 500}
        assert not _errs_too_often(models, delta, **words), delta


@pytest.mark.parametrize(
    ("models", "words"),
    [
        (_BOUNDED["fair coins"], _IN_UNIT),
        (_BOUNDED["coins that hardly ever fail"], {**_IN_UNIT, "max_samples": 1000}),
        (_SIGMA["Gaussian"], {"sigma": 1.0, "max_samples": 300}),
        (_SIGMA["Rademacher"], {"sigma": 0.5, "max_samples": 300}),
    ],
    ids=["fair coins", "coins that hardly ever fail", "Gaussian", "Rademacher"],
)
def test_where_little_is_to_spare(models: tuple[RewardModel, ...], words: dict[str, Any]) -> None:
    """Up to a quarter of δ: what evidence itself errs by, with every pull looked at."""
    for delta in (0.5, 0.2, 0.05):
        wrong = _wrong(models, delta, **words, **_SMALL)
        assert not _rules_out(wrong, delta), (delta, wrong)
        assert wrong > 0, delta


@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_with_a_tolerance(epsilon: float) -> None:
    """The worse arm is worse by just more than ε: to name it is wrong."""
    models = (Bernoulli(mean=0.6), Bernoulli(mean=0.6 - epsilon - _UNSEEN))
    assert not _errs_too_often(models, 0.2, epsilon=epsilon, **_IN_UNIT)
    sigma: dict[str, Any] = {"sigma": 0.5, "max_samples": 500}
    assert not _errs_too_often(models, 0.2, epsilon=epsilon, **sigma)


@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_with_a_tolerance_where_little_is_to_spare(epsilon: float) -> None:
    """An arm between, which may beat the best one and be named, or fall for the worst."""
    means = 0.6, 0.6 - epsilon / 2, 0.6 - epsilon - _UNSEEN
    models = tuple(Bernoulli(mean=mean) for mean in means)
    for words in (_IN_UNIT, {"sigma": 0.5, "max_samples": 500}):
        wrong = _wrong(models, 0.2, beyond=epsilon, epsilon=epsilon, **words, **_SMALL)
        assert not _rules_out(wrong, 0.2), wrong
        assert wrong > 0, words


# -- controls -------------------------------------------------------------------------------------


def test_a_tolerance_that_is_larger_than_it_is_told_to_be_is_noticed() -> None:
    models = (Bernoulli(mean=0.6), Bernoulli(mean=0.6 - 0.05 - _UNSEEN))
    assert _rules_out(_wrong(models, 0.2, epsilon=0.2, **_IN_UNIT, **_SMALL), 0.2)


def test_a_sigma_that_is_too_small_is_noticed() -> None:
    assert _errs_too_often(_SIGMA["Gaussian"], 0.05, sigma=1 / 4, max_samples=500)


@pytest.mark.parametrize(("name", "total"), [("fair coins", 16), ("Gaussian", 8)])
def test_evidence_that_is_weighed_too_lightly_is_noticed(
    name: str, total: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the weights of the law added up to more than 1: agents give up for too little."""
    run = challenge.compiled()

    def with_less(*given: Any) -> None:
        *before, arrays, race, output = given
        rules = arrays.rules.copy()
        rules["level"] -= math.log(total)
        run(*before, arrays._replace(rules=rules), race, output)

    monkeypatch.setattr(challenge, "compiled", lambda: with_less)
    words = _IN_UNIT if name in _BOUNDED else {"sigma": 1.0, "max_samples": 300}
    models = _BOUNDED[name] if name in _BOUNDED else _SIGMA[name]
    assert _errs_too_often(models, 0.05, **words, **_SMALL)


# -- one error in a hundred thousand --------------------------------------------------------------


def _weighted_errors(*, sigma: float) -> tuple[float, float]:
    """P(wrong) at δ = 1e-5 for two Gaussian arms, with its standard error.

    Trials are drawn with the means swapped, where the wrong answer is the right one, and weighed
    by the likelihood ratio of what the arms had shown when the run ended.
    """
    gap = 0.5
    swapped = environment_of((Gaussian(mean=0.0, sd=1.0), Gaussian(mean=gap, sd=1.0)))
    setup = _setup(swapped.models, sigma=sigma, delta=1e-5)
    grid = union_grid([setup])
    tape = empty_tape(
        grid, trials=_WEIGHTED, messages=grid.size, units=np.full((_WEIGHTED, 2), 0.5)
    )
    ((outcome, _),) = Engine([setup], swapped).run_tape(tape, np.random.default_rng(11))
    drawn = np.arange(grid.size)[None, :, None] < tape.filled[:, None, :]
    sums = np.where(drawn, tape.cells, 0.0).sum(axis=1)
    pulls = grid[tape.filled - 1]
    assert np.all(outcome.samples == pulls.sum(axis=1))
    # ln of the density of N(gap, 1) × N(0, 1) over that of N(0, 1) × N(gap, 1)
    ratio = gap * (sums[:, 0] - sums[:, 1]) - gap**2 / 2 * (pulls[:, 0] - pulls[:, 1])
    weights = np.where(outcome.best_arm == 1, np.exp(ratio), 0.0)
    return float(weights.mean()), float(weights.std() / np.sqrt(_WEIGHTED))


def _weighted_errors_of_coins(
    run: Any, monkeypatch: pytest.MonkeyPatch, lighter: float
) -> tuple[float, float]:
    """P(the second one is named) at δ = 1e-5 for two fair coins, with its standard error.

    Trials are drawn with coins that differ. With `lighter`, evidence is taken to be that many nats
    more than it is. Rewards that agents bet on are on no tape, so the kernel runs one trial at a
    time, and its race is read after each.
    """
    p = 0.65
    ratios: list[float] = []

    def one_by_one(rng: np.random.Generator, todo: Any, *given: Any) -> None:
        *before, arrays, race, output = given
        rules = arrays.rules.copy()
        rules["level"] -= lighter
        for n in range(todo.size):
            run(rng, todo[n : n + 1], *before, arrays._replace(rules=rules), race, output)
            pulls, ones = arrays.pulls[race.arms["at"]], race.arms["total"]
            likely = ones[1] + (pulls[0] - ones[0])  # rewards that were drawn with chance p
            rest = pulls.sum() - likely
            ratios.append(-likely * math.log(2 * p) - rest * math.log(2 * (1 - p)))

    monkeypatch.setattr(challenge, "compiled", lambda: one_by_one)
    tilted = environment_of((Bernoulli(mean=1 - p), Bernoulli(mean=p)))
    setup = _setup(tilted.models, bounds=(0.0, 1.0), delta=1e-5, **_SMALL)
    (trials,) = Engine([setup], tilted).run(np.random.default_rng(11), _WEIGHTED)
    weights = np.where(trials.best_arm == 1, np.exp(np.array(ratios)), 0.0)
    return float(weights.mean()), float(weights.std() / np.sqrt(_WEIGHTED))


def test_one_error_in_a_hundred_thousand_without_sigma(monkeypatch: pytest.MonkeyPatch) -> None:
    run = challenge.compiled()
    rate, error = _weighted_errors_of_coins(run, monkeypatch, 0.0)
    assert 0 < rate + 4 * error < 1e-5
    rate, error = _weighted_errors_of_coins(run, monkeypatch, math.log(64))  # the control
    assert rate - 4 * error > 1e-5


def test_one_error_in_a_hundred_thousand() -> None:
    rate, error = _weighted_errors(sigma=1.0)
    assert 0 < rate + 4 * error < 1e-5
    rate, error = _weighted_errors(sigma=0.3)  # the control
    assert rate - 4 * error > 1e-5
