"""One trial of elimination by challenge: what is known of every arm, and what one round says.

Formulas are the core's own, compiled.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.extending import register_jitable

from bitarm.core.codes.prefix import zigzag
from bitarm.core.evidence.account import clamped, cost, variance
from bitarm.core.evidence.bets import BETTORS, above, below, bet
from bitarm.core.evidence.evidence import band, cut_at, forecast, told_enough
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.least import reaches
from bitarm.core.evidence.tasks import (
    BAND,
    SHARES,
    certified,
    challenge_byte,
    highest_edge,
    hurdle,
    hurdle_byte,
    quarters_below,
    spread_change,
    weigh,
)
from bitarm.core.policies.challenge import raised, reach, target
from bitarm.core.quantizers.dicq import golomb_divisor_of
from bitarm.core.quantizers.dyadic import dyadic, unit_of
from bitarm.sim.kernels.arrays import ChallengeArrays, Floats, Integers
from bitarm.sim.kernels.highest import Places

for _function in (
    clamped, cost, variance, above, below, bet, reaches, band, cut_at,
    forecast, told_enough, hurdle, hurdle_byte, certified, spread_change, challenge_byte,
    highest_edge, quarters_below, weigh, target, raised, reach, golomb_divisor_of, dyadic, unit_of,
    zigzag,
):  # fmt: skip
    register_jitable(_function)

UNTOLD = 1 << 20
"""The spread of an arm that has told none."""

FIRST, PILOT, LEADER, CHALLENGED, PLACE = range(5)
"""What an arm is asked for, as `HintKind` has it; FIRST is its centre."""


class Race(NamedTuple):
    """One trial: who is left, what is known of every arm, and what the arms know themselves."""

    active: Places  # [place] the arms that are left
    total: Floats  # [arm] sum of all rewards
    rest: Floats  # [arm] what rounding left out of it
    at: Integers  # [arm] the checkpoint up to which it has pulled, −1 before the first
    fortunes: Floats  # [arm, bettor] since the last fold
    logs: Floats  # [arm, bettor] of what they had before
    sums: Floats  # [arm, 3] of rewards, predictions and squares, in units
    mean: Floats  # [arm] μ̃, the decoded mean
    error: Floats  # [arm] half a step
    told: Integers  # [arm] the checkpoint of that mean
    is_open: npt.NDArray[np.bool_]  # [arm] whether μ̂ may be anywhere below its cell
    rung: Integers  # [arm] the first at which it told its evidence, −1 if it told none
    spread: Integers  # [arm] as it told, or UNTOLD
    turn: Integers  # [arm] what it is asked for next, −1 if nothing
    messages: Integers  # [arm] reports received
    beaten_by: Integers  # [arm] the leader to which it gave up, −1 if it did not
    values: Floats  # room
    slopes: Floats  # room
    below: Floats  # room
    others: Floats  # [arm] room
    hurdles: Integers  # [3] of the present challenge


class Turn(NamedTuple):
    """One round: what all that speak in it are told."""

    trial: int
    checkpoint: int
    value: float  # a centre, or the cut
    noise: float  # deviation of a reward, where it is one for all that are asked
    edge: float  # the leader's
    first: int  # rung
    spread: int  # as it was told last
    own: int  # the leader's
    leader: int


def blank_race(arms: int) -> Race:
    """Room for one trial at a time of so many arms: a kernel allocates nothing."""
    terms = RUNGS * len(SHARES)
    return Race(
        np.empty(arms, np.uintp),
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.int64),
        np.empty((arms, 2 * BETTORS), np.float64),
        np.empty((arms, 2 * BETTORS), np.float64),
        np.empty((arms, 3), np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.int64),
        np.empty(arms, np.bool_),
        np.empty(arms, np.int64),
        np.empty(arms, np.int64),
        np.empty(arms, np.int64),
        np.empty(arms, np.int64),
        np.empty(arms, np.int64),
        np.empty(terms, np.float64),
        np.empty(terms, np.float64),
        np.empty(BAND + len(SHARES), np.float64),
        np.empty(arms, np.float64),
        np.empty(BAND, np.int64),
    )


@njit(inline="always")
def begin(race: Race) -> int:
    """Nobody has pulled, or told anything; returns how many they are."""
    race.fortunes[:] = 1.0
    race.logs[:] = 0.0
    race.sums[:] = 0.0
    for arm in range(race.mean.size):
        race.active[arm] = arm
        race.total[arm] = race.rest[arm] = 0.0
        race.at[arm] = -1
        race.mean[arm] = 0.0
        race.error[arm] = np.inf
        race.told[arm] = -1
        race.is_open[arm] = False
        race.rung[arm] = -1
        race.spread[arm] = UNTOLD
        race.turn[arm] = -1
        race.messages[arm] = 0
        race.beaten_by[arm] = -1
    return race.mean.size


@njit(inline="always")
def noise_of(duel: ChallengeArrays, mean: float, spread: int, pulls: float, bounded: bool) -> float:
    """The deviation of a reward: `Evidence.noise`."""
    return duel.unit * math.sqrt(
        variance(bounded, (mean - duel.low) / duel.unit, math.ldexp(1.0, spread), pulls)
    )
