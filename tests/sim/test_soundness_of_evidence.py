"""Evidence for pairs under the policies that decide by it: wrong answers are as rare as claimed.

Exact binomial tests on arms that are all but equal, with each policy's own rule of who is pulled
next; controls that must fail; and δ = 1e-5 by importance sampling. `tests/core/evidence` has the
same for rules that no policy has.
"""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from bitarm.api.simulate import setup_of
from bitarm.sim.engine import Engine, union_grid
from bitarm.sim.environment import environment_of
from bitarm.sim.models import Bernoulli, Gaussian, RewardModel
from bitarm.sim.tape import empty_tape
from bitarm.sim.trials import Trials
from bitarm.sim.twins import has_twin

pytestmark = pytest.mark.slow

_LEVEL = 1e-4
_TRIALS = 20_000
_POLICIES = ("lucb", "lil-ucb", "top-two")
_UNSEEN = 1e-9  # a gap that no run can see: who names the worse arm is wrong all the same
_INSTANCES: dict[str, tuple[RewardModel, ...]] = {
    "two arms": (Gaussian(mean=_UNSEEN, sd=1.0), Gaussian(mean=0.0, sd=1.0)),
    "coins": (Bernoulli(mean=0.5 + _UNSEEN), Bernoulli(mean=0.5)),
    "five arms": tuple(Gaussian(mean=mean, sd=1.0) for mean in (0.0, 0.0, _UNSEEN, 0.0, 0.0)),
}


def _trials(models: tuple[RewardModel, ...], **words: Any) -> Trials:
    words = {"sigma": models[0].sigma, "width": "sub-gaussian", "quantizer": "exact", **words}
    setup = setup_of(models, {"growth": 1.2, "max_samples": 20_000, **words})
    assert has_twin(setup)
    (trials,) = Engine([setup], environment_of(models)).run(np.random.default_rng(7), _TRIALS)
    return trials


def _rejects(models: tuple[RewardModel, ...], **words: Any) -> bool:
    """Whether the answers rule out P(wrong) ≤ δ; a run without an answer is not wrong."""
    best = int(np.argmax([model.mean for model in models]))
    answers = _trials(models, **words).best_arm
    wrong = int(np.count_nonzero((answers >= 0) & (answers != best)))
    return bool(
        stats.binomtest(wrong, _TRIALS, words["delta"], alternative="greater").pvalue < _LEVEL
    )


@pytest.mark.parametrize("policy", _POLICIES)
@pytest.mark.parametrize("name", _INSTANCES)
def test_answers_are_wrong_no_more_often_than_claimed(name: str, policy: str) -> None:
    for delta in (0.5, 0.2, 0.05):
        assert not _rejects(_INSTANCES[name], policy=policy, delta=delta), delta


@pytest.mark.parametrize("policy", _POLICIES)
def test_and_with_quantized_means(policy: str) -> None:
    words: dict[str, Any] = {"policy": policy, "quantizer": "dicq", "delta": 0.2}
    assert not _rejects(_INSTANCES["two arms"], **words)


@pytest.mark.parametrize("policy", _POLICIES)
def test_a_sigma_that_is_too_small_is_noticed(policy: str) -> None:
    """Margins of a third."""
    assert _rejects(_INSTANCES["two arms"], policy=policy, delta=0.2, sigma=1 / 3)


def _weighted_errors(policy: str, *, sigma: float) -> tuple[float, float]:
    """P(wrong) at δ = 1e-5 for two Gaussian arms, with its standard error.

    Trials are drawn with the means swapped, where the wrong answer is the right one, and weighed
    by the likelihood ratio of what the arms had shown when the run ended.
    """
    gap = 0.5
    swapped = environment_of((Gaussian(mean=0.0, sd=1.0), Gaussian(mean=gap, sd=1.0)))
    words = {"sigma": sigma, "policy": policy, "quantizer": "exact", "delta": 1e-5, "growth": 1.2}
    setup = setup_of(swapped.models, {**words, "width": "sub-gaussian"})
    grid = union_grid([setup])
    tape = empty_tape(grid, trials=_TRIALS, messages=grid.size, units=np.full((_TRIALS, 2), 0.5))
    ((outcome, _),) = Engine([setup], swapped).run_tape(tape, np.random.default_rng(11))
    drawn = np.arange(grid.size)[None, :, None] < tape.filled[:, None, :]
    sums = np.where(drawn, tape.cells, 0.0).sum(axis=1)
    pulls = grid[tape.filled - 1]
    assert np.all(outcome.samples == pulls.sum(axis=1))
    # ln of the density of N(gap, 1) × N(0, 1) over that of N(0, 1) × N(gap, 1)
    ratio = gap * (sums[:, 0] - sums[:, 1]) - gap**2 / 2 * (pulls[:, 0] - pulls[:, 1])
    weights = np.where(outcome.best_arm == 1, np.exp(ratio), 0.0)
    return float(weights.mean()), float(weights.std() / np.sqrt(_TRIALS))


@pytest.mark.parametrize("policy", _POLICIES)
def test_one_error_in_a_hundred_thousand(policy: str) -> None:
    rate, error = _weighted_errors(policy, sigma=1.0)
    assert 0 < rate + 4 * error < 1e-5
    rate, error = _weighted_errors(policy, sigma=0.3)  # the control
    assert rate - 4 * error > 1e-5
