"""Evidence from σ-sub-Gaussian rewards: nothing but count and mean of an arm is needed.

For an arm after t pulls with mean μ̂, and for every rate λ ≥ 0,

    ln e⁺(m) = λt(μ̂ − m) − λ²σ²t/2        evidence that its mean is above m
    ln e⁻(m) = λt(m − μ̂) − λ²σ²t/2        evidence that its mean is below m

are logarithms of supermartingales if it is not. Their product over two arms, averaged under the
law of the ladder, is evidence that one mean is above and the other below m; its least value over m
says how sure it is that the first arm is better. That depends on the lead μ̂_winner − μ̂_loser and on
both counts, whatever they are: arms need not be pulled equally often.
"""

import math
from collections.abc import MutableSequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

from bitarm.core.confidence import ArmView, Confidence, Stride, Width
from bitarm.core.evidence.account import SIGMA_RATES, Scale
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.ladder import RUNGS, log_weights, share
from bitarm.core.evidence.least import reaches

MIDDLE = 4
"""The heaviest rung, λ = 0.625/σ: the best one for gaps near σ."""

WEIGHTS = log_weights(MIDDLE)
"""Logarithm of each winner's rung's weight."""

SHARES = tuple(math.log(share(climb)) for climb in range(-1, RUNGS))
"""Logarithm of the share of losers −1, 0, 1, … rungs above the winner's."""

WINDOW = 9
"""Rungs of each arm that are looked at, around the best: those beyond add nothing."""

_OVERHEAD = 6.0  # nats that the law costs, roughly: where to look first
_ENOUGH = 1e-6  # by which share of itself a lead may be too large
_MOST_STEPS = 60
_HOPELESS = 64.0  # leads of so many times the rough one are not looked at


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SubGaussianEvidence(Width):
    """Comparisons at any time and any counts, chosen from the data or not; rewards have a σ."""

    name: ClassVar[str] = "sub-gaussian"
    along_path: ClassVar[bool] = True

    def confidence(self, stride: Stride) -> Confidence:
        """Judges pairs, whatever their counts; or lets the agents do it."""
        if stride is Stride.JUDGED:
            return Evidence(Scale.of_sigma(self.sigma), self.level, MIDDLE)
        return Leads(self)

    @classmethod
    def fits(cls, stride: Stride) -> bool:
        """True: arms may move as they like."""
        return True

    def objection(self) -> str | None:
        """None: docs/evidence.md has the proof."""
        return None


@final
@dataclass(frozen=True, slots=True)
class Leads(Confidence):
    """How far ahead of another arm one must be for evidence to reach its level."""

    evidence: SubGaussianEvidence

    def radius(self, view: ArmView) -> float:
        """How far off one arm's mean may be: margin/√2, and the quantizer's error.

        Sampling errors of two arms add in squares, so of the margin between two equals each has
        this much, and not half of it. Indices reach as far as an interval would; with half the
        margin, lil'UCB pulls its leader three times as often.
        """
        return self.margin(view, view) / math.sqrt(2) + view.error

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        """The lead that suffices at these counts; infinite if they are too far apart."""
        return self.evidence.sigma * margin(loser.pulls, winner.pulls, self.evidence.level)


@lru_cache(maxsize=1 << 16)
def margin(loser_pulls: int, winner_pulls: int, level: float) -> float:
    """The lead, for σ = 1, at which evidence that the winner is better reaches `level`."""
    return least_lead(
        float(loser_pulls),
        float(winner_pulls),
        level,
        SIGMA_RATES,
        WEIGHTS,
        SHARES,
        *([0.0] * (WINDOW * WINDOW) for _ in range(3)),
    )


def least_lead(
    loser_pulls: float,
    winner_pulls: float,
    level: float,
    rates: tuple[float, ...],
    weights: tuple[float, ...],
    shares: tuple[float, ...],
    values: MutableSequence[float],
    slopes: MutableSequence[float],
    gains: MutableSequence[float],
) -> float:
    """The lead, for σ = 1, at which evidence that the winner is better reaches `level`.

    Infinite where the loser has over 1.6 times the pulls of the winner: no pair of rates of the
    law then balances the two, and some m would explain any lead. `rates`, `weights` and `shares`
    are those of this module, the last three have room for a window of pairs: of numbers alone,
    since the simulator compiles this very function, with those that it calls.

    Found by Newton's steps, or by halves where these lead astray; what is returned is certified.
    """
    both = 1.0 / loser_pulls + 1.0 / winner_pulls
    rough = math.sqrt(2.0 * (level + _OVERHEAD) * both)
    count = 0
    winner_first = first_rung(rough / both / winner_pulls, rates)
    loser_first = first_rung(rough / both / loser_pulls, rates)
    for winner in range(winner_first, winner_first + WINDOW):
        for loser in range(loser_first, min(winner + 2, loser_first + WINDOW)):
            gain, loss = rates[winner] * winner_pulls, rates[loser] * loser_pulls
            # The value for a lead of 0; m is counted from the loser's mean.
            values[count] = (
                weights[winner]
                + shares[winner - loser + 1]
                - (gain * rates[winner] + loss * rates[loser]) / 2.0
            )
            slopes[count] = loss - gain
            gains[count] = gain
            count += 1
    lead, place = rough, rough / 2.0
    tried = 0.0  # the lead that `values` are for
    least = 0.0  # a lead that does not suffice
    suffices = math.inf  # one that does
    for _ in range(_MOST_STEPS):
        for n in range(count):
            values[n] += gains[n] * (lead - tried)
        tried = lead
        enough, place = reaches(values, slopes, count, level, -math.inf, math.inf, place)
        if enough:
            suffices = lead
            lead -= excess(values, slopes, gains, count, level, place)
        else:
            least = lead
            lead *= 2.0
        if least > _HOPELESS * rough:
            return math.inf
        if not least < lead < suffices:
            lead = (least + suffices) / 2.0
        if suffices < math.inf and suffices - least <= _ENOUGH * suffices:
            break
    return suffices


def first_rung(wanted: float, rates: tuple[float, ...]) -> int:
    """The first rung of a window around the rate that is wanted."""
    rung = 0
    while rung < len(rates) - 1 and rates[rung] > wanted:
        rung += 1
    return min(max(rung - WINDOW // 2, 0), len(rates) - WINDOW)


def excess(
    values: MutableSequence[float],
    slopes: MutableSequence[float],
    gains: MutableSequence[float],
    count: int,
    level: float,
    place: float,
) -> float:
    """By how much a lead may shrink, judged by the slope of the least evidence at it."""
    top = -math.inf
    for n in range(count):
        top = max(top, values[n] + slopes[n] * place)
    total = gained = 0.0
    for n in range(count):
        share_of = math.exp(values[n] + slopes[n] * place - top)
        total += share_of
        gained += share_of * gains[n]
    return (top + math.log(total) - level) / (gained / total)
