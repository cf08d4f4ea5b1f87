"""Widths for pairs leave little to spare, so their guarantee is tested where it could break.

Exact binomial tests of P(wrong) ≤ δ; mutations that must fail: margins scaled down, weights and
errors left out; and δ = 1e-5 by importance sampling, where counting errors would take years.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bitarm.api.simulate import SweepPoint, setup_of, simulate
from bitarm.core.quantizers import Dicq
from bitarm.core.widths import pairwise
from bitarm.sim.engine import Engine, union_grid
from bitarm.sim.environment import environment_of
from bitarm.sim.models import Bernoulli, Gaussian, RewardModel
from bitarm.sim.tape import empty_tape

pytestmark = pytest.mark.slow

_LEVEL = 1e-4
_TRIALS = 10_000  # find a rate of 0.228 where 0.2 is claimed in 99.9 % of cases, 0.066 for 0.05
_WIDTHS = ("pairwise", "pairwise-mixture")
_TINY = (Gaussian(mean=0.02, sd=1.0), Gaussian(mean=0.0, sd=1.0))
_COINS = (Bernoulli(mean=0.5), Bernoulli(mean=0.49), Bernoulli(mean=0.49))
_SECONDS = tuple(Gaussian(mean=mean, sd=0.5) for mean in (0.0, 0.0, 0.1, 0.0, 0.0))
_MANY = tuple(Gaussian(mean=mean, sd=0.25) for mean in (*[0.0] * 19, 0.2))
_INSTANCES: dict[str, tuple[RewardModel, ...]] = {
    "tiny gap": _TINY,
    "coins": _COINS,
    "equal seconds": _SECONDS,
    "20 arms": _MANY,
}
_QUANTIZERS: dict[str, dict[str, Any]] = {
    "exact": {"quantizer": "exact"},
    "icq, 1 bit": {"quantizer": "icq", "bits": 1},
    "icq, 3 bits": {"quantizer": "icq", "bits": 3},
    "quban": {"quantizer": "quban"},
    "dicq": {"quantizer": "dicq"},
    "coarse dicq": {"quantizer": "dicq", "kappa": 8.0, "kappa_first": 8.0},
}
_FINE: dict[str, Any] = {"growth": 1.1, "first": 2}  # many looks


def _run(models: tuple[RewardModel, ...], trials: int = _TRIALS, **words: Any) -> SweepPoint:
    if all(model.bounds for model in models):
        words["bounds"] = (0.0, 1.0)
    words.setdefault("max_samples", 10**9)
    words.setdefault("policy", "se")
    return simulate(models, trials=trials, seed=1, workers=1, **words).points[0]


def _rejects(point: SweepPoint) -> bool:
    """Whether wrong answers, and runs that never answer, rule out P(wrong) ≤ δ.

    A run that lost its best arm to one of two equal arms goes on for ever: it counts as wrong.
    """
    trials, delta, wrong = point.result.trials, point.setup.spec.delta, point.result.errors
    return bool(stats.binomtest(wrong, trials, delta, alternative="greater").pvalue < _LEVEL)


@pytest.mark.parametrize("width", _WIDTHS)
@pytest.mark.parametrize("quantizer", _QUANTIZERS)
@pytest.mark.parametrize("name", _INSTANCES)
def test_pairs_are_mistaken_no_more_often_than_claimed(
    name: str, quantizer: str, width: str
) -> None:
    for delta in (0.2, 0.05):
        point = _run(_INSTANCES[name], width=width, delta=delta, **_QUANTIZERS[quantizer])
        assert point.guarantee.delta == delta
        assert not _rejects(point), (delta, point.result.errors, point.result.outcomes)


@pytest.mark.parametrize("policy", ["lucb", "lil-ucb"])
@pytest.mark.parametrize("quantizer", ["exact", "dicq"])
def test_pairs_under_policies_that_move_arms_apart(policy: str, quantizer: str) -> None:
    """Through the machines, hence few trials."""
    arms = (Gaussian(mean=0.3, sd=1.0), Gaussian(mean=0.0, sd=1.0), Gaussian(mean=0.2, sd=1.0))
    words: dict[str, Any] = {
        "policy": policy,
        "quantizer": quantizer,
        "width": "pairwise",
        "delta": 0.2,
    }
    assert not _rejects(_run(arms, trials=300, max_samples=10**6, **words))


@pytest.mark.parametrize("width", _WIDTHS)
@pytest.mark.parametrize("quantizer", ["exact", "dicq"])
def test_a_sigma_that_is_too_small_is_noticed(quantizer: str, width: str) -> None:
    point = _run(_TINY, width=width, delta=0.2, quantizer=quantizer, sigma=0.25)
    assert point.guarantee.delta is None
    assert _rejects(point)


@contextmanager
def _replaced(owner: object, name: str, value: object) -> Iterator[None]:
    kept = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, kept)


def test_margins_scaled_down_are_noticed() -> None:
    margin, mixture = pairwise._margin, pairwise.mixture_margin
    with _replaced(pairwise, "_margin", lambda *words: 0.5 * margin(*words)):
        assert _rejects(_run(_TINY, width="pairwise", delta=0.2, quantizer="exact", **_FINE))
    with _replaced(pairwise, "mixture_margin", lambda *words: 0.6 * mixture(*words)):
        words: dict[str, Any] = {"width": "pairwise-mixture", "delta": 0.2, "quantizer": "exact"}
        assert _rejects(_run(_TINY, **words, **_FINE))


def test_weights_left_out_are_noticed() -> None:
    margin = pairwise._margin

    def unweighted(few: int, many: int, own: int, other: int, *rest: Any) -> float:
        arms, delta, sigma = rest
        return margin(few, many, 1, 0, arms, 2 * delta, sigma)  # w = 1

    with _replaced(pairwise, "_margin", unweighted):
        assert _rejects(_run(_TINY, width="pairwise", delta=0.2, quantizer="exact", **_FINE))


def test_errors_left_out_are_noticed() -> None:
    coarse = {"kappa": 4.0, "kappa_first": 4.0}
    words: dict[str, Any] = {"width": "pairwise-mixture", "quantizer": "dicq", **coarse}
    assert not _rejects(_run(_TINY, delta=0.1, **words))
    with _replaced(Dicq, "error", lambda self, held, step: 0.0):
        assert _rejects(_run(_TINY, delta=0.1, **words))


def _weighted_errors(*, sigma: float, **words: Any) -> tuple[float, float]:
    """P(wrong) of two Gaussian arms, with its standard error, by sampling where errors happen.

    Trials are drawn with the means swapped, where the wrong answer is the right one, and weighed
    by the likelihood ratio of what the arms had shown when the run ended.
    """
    trials, gap = 20_000, 0.5
    swapped = environment_of((Gaussian(mean=0.0, sd=1.0), Gaussian(mean=gap, sd=1.0)))
    setup = setup_of(swapped.models, {"sigma": sigma, "policy": "se", **words})
    grid = union_grid([setup])
    rng = np.random.default_rng(11)
    tape = empty_tape(grid, trials=trials, messages=grid.size, units=np.full((trials, 2), 0.5))
    ((outcome, _),) = Engine([setup], swapped).run_tape(tape, rng)
    cells = outcome.rounds - 1  # both arms are heard in every round until the last
    drawn = np.arange(grid.size)[None, :, None] < tape.filled[:, None, :]
    sums = np.cumsum(np.where(drawn, tape.cells, 0.0), axis=1)[np.arange(trials), cells]
    pulls = grid[cells]
    # ln of the density of N(gap, 1) × N(0, 1) over that of N(0, 1) × N(gap, 1)
    ratio = np.exp(gap * (sums[:, 0] - sums[:, 1]))
    assert np.all(outcome.samples == 2 * pulls)
    weights = np.where(outcome.best_arm == 1, ratio, 0.0)
    return float(weights.mean()), float(weights.std() / np.sqrt(trials))


@pytest.mark.parametrize("width", _WIDTHS)
@pytest.mark.parametrize("quantizer", ["exact", "dicq", "icq"])
def test_one_error_in_a_hundred_thousand(quantizer: str, width: str) -> None:
    words: dict[str, Any] = {"width": width, "quantizer": quantizer, "delta": 1e-5}
    rate, error = _weighted_errors(sigma=1.0, **words)
    assert 0 < rate + 4 * error < 1e-5
    rate, error = _weighted_errors(sigma=0.3, **words)  # the control
    assert rate - 4 * error > 1e-5
