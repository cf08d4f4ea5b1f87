"""Evidence as a policy uses it: what decides, and a model of what will.

What decides is weighed by the agents (`tasks.py`), or from told means where σ is known. Everything
else here is a forecast: who is likely to fall after how many pulls. Nothing is claimed of it.

Means are in units of the scale, as everywhere among the evidence; functions of numbers alone are
those that the simulator compiles.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, final

from bitarm.core.confidence import ArmView
from bitarm.core.evidence.account import Scale, cost, variance
from bitarm.core.evidence.ladder import RUNGS, log_weights
from bitarm.core.evidence.least import Room, Row, reaches
from bitarm.core.evidence.tasks import BAND, SHARES

NEVER = 1e11
"""Pulls after which nothing is forecast."""

CAUTION = 0.3
"""Deviations by which a leader's mean is taken to be lower than it seems."""

DOUBT, DOUBT_OF_EDGE = 0.6, 0.125
"""Shares of the variance of a mean that is anywhere in its cell, by which it is taken to be lower
still. An edge is less in doubt: it is what evidence certifies, and the mean is above it."""

_NEGLIGIBLE = -60.0  # logarithm of a term that need not be added
_RATIO = 1.6  # of neighbouring rungs' rates


class Forecast(NamedTuple):
    """How a fall comes about."""

    rung: int  # of the leader, at which evidence is expected to grow fastest
    pulls: float  # of the leader, at which the other falls


@final
@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence at the level L = ln((K − 1)/δ), on a scale, with its law."""

    scale: Scale
    level: float
    middle: int  # the heaviest rung

    @property
    def log_weights(self) -> tuple[float, ...]:
        """Logarithm of each winner's rung's weight."""
        return log_weights(self.middle)

    def noise(self, mean: float, spread: int, pulls: float) -> float:
        """The deviation of a reward, as measured; by the model where σ is not known.

        `mean` and `spread` are what was told after so many pulls.
        """
        scale = self.scale
        return scale.unit * math.sqrt(
            variance(scale.bounded, scale.inward(mean), math.ldexp(1.0, spread), pulls)
        )

    # -- as every confidence: what a picture can show --------------------------------------------

    def radius(self, view: ArmView) -> float:
        """Half the separation from an arm of the same kind, by the model."""
        return self.separation(view, view) / 2

    def separation(self, loser: ArmView, winner: ArmView) -> float:
        """Margin plus both quantizers' errors."""
        return self.margin(loser, winner) + (loser.error + winner.error)

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        """The lead from which on the loser is likely to fall, by the model, as if level."""
        scale, pulls = self.scale, max(min(loser.pulls, winner.pulls), 1)
        lead = math.inf
        for rung, (rate, weight_) in enumerate(zip(scale.rates, self.log_weights, strict=True)):
            lost = sum(
                cost(
                    scale.bounded,
                    rate,
                    scale.inward(view.mean),
                    math.ldexp(1.0, view.spread or 0),
                    pulls,
                    side,
                )
                for view, side in ((winner, 1.0), (loser, -1.0))
            )
            lead = min(lead, (self.level - weight_ - SHARES[0]) / (rate * pulls) + lost / rate)
            if rung > BAND and rate * pulls < 1e-3:
                break
        return lead * scale.unit

    # -- what decides, where σ is known ----------------------------------------------------------

    def separates(self, loser: ArmView, winner: ArmView, epsilon: float = 0.0) -> bool:
        """Whether told cells of both are enough for evidence to reach its level, with ε on top.

        A part of the same sum that a challenged agent weighs, at counts that only ever grow.
        """
        scale = self.scale
        if scale.bounded or not math.isfinite(winner.low - loser.high):
            return False
        terms = RUNGS * len(SHARES)
        return told_enough(
            (winner.low + epsilon - loser.high) / scale.unit,
            loser.pulls,
            winner.pulls,
            self.level,
            scale.rates,
            self.log_weights,
            [0.0] * terms,
            [0.0] * terms,
        )

    # -- forecasts --------------------------------------------------------------------------------

    def falls(
        self, leader: ArmView, target: float, spread: int, *, pulls: int, most: float, share: float
    ) -> Forecast:
        """When an arm with the mean `target` falls, at a share of the leader's pulls.

        Arms have made at most `pulls`, the leader may make `most`.
        """
        scale = self.scale
        return forecast(
            scale.bounded,
            scale.inward(leader.mean),
            leader.error / scale.unit if math.isfinite(leader.error) else 0.0,
            math.ldexp(1.0, spread if leader.spread is None else leader.spread),
            scale.inward(target),
            math.ldexp(1.0, spread),
            float(pulls),
            most,
            share,
            self.level,
            scale.rates,
            self.log_weights,
            DOUBT if leader.rung is None else DOUBT_OF_EDGE,
        )

    def sharpest(self, leader: ArmView, own: int, spread: int) -> int:
        """The rung at which an arm with as many pulls falls soonest; both spreads are exponents."""
        return max(range(RUNGS), key=lambda rung: self._cut_at(leader, own, spread, rung))

    def cut(self, leader: ArmView, own: int, spread: int, first: int) -> float:
        """Where the mean of an arm that falls at equally many pulls is likely to be, at most."""
        scale = self.scale
        rungs = range(first, first + BAND)
        where = max(self._cut_at(leader, own, spread, rung) for rung in rungs)
        return scale.low + where * scale.unit

    def _cut_at(self, leader: ArmView, own: int, spread: int, rung: int) -> float:
        scale = self.scale
        return cut_at(
            scale.bounded,
            scale.inward(leader.low),
            scale.inward(leader.mean),
            math.ldexp(1.0, own),
            math.ldexp(1.0, spread),
            float(leader.pulls),
            self.level - self.log_weights[rung] - SHARES[0],
            scale.rates[rung],
        )


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
    while climb + 1 < len(SHARES) and ratio > share * 1.26:
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
        if then < 1e12:
            for _ in range(2):
                nearer = gap - math.sqrt(CAUTION * CAUTION * spent / max(then, 1.0) + unsure)
                then = needed / max(gain * nearer - lost, 1e-12)
        if then < soonest:
            soonest, best = then, rung
        worth = most * (gain * hope - lost) - needed
        if worth > highest:
            highest, hopeful = worth, rung
    return Forecast(best, soonest) if soonest < NEVER else Forecast(hopeful, math.inf)


def told_enough(
    lead: float,
    loser_pulls: int,
    winner_pulls: int,
    level: float,
    rates: Row,
    log_weights: Row,
    values: Room,
    slopes: Room,
) -> bool:
    """Whether a certain lead, in units of σ, is enough for evidence; the last two are room."""
    both = 1.0 / loser_pulls + 1.0 / winner_pulls
    if lead <= 0.0 or lead * lead < 2.0 * level * both:
        return False  # no law reaches the level with that
    count = 0
    for winner in range(RUNGS):
        gain = rates[winner] * winner_pulls
        for climb in range(len(SHARES)):
            rate = rates[max(winner - climb, 0)]
            loss = rate * loser_pulls
            value = (
                log_weights[winner]
                + SHARES[climb]
                + gain * (lead - rates[winner] / 2.0)
                - loss * rate / 2.0
            )
            if value > _NEGLIGIBLE:
                values[count] = value
                slopes[count] = loss - gain
                count += 1
    return reaches(values, slopes, count, level, -math.inf, math.inf, 0.4 * lead)[0]


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
