"""Arms that bet on their rewards, of which only the bounds are known; and how few looks they need.

Rewards are drawn one by one, since agents bet on each; they are on no tape.

A challenged arm looks after nearly every pull, and nearly all looks end alike. What a look weighs
is a sum over pairs of rungs, which must be at least 1 for every mean m that two arms might share.
One more reward x multiplies what a bettor on low rewards has at m by

    (1 − λ(x − x̂))·exp(λ(m − x̂))  ≤  exp(−λ(x − x̂))·exp(λ(m − x̂))  =  exp(λ(m − x)),

and where V stands for a bettor, by exp(λ(m − x) − ψ(λ)(x − x̂)²) with ψ ≥ 0, which is no more. So
from one look to another, with k rewards of sum s between them, ln of the sum at m has risen by at
most λ·(k·m − s), λ being the highest of the rates, or not at all if k·m < s. Where a look finds a
sum below 1 at one m, none can find more before that bound does: until then a look is a comparison
of n·m − Σx, and its answer is the same.

Nor does anybody read fortunes until then: rewards are played several at once.
"""

import math

import numpy as np

from bitarm.core.evidence.bets import FOLD, below, fold, foresee, play
from bitarm.core.evidence.least import log_sum
from bitarm.core.evidence.tasks import BAND, SHARES
from bitarm.core.evidence.verdict import weigh
from bitarm.sim.kernels.arrays import ChallengeArrays, EnvironmentArrays
from bitarm.sim.kernels.challenge_race import AT_ONCE, Arm, Race, Turn
from bitarm.sim.kernels.compilation import inlined, within
from bitarm.sim.kernels.sums import added, draw_reward

_play = inlined(play)
"""The core's own function, compiled."""

_ROUNDING = 2.0**-48  # nats, times n²: more than sums of n rewards, and what follows, are off by


@within
def is_beaten_by_bets(
    race: Race,
    arm: Arm,
    number: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    arrays: ChallengeArrays,
    turn: Turn,
) -> bool:
    """Without σ: a challenged arm pulls and looks, until it is beaten or level with the leader."""
    mean, enough = 0.0, -math.inf  # a look is worth weighing if n·mean − Σx is enough
    while True:
        at = arm.at
        if at >= 0 and arrays.pulls[at] * mean - arm.bets >= enough:
            _settle(race, arm, arrays)
            is_beaten, mean, lacking = _weighed(race, arm, arrays, turn)
            if is_beaten:
                return True
            enough = arrays.pulls[at] * mean - arm.bets + lacking
        if at >= turn.checkpoint:
            _settle(race, arm, arrays)
            return False
        _pull_up_to(race, arm, number, at + 1, rng, environment, arrays)


@within
def bet_up_to(
    race: Race,
    arm: Arm,
    number: int,
    upto: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    arrays: ChallengeArrays,
) -> None:
    """Rewards up to a checkpoint, each of which is bet on."""
    _pull_up_to(race, arm, number, upto, rng, environment, arrays)
    _settle(race, arm, arrays)


@inlined
def _pull_up_to(
    race: Race,
    arm: Arm,
    number: int,
    upto: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    arrays: ChallengeArrays,
) -> None:
    """Rewards up to a checkpoint; the last of them are yet to be bet on."""
    done, more = arrays.pulls[arm.at] if arm.at >= 0 else 0, 0.0
    low, unit = arrays.rules.low, arrays.rules.unit
    bets, predicted, squares = arm.bets, arm.predicted, arm.squares
    family, p, q = environment.family[number], environment.p[number], environment.q[number]
    for pulls in range(done, arrays.pulls[upto]):
        reward = draw_reward(rng, family, p, q)
        more += reward
        surprise, bets, predicted, squares = foresee(
            (reward - low) / unit, pulls, bets, predicted, squares
        )
        race.surprises[pulls % AT_ONCE] = surprise
        if pulls % AT_ONCE == AT_ONCE - 1:
            _settle(race, arm, arrays)
            if pulls % FOLD == FOLD - 1:
                fold(arm.fortunes, arm.logs)
    arm.bets, arm.predicted, arm.squares = bets, predicted, squares
    arm.total, arm.rest = added(arm.total, arm.rest, more)
    arm.at = upto


@within
def _settle(race: Race, arm: Arm, arrays: ChallengeArrays) -> None:
    """Bet on what is yet to be bet on; where there was no reward, fortunes stay as they are."""
    _play(race.surprises, AT_ONCE, arrays.stakes, arrays.stakes.size, arm.fortunes)
    race.surprises[:] = 0.0


@within
def _weighed(
    race: Race, arm: Arm, arrays: ChallengeArrays, turn: Turn
) -> tuple[bool, float, float]:
    """Whether a challenged arm that bets is beaten: `verdict.is_beaten`.

    If not, then also a mean m, and by how much n·m − Σx must grow before it may be.
    """
    rules, pulls = arrays.rules, arrays.pulls[arm.at]
    mean = ((arm.total + arm.rest) / float(pulls) - rules.low) / rules.unit
    edge = (turn.edge - rules.low) / rules.unit
    lowest, fortunes, logs = max(turn.first + 1 - len(SHARES), 0), arm.fortunes, arm.logs
    for rung in range(lowest, turn.first + BAND):
        race.below[rung - lowest] = below(
            rung, arm.bets, arm.predicted, arm.squares, fortunes, logs
        )
    values, slopes, until = race.terms[0], race.terms[1], arrays.pulls[turn.checkpoint]
    is_beaten, count, where = weigh(
        True,
        edge,
        mean,
        until,
        pulls,
        turn.first,
        race.hurdles,
        race.below,
        rules.rates,
        values,
        slopes,
    )
    if is_beaten:
        return True, where, 0.0
    nats = -log_sum(values, slopes, count, where) - _ROUNDING * until * until
    return False, where, nats / rules.rates[lowest]
