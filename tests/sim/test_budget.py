"""How often a fixed budget is wrong: against exact values, against more budget, against fewer bits.

All trials are seeded; bounds are exact binomial ones.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bitarm.api.simulate import simulate
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.models import Beta, Gaussian, RewardModel
from bitarm.sim.trials import Trials
from bitarm.sim.twins import has_twin

pytestmark = pytest.mark.slow

_UNLIKELY = 1e-4  # two-sided: a test that fails by chance does so once in ten thousand
_BETA = [Beta(mean=mean) for mean in (0.3, 0.35, 0.4, 0.4, 0.45, 0.45, 0.45, 0.6)]
_MESSAGES = 14  # of eight arms under sequential halving


def _wrong(models: Sequence[RewardModel], trials: int, **words: Any) -> int:
    (point,) = simulate(models, trials=trials, seed=5, **words).points
    assert dict(point.result.outcomes) == {"budget_spent": trials}
    return point.result.errors


def _trials(models: Sequence[RewardModel], trials: int, *settings: dict[str, Any]) -> list[Trials]:
    """Every setting on the same tape."""
    setups = [simulate(models, trials=1, seed=0, **words).points[0].setup for words in settings]
    assert all(map(has_twin, setups))
    rng = np.random.Generator(np.random.SFC64(3))
    return Engine(setups, environment_of(models)).run(rng, trials)


@pytest.mark.parametrize("policy", ["sequential-halving", "successive-rejects"])
@pytest.mark.parametrize(("gap", "budget"), [(0.5, 20), (0.5, 60), (0.3, 401)])
def test_two_arms_err_as_often_as_a_normal_law_says(policy: str, gap: float, budget: int) -> None:
    """With two arms both are pulled T/2 times: the gap of means is N(Δ, 2σ²/⌊T/2⌋)."""
    trials = 100_000
    models: list[RewardModel] = [Gaussian(mean=0.0, sd=1.0), Gaussian(mean=gap, sd=1.0)]
    wrong = _wrong(models, trials, policy=policy, pull_budget=budget, quantizer="exact")
    expected = stats.norm.sf(gap / math.sqrt(2 / (budget // 2)))
    low, high = stats.binom.ppf([_UNLIKELY / 2, 1 - _UNLIKELY / 2], trials, expected)
    assert low <= wrong <= high


@pytest.mark.parametrize("policy", ["sequential-halving", "successive-rejects"])
@pytest.mark.parametrize("quantizer", ["exact", "dicq", "icq"])
def test_more_pulls_err_less_often(policy: str, quantizer: str) -> None:
    words = {"policy": policy, "quantizer": quantizer, "bounds": (0.0, 1.0)}
    budgets = [{**words, "pull_budget": pulls} for pulls in (100, 300, 900)]
    few, some, many = (trials.best_arm != 7 for trials in _trials(_BETA, 4000, *budgets))
    for worse, better in ((few, some), (some, many)):
        lost, gained = int(np.sum(worse & ~better)), int(np.sum(better & ~worse))
        assert stats.binomtest(lost, lost + gained, alternative="greater").pvalue < _UNLIKELY


def test_four_bits_a_message_cost_little_and_one_costs_much() -> None:
    """Where the unquantized error is about 5 %: at most 1.25 times that with 4 bits a message."""
    words = {"policy": "sequential-halving", "pull_budget": 340, "bounds": (0.0, 1.0)}
    exact, dicq, one_bit = (
        trials.best_arm != 7
        for trials in _trials(
            _BETA,
            20_000,
            {**words, "quantizer": "exact"},
            {**words, "quantizer": "dicq", "bit_budget": 4 * _MESSAGES},
            {**words, "quantizer": "dicq", "bit_budget": _MESSAGES},
        )
    )
    trials, base = exact.size, exact.mean()
    assert 0.03 < base < 0.07
    # more errors than this would be a surprise at 1.25 times the rate of the unquantized runs
    assert dicq.sum() <= stats.binom.ppf(1 - _UNLIKELY, trials, 1.25 * base)
    # and the test would see it: one bit a message is far beyond
    assert one_bit.sum() > stats.binom.ppf(1 - _UNLIKELY, trials, 3 * base)


def test_the_wrong_interval_is_seen_to_be_worse() -> None:
    """An interval that is sized for a tenth of the noise cannot follow the means."""
    words = {"policy": "sequential-halving", "pull_budget": 340, "bounds": (0.0, 1.0)}
    words |= {"quantizer": "dicq", "bit_budget": 2 * _MESSAGES}
    right, wrong = (
        trials.best_arm != 7 for trials in _trials(_BETA, 10_000, words, {**words, "sigma": 0.01})
    )
    lost, gained = int(np.sum(wrong & ~right)), int(np.sum(right & ~wrong))
    assert stats.binomtest(lost, lost + gained, alternative="greater").pvalue < _UNLIKELY


@pytest.mark.parametrize("policy", ["sequential-halving", "successive-rejects"])
@pytest.mark.parametrize("quantizer", ["icq", "dicq"])
@pytest.mark.parametrize("bits", [1, 3])
def test_no_trial_exceeds_its_budgets(policy: str, quantizer: str, bits: int) -> None:
    count = _MESSAGES if policy == "sequential-halving" else 35
    words = {"policy": policy, "pull_budget": 500, "bounds": (0.0, 1.0), "quantizer": quantizer}
    (trials,) = _trials(_BETA, 2000, {**words, "bit_budget": bits * count})
    assert trials.samples.max() <= 500
    assert trials.payload_bits.max() <= bits * count
    assert trials.best_arm.min() >= 0
