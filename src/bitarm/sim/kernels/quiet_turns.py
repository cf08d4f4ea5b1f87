"""Who speaks when in quiet elimination: the first words, the call of a visit, and who is asked.

The state of a trial is here too, since all of `quiet.py` works on it.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from bitarm.core.policies.quiet import PILOTS, REACH
from bitarm.sim.kernels.arrays import Floats, Integers, SchemeArrays, TapeArrays
from bitarm.sim.kernels.highest import Places
from bitarm.sim.kernels.report import starves


class Race(NamedTuple):
    """One trial: who is left, and what is known of every arm."""

    active: Places  # [place] the arms that are left
    total: Floats  # [arm] sum of all rewards
    rest: Floats  # [arm] what rounding left out of it
    seen: Floats  # [arm] μ̂, the mean that it reports on
    mean: Floats  # [arm] μ̃, the decoded mean
    error: Floats  # [arm] bound on |μ̃ − μ̂| at that mean
    at: Integers  # [arm] the checkpoint of that mean, −1 before message 1
    conceded: npt.NDArray[np.bool_]  # [arm] whether it said that it is not above the cut
    turn: Integers  # [arm] when it speaks at this visit, −1 not at all
    messages: Integers  # [arm] reports received


class Turn(NamedTuple):
    """One round: what all that speak in it are told, or will be asked for."""

    trial: int
    number: int  # of this visit's turns, from 0
    opening: bool  # whether this is the first visit: every report is message 1
    checkpoint: int
    centre: float  # where means of message 1 are counted from, if number > 0
    cut: float  # at or below it an arm falls, if number > 0


def blank_race(arms: int) -> Race:
    """Room for one trial at a time of so many arms: a kernel allocates nothing."""
    return Race(
        np.empty(arms, np.uintp),
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.int64),
        np.empty(arms, np.bool_),
        np.empty(arms, np.int64),
        np.empty(arms, np.int64),
    )


@njit(inline="always")
def begin(race: Race, scheme: SchemeArrays, pilot: bool) -> None:
    """All at once, or the pilot, then two more, then the rest around the median.

    Where there are fewer than three others, all of them follow the pilot.
    """
    arms = race.mean.size
    at_once = arms - 1 < PILOTS
    for arm in range(arms):
        race.active[arm] = arm
        race.total[arm] = race.rest[arm] = 0.0
        race.mean[arm] = scheme.start[0, arm]
        race.at[arm] = -1
        race.conceded[arm] = False
        race.messages[arm] = 0
        race.turn[arm] = 0
        if pilot and arm != arms // 2:
            race.turn[arm] = 1 if at_once or arm == 0 or arm == arms - 1 else 2


@njit(inline="always")
def call(race: Race, alive: int, leader: int, alone: bool) -> int:
    """The leader first, or all at once; returns the number of turns."""
    for a in range(alive):
        arm = race.active[a]
        race.turn[arm] = 1 if alone and arm != leader else 0
    return 2 if alone else 1


@njit(inline="always")
def ask(race: Race, alive: int, ahead: int, turn: Turn) -> None:
    """Up to the leader that went ahead: who may be at or below the cut, or above all."""
    for a in range(alive):
        arm = race.active[a]
        if arm != ahead:
            asked = is_near(race, arm, turn.cut) or (
                race.mean[arm] + REACH * race.error[arm] >= race.mean[ahead]
            )
            race.turn[arm] = turn.number if asked else -1


@njit(inline="always")
def is_near(race: Race, arm: int, cut: float) -> bool:
    """Whether an arm may be at or below the cut, by what it told last."""
    return race.mean[arm] - race.error[arm] <= cut


@njit(inline="always")
def is_told_cut(race: Race, arm: int, turn: Turn) -> bool:
    """Whether the question has a cut: of those that follow a leader, the near ones' do."""
    return turn.number > 0 and not turn.opening and is_near(race, arm, turn.cut)


@njit(inline="always")
def pulls_before(race: Race, arm: int, scheme: SchemeArrays) -> int:
    """Pulls of an arm at its last mean: it pulls on only when it is asked again."""
    return scheme.pulls[race.at[arm]] if race.at[arm] >= 0 else 0


@njit(inline="always")
def due_in(race: Race, alive: int, scheme: SchemeArrays, turn: Turn) -> tuple[int, int]:
    """How many arms speak in a turn, and the pulls that they have to make."""
    going = due = 0
    for a in range(alive):
        arm = race.active[a]
        if race.turn[arm] == turn.number:
            going += 1
            due += scheme.pulls[turn.checkpoint] - pulls_before(race, arm, scheme)
    return going, due


@njit(inline="always")
def any_starves(race: Race, alive: int, tape: TapeArrays, scheme: SchemeArrays, turn: Turn) -> bool:
    """Whether some arm that is to speak lacks rewards; every one of them is asked."""
    starved = False
    for a in range(alive):
        arm = race.active[a]
        if race.turn[arm] == turn.number:
            lacks = starves(tape, turn.trial, arm, scheme.cell_of[turn.checkpoint])
            starved = starved or lacks
    return starved
