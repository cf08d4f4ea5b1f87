"""The tests of a pair lie on one chain, and nobody who chooses the next one has seen what comes.

Two arms with equal means, so whoever falls, falls wrongly. Evidence is looked at for their mean,
and at one rate alone: the law on all rates, and all means, keep so much back that no count of
errors would show what is at stake here. What is chosen with foresight is where recorded rewards
end: that is known before the first of them is read.
"""

import math
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from bitarm.core.evidence.account import Account, Scale

Floats = npt.NDArray[np.float64]

RUNS, PULLS = 4_000, 1_500
RUNG = 6  # of σ-sub-Gaussian rewards: λ = 0.24
DELTA = 0.05
SCALE = Scale(bounded=False, low=0.0, unit=1.0)
RATE = SCALE.rates[RUNG]


@cache
def evidence(arm: int) -> Floats:
    """ln e⁺(0) of the winner or ln e⁻(0) of the loser, whose means are 0, after each pull."""
    rewards = np.random.default_rng([5, arm]).standard_normal((RUNS, PULLS))
    walk = RATE * rewards - RATE**2 / 2
    return np.cumsum(walk, axis=1, out=walk)


def test_it_is_what_an_account_says() -> None:
    rewards = np.random.default_rng([5, 1]).standard_normal((RUNS, PULLS))[7, :40]
    account = Account(SCALE, 40, float(rewards.mean()), None)
    assert evidence(1)[7, 39] == pytest.approx(account.above(RUNG))


def err(reached: npt.NDArray[np.bool_]) -> float:
    """The chance that δ alone explains so many wrong falls or more."""
    wrong = int(np.count_nonzero(reached))
    return float(stats.binomtest(wrong, RUNS, DELTA, alternative="greater").pvalue)


def reached(winner: Floats, loser: Floats) -> npt.NDArray[np.bool_]:
    """Whether the product ever reaches 1/δ: the winner goes to its end, then the loser to its."""
    first = np.maximum.accumulate(winner, axis=1)[:, -1]
    last = winner[:, -1] + np.max(loser, axis=1)
    return np.asarray(np.maximum(first, last) >= -math.log(DELTA))


def test_ends_that_were_fixed_before_keep_the_level() -> None:
    assert err(reached(evidence(1), evidence(0))) > 1e-4


def test_a_winner_that_stops_by_its_own_past_keeps_the_level() -> None:
    """At the first time that its evidence is 3, which nobody knows before."""
    crossed = evidence(1) >= math.log(3)
    at = np.where(crossed.any(axis=1), crossed.argmax(axis=1), PULLS - 1)
    until = np.arange(PULLS) <= at[:, None]
    stopped = np.where(until, evidence(1), evidence(1)[np.arange(RUNS), at][:, None])
    assert err(reached(stopped, evidence(0))) > 1e-4


def test_ends_where_rewards_look_best_err_too_often() -> None:
    """Why the claim of recorded rewards names the condition: (1 + ln c)/c is the most, for c = 1/δ.

    The recording of each arm is cut where it speaks most against the truth.
    """
    peaks = [np.max(evidence(arm), axis=1, keepdims=True) for arm in (1, 0)]
    wrong = reached(*peaks)
    assert err(wrong) < 1e-9
    most = DELTA * (1 - math.log(DELTA))
    assert stats.binomtest(int(wrong.sum()), RUNS, most, alternative="greater").pvalue > 1e-4
    assert np.count_nonzero(wrong) > 0.7 * most * RUNS  # it is that much, nearly
