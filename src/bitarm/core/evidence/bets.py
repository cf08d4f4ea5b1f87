"""Evidence from rewards in [0, 1] of which nothing else is known: bets on them.

An arm keeps two bettors for every rung of the ladder. Before each reward x both know a prediction
x̂ that is made of the rewards before it. One bets the share λ on x being above it, the other on x
being below; a reward multiplies their fortunes by 1 ± λ(x − x̂). Then

    ln e⁺(m) = Σ [ln(1 + λ(x − x̂)) + λx̂] − λnm        evidence that the mean is above m
    ln e⁻(m) = Σ [ln(1 − λ(x − x̂)) − λx̂] + λnm        evidence that the mean is below m

are logarithms of supermartingales if it is not: a factor has mean at most
(1 + λ(μ − x̂))·exp(−λ(m − x̂)) ≤ 1. They are lines in m, so an arm's evidence for all m is two
numbers a rung. `docs/evidence.md` has the proofs.

At low rates a bettor is worth hardly more than the number that bounds it from below (Fan's
inequality),

    ±λ(S − nm) − ψ(λ)V,    V = Σ(x − x̂)²,    ψ(λ) = −ln(1 − λ) − λ,

so only the highest rungs have bettors, and all others take count, sum and V.

Functions of numbers and rows of numbers alone, since the simulator compiles these very functions.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.evidence.ladder import RATES
from bitarm.core.evidence.least import Room, Row

BETTORS = 8
"""Rungs with bettors; below them, at rates under 0.03, V serves as well."""

FOLD = 64
"""Rewards after which fortunes become logarithms: until then they cannot leave a float."""

STAKES = RATES[:BETTORS]
"""λ of the rungs that have bettors."""


DRIFT = 2.0**-53
"""Times λn²: how far a line of n rewards is off at most. Sums of x̂ and x, each at most n, are added
up one by one, and each addition rounds by up to 2^−53 of the sum: n²·2^−54 in all. The rest is for
logarithms that are added up once in 64 rewards."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bets:
    """What an agent keeps of rewards that were scaled to [0, 1], beside their count and sum."""

    fortunes: tuple[float, ...] = (1.0,) * (2 * BETTORS)  # since the last fold: on high, on low
    logs: tuple[float, ...] = (0.0,) * (2 * BETTORS)  # of what they had before
    total: float = 0.0  # Σx
    predicted: float = 0.0  # Σx̂
    squares: float = 0.0  # V

    def after(self, rewards: Sequence[float], pulls: int) -> "Bets":
        """The bets after more rewards, each in [0, 1]; `pulls` were made before them."""
        fortunes, logs = list(self.fortunes), list(self.logs)
        total, predicted, squares = self.total, self.predicted, self.squares
        surprises: list[float] = []
        for place, reward in enumerate(rewards, pulls):
            surprise, total, predicted, squares = foresee(reward, place, total, predicted, squares)
            surprises.append(surprise)
            if place % FOLD == FOLD - 1:
                play(surprises, len(surprises), STAKES, BETTORS, fortunes)
                fold(fortunes, logs)
                surprises.clear()
        play(surprises, len(surprises), STAKES, BETTORS, fortunes)
        return Bets(
            fortunes=tuple(fortunes),
            logs=tuple(logs),
            total=total,
            predicted=predicted,
            squares=squares,
        )


def foresee(
    reward: float, pulls: int, total: float, predicted: float, squares: float
) -> tuple[float, float, float, float]:
    """How much a reward is above its prediction, after so many; and the three sums after it."""
    guess = (0.5 + total) / (1.0 + pulls)
    surprise = reward - guess
    return surprise, total + reward, predicted + guess, squares + surprise * surprise


def play(surprises: Row, count: int, stakes: Row, rungs: int, fortunes: Room) -> None:
    """Let all bettors play so many rewards, one after the other."""
    for rung in range(rungs):
        stake, high, low = stakes[rung], fortunes[rung], fortunes[BETTORS + rung]
        for place in range(count):
            at_stake = stake * surprises[place]
            high *= 1.0 + at_stake
            low *= 1.0 - at_stake
        fortunes[rung], fortunes[BETTORS + rung] = high, low


def fold(fortunes: Room, logs: Room) -> None:
    """Turn fortunes into logarithms."""
    for bettor in range(2 * BETTORS):
        logs[bettor] += math.log(fortunes[bettor])
        fortunes[bettor] = 1.0


def above(
    rung: int,
    total: float,
    predicted: float,
    squares: float,
    fortunes: Row,
    logs: Row,
) -> float:
    """ln e⁺(m) + λnm of a rung: evidence that the mean is above m, but for its slope."""
    rate = RATES[rung]
    if rung < BETTORS:
        return logs[rung] + math.log(fortunes[rung]) + rate * predicted
    return rate * total + (math.log1p(-rate) + rate) * squares


def below(
    rung: int,
    total: float,
    predicted: float,
    squares: float,
    fortunes: Row,
    logs: Row,
) -> float:
    """ln e⁻(m) − λnm of a rung: evidence that the mean is below m, but for its slope."""
    rate = RATES[rung]
    if rung < BETTORS:
        bettor = BETTORS + rung
        return logs[bettor] + math.log(fortunes[bettor]) - rate * predicted
    return -rate * total + (math.log1p(-rate) + rate) * squares
