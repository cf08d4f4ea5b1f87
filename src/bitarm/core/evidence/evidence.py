"""Evidence as a policy uses it: on which scale and at which level it decides, and forecasts.

What decides is in `verdict.py`, who is likely to fall in `forecast.py`; here both meet what was
told of the arms.
"""

import math
from dataclasses import dataclass
from typing import final

from bitarm.core.confidence import ArmView, Confidence
from bitarm.core.evidence.account import Scale, cost, variance
from bitarm.core.evidence.forecast import DOUBT, DOUBT_OF_EDGE, Forecast, cut_at, forecast
from bitarm.core.evidence.ladder import RUNGS, log_weights
from bitarm.core.evidence.tasks import BAND, SHARES
from bitarm.core.evidence.verdict import told_enough


@final
@dataclass(frozen=True, slots=True)
class Evidence(Confidence):
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

    # -- as every confidence, by the model: what a picture can show -------------------------------

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        """The lead from which on the loser is likely to fall, by the model.

        Both are taken to have made as many pulls as the one with fewer has.
        """
        scale, pulls = self.scale, max(min(loser.pulls, winner.pulls), 1)
        lead = math.inf
        for rung, (rate, log_weight) in enumerate(zip(scale.rates, self.log_weights, strict=True)):
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
            lead = min(lead, (self.level - log_weight - SHARES[0]) / (rate * pulls) + lost / rate)
            if rung > BAND and rate * pulls < 1e-3:
                break  # from here on a lead would have to be a thousand units and more
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
