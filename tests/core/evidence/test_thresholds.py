"""Where decisions turn: each is held against its formula of docs/evidence.md, summed up anew here.

A decision that asks for too little would err so much more seldom than it is allowed to that no
count of errors would show it. So the point at which it turns is found, and there the formula must
be at its level: neither below it, nor far above.
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from core.evidence.accounts import UNIT, kept

from bitarm.core.evidence.account import SIGMA_RATES, Account, Scale, cost
from bitarm.core.evidence.ladder import FOLLOWING, RUNGS, log_weights
from bitarm.core.evidence.tasks import (
    BAND,
    NO_HURDLE,
    ROUNDING,
    Challenge,
    hurdle,
    hurdle_byte,
)
from bitarm.core.evidence.verdict import challenge, challenge_byte, is_beaten, told_enough

Floats = npt.NDArray[np.float64]

SIGMA = Scale(bounded=False, low=0.0, unit=1.0)
FLAT = 1.3
"""Nats that are not made use of where means may lie anywhere and counts are equal: all that is left
far away is terms without a slope, and only the largest of them is looked at."""
FAR = 1e15
"""As good as without end: with equal counts evidence is least there."""


def turn(decides: Callable[[float], bool], low: float, high: float) -> float:
    """The least number, but for the last digits, at which a decision is positive."""
    assert decides(high)
    assert not decides(low)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high


def least(values: Floats, slopes: Floats, low: float, high: float) -> float:
    """The least ln Σ exp(value + slope·m) of [low, high]: a convex function of m."""

    def at(m: float) -> float:
        return float(np.logaddexp.reduce(values + slopes * m))

    for _ in range(200):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if at(left) < at(right) else (left, high)
    return at(low)


# -- a challenged agent: Σ_k Σ_j share_j·exp(λ_k·t·(edge − m) − hurdle_k + ln e⁻(m) at k − j) ≥ 1


def _loser(scale: Scale) -> Account:
    if scale.bounded:
        return kept([0.2, 0.4, 0.0, 0.3, 0.1, 0.35, 0.25, 0.05] * 5)
    return Account(scale, 40, 0.2, None)


def _of_challenge(task: Challenge, leader_pulls: int, loser: Account) -> float:
    rates, values, slopes = loser.scale.rates, [], []
    for place in range(BAND):
        winner = task.first + place
        if task.hurdles[place] == NO_HURDLE:
            continue
        for climb, share in enumerate(FOLLOWING):
            rung = max(winner - climb, 0)
            gain, loss = rates[winner] * leader_pulls, rates[rung] * loser.pulls
            line = gain * loser.scale.inward(task.edge) - hurdle(task.hurdles[place])
            values.append(math.log(share) + line + loser.below(rung))
            slopes.append(loss - gain)
    low, high = (0.0, 1.0) if loser.scale.bounded else (-FAR, FAR)
    return least(np.array(values), np.array(slopes), low, high)


@pytest.mark.parametrize("hurdles", [(30, 20, 28), (24, NO_HURDLE, 40), (NO_HURDLE, 9, NO_HURDLE)])
@pytest.mark.parametrize("first", [0, 1, 2, 5])
@pytest.mark.parametrize(
    ("scale", "pulls"),
    [(UNIT, 40), (UNIT, 57), (UNIT, 1000), (SIGMA, 40), (SIGMA, 57)],
    ids=["bounded", "one ahead", "least at 1", "sigma", "sigma, one ahead"],
)
def test_an_agent_gives_up_exactly_where_the_sum_is_one_for_every_mean(
    scale: Scale, pulls: int, first: int, hurdles: tuple[int, int, int]
) -> None:
    loser = _loser(scale)

    def task(edge: float) -> Challenge:
        return Challenge(edge=edge, first=first, hurdles=hurdles)

    edge = turn(lambda edge: is_beaten(task(edge), pulls, loser), -1.0, 30.0)
    flat = pulls == loser.pulls and not scale.bounded
    assert -1e-6 < _of_challenge(task(edge), pulls, loser) < (FLAT if flat else 1e-6)


def test_with_a_sigma_means_lie_anywhere() -> None:
    """A leader just ahead, both far above 1: within [0, 1] the evidence would be overwhelming."""
    task = Challenge(edge=10.0, first=3, hurdles=(0, 0, 0))
    assert not is_beaten(task, 50, Account(SIGMA, 40, 9.9, None))
    assert is_beaten(task, 50, Account(SIGMA, 40, 8.0, None))


# -- the hurdles of a challenge: L − ln w_k + cost_k·t, rounded up --------------------------------


@pytest.mark.parametrize("spread", [0, -3, 1])
@pytest.mark.parametrize(("first", "pulls"), [(0, 20), (2, 300), (4, 2000)])
@pytest.mark.parametrize("scale", [Scale(bounded=True, low=-2.0, unit=4.0), SIGMA])
def test_hurdles_are_what_is_needed_and_what_the_leader_lost(
    scale: Scale, first: int, pulls: int, spread: int
) -> None:
    weights, level, middle = log_weights(2), 4.7, 0.9
    made = challenge(
        scale=scale,
        edge=0.8,
        middle=middle,
        spread=spread,
        first=first,
        pulls=pulls,
        level=level,
        log_weights=weights,
    )
    assert (made.edge, made.first) == (0.8, first)
    for place, byte in enumerate(made.hurdles):
        rate = scale.rates[first + place]
        lost = pulls * cost(scale.bounded, rate, scale.inward(middle), 2.0**spread, pulls, 1.0)
        needed = level - weights[first + place] + lost
        assert hurdle(byte) >= needed
        assert hurdle(byte - 1) < needed + 1e-9


@pytest.mark.parametrize(("edge", "nats"), [(0.0, 1), (3.0, 4), (-3.0, 4)])
def test_hurdles_cover_the_rounding_of_what_is_added_up(edge: float, nats: float) -> None:
    """After 2^45 pulls at a rate of ½ a float of them is off by a nat for each 1 of the edge."""
    pulls = 1 << 45
    lost = pulls * cost(True, 0.5, 0.5, 2.0**-60, pulls, 1.0)
    assert ROUNDING * pulls * 0.5 == 1.0
    assert lost < 1e-3
    assert challenge_byte(True, 5.0, 0.5, edge, 0.5, 2.0**-60, pulls) == hurdle_byte(
        5.0 + nats + lost
    )


@pytest.mark.parametrize("rate", [0.01, 0.3, 3.9])
def test_with_a_sigma_a_leader_loses_half_the_squared_rate_with_each_reward(rate: float) -> None:
    assert cost(False, rate, 0.3, 0.1, 50, 1.0) == rate * rate / 2


# -- the learner, by two told means: Σ_k Σ_j w_k·share_j·e⁺(m)·e⁻(m) ≥ (K − 1)/δ -------------------


def _of_means(lead: float, loser: int, winner: int) -> float:
    """The least logarithm of the sum; m is counted from the loser's mean."""
    weights, values, slopes = log_weights(4), [], []
    for rung in range(RUNGS):
        for climb, share in enumerate(FOLLOWING):
            high, low = SIGMA_RATES[rung], SIGMA_RATES[max(rung - climb, 0)]
            above = high * winner * lead - high**2 * winner / 2
            values.append(weights[rung] + math.log(share) + above - low**2 * loser / 2)
            slopes.append(low * loser - high * winner)
    return least(np.array(values), np.array(slopes), -FAR, FAR)


@pytest.mark.parametrize("level", [0.7, 4.0, 16.0])
@pytest.mark.parametrize("pulls", [(1, 1), (7, 7), (5, 9), (30, 100), (250, 251), (900, 1000)])
def test_two_told_means_decide_exactly_where_the_sum_reaches_the_level(
    pulls: tuple[int, int], level: float
) -> None:
    loser, winner = pulls
    terms = RUNGS * len(FOLLOWING)

    def decides(lead: float) -> bool:
        room = [0.0] * terms, [0.0] * terms
        return told_enough(lead, loser, winner, level, SIGMA_RATES, log_weights(4), *room)

    lead = turn(decides, 0.0, 60.0)
    assert -1e-6 < _of_means(lead, loser, winner) - level < (FLAT if loser == winner else 1e-6)
