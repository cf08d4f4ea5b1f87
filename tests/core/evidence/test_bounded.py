"""Evidence from bounded rewards: how often it errs, at every pull, and what would err more often.

Both arms have the same mean μ: whoever falls, falls wrongly. For a fixed m the evidence of the pair
is a supermartingale if m = μ, and its infimum over m is what decides: so the chance that its value
at μ ever reaches L = ln(1/δ) bounds the error from above, and must itself be at most δ.
"""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from bitarm.core.confidence import Stride
from bitarm.core.evidence import bets as betting
from bitarm.core.evidence.account import Account, Scale
from bitarm.core.evidence.bets import BETTORS, Bets
from bitarm.core.evidence.bounded import MIDDLE, BoundedEvidence
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.ladder import FOLLOWING, log_weights, rate
from bitarm.errors import ConfigError

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

RUNS, PULLS = 20_000, 160
RUNGS = 12
LEVEL = 1e-4  # of each test: the exact binomial chance of as many errors if each has chance δ
DELTAS = (0.5, 0.2, 0.05)
RATES = np.array([rate(rung) for rung in range(RUNGS)])
WEIGHTS = np.exp(log_weights(MIDDLE))[:RUNGS]


def coin(p: float) -> Draw:
    return lambda rng, shape: (rng.random(shape) < p).astype(float)


def beta(p: float, c: float) -> Draw:
    return lambda rng, shape: rng.beta(p * c, (1 - p) * c, shape)


LAWS: dict[str, tuple[float, Draw]] = {
    "bernoulli .5": (0.5, coin(0.5)),
    "bernoulli .99": (0.99, coin(0.99)),
    "bernoulli .02": (0.02, coin(0.02)),
    "beta near two points": (0.6, beta(0.6, 0.1)),
}


def along(rewards: Floats, mu: float) -> tuple[Floats, Floats]:
    """e⁺(μ) and e⁻(μ) at every rung, before the first pull and after each: [pull, rung, run]."""
    pulls, runs = rewards.shape
    above, below = np.ones((2, pulls + 1, RUNGS, runs))
    total, squares = np.zeros(runs), np.zeros(runs)
    rates = RATES[:BETTORS, None]
    low = RATES[BETTORS:, None]
    psi = -np.log1p(-low) - low
    for n in range(pulls):
        guess = (0.5 + total) / (1.0 + n)
        surprise = rewards[n] - guess
        drift = np.exp(-rates * (mu - guess))
        above[n + 1, :BETTORS] = above[n, :BETTORS] * (1 + rates * surprise) * drift
        below[n + 1, :BETTORS] = below[n, :BETTORS] * (1 - rates * surprise) / drift
        total, squares = total + rewards[n], squares + surprise**2
        deviation = low * (total - (n + 1) * mu)
        above[n + 1, BETTORS:] = np.exp(deviation - psi * squares)
        below[n + 1, BETTORS:] = np.exp(-deviation - psi * squares)
    return above, below


def test_it_is_what_the_agents_keep() -> None:
    rng = np.random.default_rng(1)
    rewards = rng.random((40, 3))
    above, below = along(rewards, 0.3)
    for run in range(3):
        bets = Bets().after(rewards[:, run].tolist(), 0)
        numbers = (bets.total, bets.predicted, bets.squares, bets.fortunes, bets.logs)
        for rung in range(RUNGS):
            slope = rate(rung) * 40 * 0.3
            high = betting.above(rung, *numbers) - slope
            low = betting.below(rung, *numbers) + slope
            assert math.log(above[40, rung, run]) == pytest.approx(high, abs=1e-9)
            assert math.log(below[40, rung, run]) == pytest.approx(low, abs=1e-9)


def by_winner(below: Floats) -> Floats:
    """What a loser adds to each rung of a winner: its own rungs under the law. [pull, rung, run]"""
    total = np.zeros_like(below)
    for climb, share in enumerate(FOLLOWING):
        losers = np.maximum(np.arange(RUNGS) - climb, 0)
        total += share * below[:, losers]
    return WEIGHTS[:, None] * total


def chain(rule: str) -> list[tuple[int, int]]:
    """Counts of winner and loser at which a pair is tested: neither ever goes back."""
    match rule:
        case "together":
            steps = [(n + first, n) for n in range(PULLS) for first in (0, 1)]
            return [*steps, (PULLS, PULLS)]
        case "one ahead":
            return [(min(2 * n, PULLS), n) for n in range(PULLS + 1)]
        case "leader first":
            return [(PULLS, n) for n in range(PULLS + 1)]
    raise AssertionError(rule)


