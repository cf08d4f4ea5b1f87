"""One trial of elimination by challenge: what is known of every arm, and what one round says.

What belongs to an arm is one record. A function that is given a row of records is compiled in a
tenth of the time that it takes with an array for every field.

Formulas are the core's own, compiled.
"""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np

from bitarm.core.codes.prefix import zigzag
from bitarm.core.evidence.account import clamped, cost, variance
from bitarm.core.evidence.bets import BETTORS, above, below, fold, foresee
from bitarm.core.evidence.edge import certified
from bitarm.core.evidence.forecast import band, cut_at, forecast
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.least import log_sum, reaches
from bitarm.core.evidence.spread import grown_spread, quarters_below
from bitarm.core.evidence.tasks import BAND, SHARES, hurdle, hurdle_byte
from bitarm.core.evidence.verdict import challenge_byte, told_enough, weigh
from bitarm.core.policies.prospects import is_too_soon, raised, reach, target
from bitarm.core.quantizers.dicq import golomb_divisor_of
from bitarm.core.quantizers.dyadic import divisor_for, dyadic, step_down_to
from bitarm.sim.kernels.arrays import ChallengeRules, Floats, Integers
from bitarm.sim.kernels.compilation import compiled_too, inlined
from bitarm.sim.kernels.highest import Places
from bitarm.sim.kernels.powers import power_of_two

compiled_too(
    clamped, cost, variance, above, below, fold, foresee, reaches, log_sum, band, cut_at,
    forecast, told_enough, hurdle, hurdle_byte, grown_spread, challenge_byte,
    certified, quarters_below, weigh, target, raised, reach, is_too_soon,
    golomb_divisor_of, divisor_for, dyadic, step_down_to, zigzag,
)  # fmt: skip

AT_ONCE = 8
"""Rewards that bettors play at once, so that fortunes are seldom read and written."""

UNTOLD = 1 << 20
"""The spread of an arm that has told none."""

FIRST, PILOT, LEADER, CHALLENGED, PLACE = range(5)
"""What an arm is asked for, as `HintKind` has it; FIRST is its centre."""


class Arm(Protocol):
    """The record of an arm: what it knows itself, and then what the learner knows of it."""

    total: float  # sum of all rewards
    rest: float  # what rounding left out of it
    at: int  # the checkpoint up to which it has pulled, −1 before the first
    bets: float  # sums of rewards, predictions and squares, in units
    predicted: float
    squares: float
    fortunes: Floats  # [bettor] since the last fold
    logs: Floats  # [bettor] of what they had before
    mean: float  # μ̃, the decoded mean
    error: float  # half a step
    told: int  # the checkpoint of that mean
    is_open: bool  # whether μ̂ may be anywhere below its cell
    rung: int  # the first at which it told its evidence, −1 if it told none
    spread: int  # as it told, or UNTOLD
    asked: int  # what it is asked for next, −1 if nothing
    messages: int  # reports received
    beaten_by: int  # the leader to which it gave up, −1 if it did not


class Arms(Protocol):
    """[arm] records."""

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def __getitem__(self, arm: int | np.integer[Any], /) -> Arm:
        """The record itself: what is written to it stays."""
        ...


_ARM = np.dtype(
    [
        *((name, np.float64) for name in ("total", "rest", "bets", "predicted", "squares")),
        *((name, np.float64, (2 * BETTORS,)) for name in ("fortunes", "logs")),
        *((name, np.float64) for name in ("mean", "error")),
        *((name, np.int64) for name in ("at", "told", "rung", "spread", "asked", "messages")),
        ("beaten_by", np.int64),
        ("is_open", np.bool_),
    ],
    align=True,
)


class Race(NamedTuple):
    """One trial: who is left, what is known of every arm, and room to compute in."""

    arms: Arms
    active: Places  # [place] the arms that are left
    others: Floats  # [arm] room
    terms: Floats  # [2, pair of rungs] room for values and slopes
    below: Floats  # [rung] room
    hurdles: Integers  # [3] of the present challenge
    surprises: Floats  # [8] rewards above their predictions, yet to be played; 0 is no reward


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
    return Race(
        np.empty(arms, _ARM),
        np.empty(arms, np.uintp),
        np.empty(arms, np.float64),
        np.empty((2, RUNGS * len(SHARES)), np.float64),
        np.empty(BAND + len(SHARES), np.float64),
        np.empty(BAND, np.int64),
        np.zeros(AT_ONCE, np.float64),
    )


@inlined
def begin(race: Race, bets: bool) -> int:
    """Nobody has pulled, or told anything; returns how many they are. Some never bet."""
    for place in range(race.arms.size):
        race.active[place] = place
        arm = race.arms[place]
        arm.total = arm.rest = 0.0
        arm.at = -1
        arm.bets = arm.predicted = arm.squares = 0.0
        if bets:
            arm.fortunes[:] = 1.0
            arm.logs[:] = 0.0
        arm.mean = 0.0
        arm.error = np.inf
        arm.told = -1
        arm.is_open = False
        arm.rung = -1
        arm.spread = UNTOLD
        arm.asked = -1
        arm.messages = 0
        arm.beaten_by = -1
    return race.arms.size


@inlined
def noise_of(rules: ChallengeRules, mean: float, spread: int, pulls: float) -> float:
    """The deviation of a reward: `Evidence.noise`."""
    if not rules.bounded:
        return rules.unit
    units = (mean - rules.low) / rules.unit
    return rules.unit * math.sqrt(variance(True, units, power_of_two(spread), pulls))
