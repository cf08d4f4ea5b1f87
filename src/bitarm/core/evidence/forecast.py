"""Who is likely to fall after how many pulls: a model, by which a policy chooses whom to ask.

Nothing is claimed of it: what decides is in `verdict.py`. Means are in units of the scale.
Functions of numbers alone, since the simulator compiles these very functions.
"""

import math
from typing import NamedTuple

from bitarm.core.evidence.account import cost, variance
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.least import Row
from bitarm.core.evidence.tasks import BAND, SHARES

NEVER = 1e11
"""Pulls after which nothing is forecast."""

CAUTION = 0.3
"""Deviations by which a leader's mean is taken to be lower than it seems."""

DOUBT, DOUBT_OF_EDGE = 0.6, 0.125
"""Shares of the variance of a mean that is anywhere in its cell, by which it is taken to be lower
still. An edge is less in doubt: it is what evidence certifies, and the mean is above it."""

_RATIO = 1.6  # of neighbouring rungs' rates
_BETWEEN = 1.26  # its square root: a share below the middle of two is nearer the lower one


class Forecast(NamedTuple):
    """How a fall comes about."""

    rung: int  # of the leader, at which evidence is expected to grow fastest
    pulls: float  # of the leader, at which the other falls


def band(rung: int) -> int:
    """The first of the three rungs around one."""
    return min(max(rung - 1, 0), RUNGS - BAND)


def forecast(
    bounded: bool,
    leader: float,
    leader_error: float,
    leader_spread: float,
    target: float,
    spread: float,
    pulls: float,
    most: float,
    share: float,
    level: float,
    rates: Row,
    log_weights: Row,
    doubt: float,
) -> Forecast:
    """The rung and the pulls of the leader at which an arm with the mean `target` falls.

    If it never does, the rung that is best after `most` pulls, with the leader's mean a deviation
    higher.
    """
    climb, ratio = 0, 1.0
    while climb + 1 < len(SHARES) and ratio > share * _BETWEEN:
        ratio /= _RATIO
        climb += 1
    gap = leader - target
    spent = variance(bounded, leader, leader_spread, pulls)
    unsure = doubt * leader_error * leader_error / 3.0
    hope = gap + math.sqrt(spent / most)
    soonest, best, highest, hopeful = math.inf, 0, -math.inf, 0
    for rung in range(RUNGS):
        gain, loss = rates[rung], rates[max(rung - climb, 0)]
        lost = cost(bounded, gain, leader, leader_spread, pulls, 1.0) + gain / loss * cost(
            bounded, loss, target, spread, pulls, -1.0
        )
        needed = level - log_weights[rung] - SHARES[climb]
        if 0.0 < soonest * gain * gap < needed:
            break  # lower rates take longer still, even if nothing were lost
        then = needed / max(gain * gap - lost, 1e-12)
        if then < min(soonest, 1e12):  # else it will not be the soonest: doubts only add to it
            for _ in range(2):
                nearer = gap - math.sqrt(CAUTION * CAUTION * spent / max(then, 1.0) + unsure)
                then = needed / max(gain * nearer - lost, 1e-12)
        if then < soonest:
            soonest, best = then, rung
        worth = most * (gain * hope - lost) - needed
        if worth > highest:
            highest, hopeful = worth, rung
    return Forecast(best, soonest) if soonest < NEVER else Forecast(hopeful, math.inf)


def cut_at(
    bounded: bool,
    edge: float,
    middle: float,
    leader_spread: float,
    spread: float,
    pulls: float,
    needed: float,
    rate: float,
) -> float:
    """The highest mean, in units, at which one rung alone is enough for both arms' evidence.

    `needed` are the nats that it must reach; both arms have made as many pulls.
    """
    lost = cost(bounded, rate, middle, leader_spread, pulls, 1.0) + cost(
        bounded, rate, edge, spread, pulls, -1.0
    )
    return edge - (needed / pulls + lost) / rate