@cache
def peaks(law: str, rule: str, *, too_high: bool = False) -> Floats:
    """The highest evidence of each run that the second arm is worse, anywhere on the chain.

    With `too_high` the winner's lines are a deviation of its mean above what they should be.
    """
    mu, draw = LAWS[law]
    rng = np.random.default_rng([len(law), *map(ord, rule)])
    highest = np.zeros(RUNS)
    for part in np.array_split(np.arange(RUNS), 25):  # a few at a time: [pull, rung, run] is large
        shape = (PULLS, len(part))
        above, _ = along(draw(rng, shape), mu)
        _, below = along(draw(rng, shape), mu)
        losers = by_winner(below)
        for winner, loser in chain(rule):
            high = above[winner]
            if too_high:
                step = math.sqrt(mu * (1 - mu) / PULLS)
                high = high * np.exp(RATES * winner * step)[:, None]
            peak = np.einsum("kr,kr->r", high, losers[loser])
            highest[part] = np.maximum(highest[part], peak)
    return highest


def errs(reached: Floats, delta: float, weight: float = 1.0) -> bool:
    """Whether level 1/δ was reached more often than chance allows."""
    wrong = int((reached * weight >= 1 / delta).sum())
    return bool(stats.binom.sf(wrong - 1, len(reached), delta) < LEVEL)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["together", "one ahead", "leader first"])
@pytest.mark.parametrize("law", LAWS)
def test_evidence_errs_at_most_as_often_as_it_says(law: str, rule: str) -> None:
    for delta in DELTAS:
        assert not errs(peaks(law, rule), delta)


@pytest.mark.slow
def test_weights_that_add_up_to_four_err_too_often() -> None:
    assert errs(peaks("bernoulli .5", "together"), 0.5, weight=4.0)
    assert errs(peaks("bernoulli .5", "together"), 0.2, weight=4.0)


@pytest.mark.slow
def test_a_leaders_lines_a_step_too_high_err_too_often() -> None:
    assert errs(peaks("bernoulli .5", "leader first", too_high=True), 0.05)


def test_the_law_has_no_more_than_one_to_give_away() -> None:
    assert math.fsum(map(math.exp, log_weights(MIDDLE))) <= 1
    assert math.fsum(FOLLOWING) <= 1


def test_the_infimum_is_over_all_means_and_not_only_between_the_two() -> None:
    scale = Scale(bounded=True, low=0.0, unit=1.0)

    def account(pulls: int, ones: int) -> Account:
        spaced = [float((n + 1) * ones // pulls - n * ones // pulls) for n in range(pulls)]
        return Account(scale, pulls, ones / pulls, Bets().after(spaced, 0))

    leader, loser = account(1000, 990), account(30, 12)

    def least(low: float, high: float) -> float:
        values = []
        for m in np.linspace(low, high, 2001):
            terms = [
                math.log(w) + math.log(share) + leader.above(k) - RATES[k] * 1000 * m
                + loser.below(max(k - c, 0)) + RATES[max(k - c, 0)] * 30 * m
                for k, w in enumerate(WEIGHTS)
                for c, share in enumerate(FOLLOWING)
            ]  # fmt: skip
            values.append(np.logaddexp.reduce(terms))
        return float(min(values))

    assert least(0.4, 0.99) > least(0.0, 1.0) + 0.05


def test_only_agents_that_judge_can_use_it() -> None:
    width = BoundedEvidence(arms=4, delta=0.1, sigma=0.5, certain=True, bounds=(-1.0, 3.0))
    evidence = width.confidence(Stride.JUDGED)
    assert isinstance(evidence, Evidence)
    assert evidence.scale == Scale(bounded=True, low=-1.0, unit=4.0)
    assert evidence.level == pytest.approx(math.log(3 / 0.1))
    for stride in (Stride.TOGETHER, Stride.EVEN, Stride.APART):
        assert not width.fits(stride)
        with pytest.raises(ConfigError, match="needs a policy whose agents judge"):
            width.confidence(stride)
    with pytest.raises(ConfigError, match="needs bounds"):
        BoundedEvidence(arms=4, delta=0.1, sigma=0.5, certain=True)


def test_a_quantizer_that_may_be_wrong_is_paid_for() -> None:
    width = BoundedEvidence(arms=2, delta=0.1, sigma=0.5, certain=False, bounds=(0.0, 1.0))
    evidence = width.confidence(Stride.JUDGED)
    assert isinstance(evidence, Evidence)
    assert evidence.level == pytest.approx(math.log(1 / 0.05))
