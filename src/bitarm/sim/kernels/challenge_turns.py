"""Who is asked for what next: the twin of the decisions of `core/policies/challenge.py`."""

import math

import numpy as np
from numba import njit

from bitarm.core.evidence.evidence import DOUBT, DOUBT_OF_EDGE, band, cut_at, forecast
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.tasks import BAND, SHARES, challenge_byte
from bitarm.core.policies.challenge import (
    MAY_FALL,
    MAY_LEAD,
    PILOTS,
    SHORT,
    raised,
    reach,
    target,
)
from bitarm.core.quantizers.dyadic import dyadic
from bitarm.sim.kernels.arrays import ChallengeArrays, OutputArrays, SchemeArrays
from bitarm.sim.kernels.challenge_leads import is_told_enough
from bitarm.sim.kernels.challenge_race import (
    CHALLENGED,
    FIRST,
    LEADER,
    PILOT,
    PLACE,
    UNTOLD,
    Race,
    Turn,
    noise_of,
)

# -- first words ----------------------------------------------------------------------------------


@njit(inline="always")
def all_asked(race: Race) -> bool:
    """Whether everybody was heard, or will be in this round."""
    every = True
    for arm in range(race.mean.size):
        every = every and (race.messages[arm] > 0 or race.turn[arm] >= 0)
    return every


@njit(inline="always")
def first_words(
    race: Race, duel: ChallengeArrays, scheme: SchemeArrays, trial: int, stage: int, bounded: bool
) -> Turn:
    """The pilot, then two more, then the rest around the median."""
    arms, checkpoint = race.mean.size, duel.checkpoint
    pilot, until = arms // 2, scheme.pulls[checkpoint]
    if stage == 0:
        race.turn[pilot] = PILOT if bounded else FIRST
        value = duel.low + duel.unit / 2 if bounded else 0.0
        noise = noise_of(duel, value, 0, until, bounded)
        return Turn(trial, checkpoint, value, noise, 0.0, 0, 0, 0, -1)
    at_once = arms - 1 < PILOTS
    for arm in range(arms):
        if race.messages[arm] == 0 and (stage == 2 or at_once or arm == 0 or arm == arms - 1):
            race.turn[arm] = FIRST
    centre = race.mean[pilot]
    if stage == 2:
        low = min(race.mean[0], race.mean[arms - 1])
        high = max(race.mean[0], race.mean[arms - 1])
        centre = max(low, min(high, centre))
    spread = _last_spread(race, arms, scheme)
    noise = noise_of(duel, centre, spread, until, bounded)
    return Turn(trial, checkpoint, centre, noise, 0.0, 0, spread, 0, -1)


# -- rounds ---------------------------------------------------------------------------------------


@njit(inline="always")
def _last_spread(race: Race, alive: int, scheme: SchemeArrays) -> int:
    """That of the arm with most pulls of those that told one; a coin's before."""
    spread, most = 0, -1
    for a in range(alive):
        arm = race.active[a]
        if race.spread[arm] != UNTOLD and race.told[arm] > most:
            spread, most = race.spread[arm], race.told[arm]
    return spread


@njit(inline="always")
def drop(
    race: Race,
    alive: int,
    duel: ChallengeArrays,
    scheme: SchemeArrays,
    output: OutputArrays,
    trial: int,
    rounds: int,
    bounded: bool,
    shown: bool,
) -> int:
    """Arms that gave up fall, unless there is a tolerance; and with σ known those whose told cells
    are enough. Returns how many are left.
    """
    kept = 0
    for a in range(alive):
        arm = race.active[a]
        falls = duel.epsilon == 0.0 and race.beaten_by[arm] >= 0
        race.active[kept] = arm
        kept += 0 if falls else 1
        if shown and falls:
            output.dropped[trial, arm] = rounds
    if bounded:
        return kept
    alive, kept = kept, 0
    top = leading(race, alive)
    for a in range(alive):
        arm = race.active[a]
        falls = arm != top and _separates(race, arm, top, duel, scheme, 0.0)
        race.active[kept] = arm
        kept += 0 if falls else 1
        if shown and falls:
            output.dropped[trial, arm] = rounds
    return kept


@njit(inline="always")
def leading(race: Race, alive: int) -> int:
    """The highest mean of those that do not yield to another; the first of equals."""
    best = -1
    for a in range(alive):
        arm = race.active[a]
        if race.beaten_by[arm] < 0 and (best < 0 or race.mean[arm] > race.mean[best]):
            best = int(np.int64(arm))  # unsigned, it would make a float of itself and −1
    return best


@njit(inline="always")
def is_rival(
    race: Race, arm: int, leader: int, duel: ChallengeArrays, scheme: SchemeArrays, bounded: bool
) -> bool:
    """Whether an arm may still be better than the leader, by more than the tolerance."""
    if arm == leader:
        return False
    if duel.epsilon == 0.0:
        return True
    if race.beaten_by[arm] == leader:
        return False
    return bounded or not _separates(race, arm, leader, duel, scheme, duel.epsilon)


@njit(inline="always")
def is_decided(
    race: Race, alive: int, duel: ChallengeArrays, scheme: SchemeArrays, bounded: bool
) -> bool:
    """Whether the leader has no rivals left."""
    leader, rivals = leading(race, alive), 0
    for a in range(alive):
        rivals += 1 if is_rival(race, race.active[a], leader, duel, scheme, bounded) else 0
    return rivals == 0


@njit(inline="always")
def _separates(
    race: Race, loser: int, winner: int, duel: ChallengeArrays, scheme: SchemeArrays, epsilon: float
) -> bool:
    """Whether told cells are enough: `Evidence.separates`."""
    if race.is_open[winner] or race.error[winner] == np.inf or race.error[loser] == np.inf:
        return False
    low = race.mean[winner] - race.error[winner]
    high = race.mean[loser] + race.error[loser]
    lead = (low + epsilon - high) / duel.unit
    return is_told_enough(race, lead, race.told[loser], race.told[winner], duel, scheme)


@njit(inline="always")
def gone_ahead(race: Race, alive: int, bounded: bool) -> int:
    """The arm with most pulls, alone, if others can be held against what it told; or −1."""
    newest, ahead, several = -1, -1, False
    for a in range(alive):
        arm = race.active[a]
        if race.told[arm] == newest:
            several = True
        if race.told[arm] > newest:
            newest, ahead, several = race.told[arm], int(np.int64(arm)), False
    if several or race.is_open[ahead] or race.error[ahead] == np.inf:
        return -1
    return ahead if race.rung[ahead] >= 0 or not bounded else -1


@njit(inline="always")
def lead(
    race: Race, alive: int, duel: ChallengeArrays, scheme: SchemeArrays, trial: int, bounded: bool
) -> Turn:
    """Who goes ahead, and how far: as far as another is to fall, by the forecast."""
    leader = leading(race, alive)
    spread = _last_spread(race, alive, scheme)
    own = spread if race.spread[leader] == UNTOLD else race.spread[leader]
    newest, rivals = 0, 0
    for a in range(alive):
        arm = race.active[a]
        newest = max(newest, race.told[arm])
        if is_rival(race, arm, leader, duel, scheme, bounded):
            race.others[rivals] = race.mean[arm]
            rivals += 1
    most = scheme.pulls[newest]
    farthest = max(duel.cap * most, duel.level)
    if not bounded and race.messages[leader] == 1 and race.told[leader] == newest:
        tied = 0
        for n in range(rivals):
            tied += 1 if race.others[n] >= race.mean[leader] else 0
        farthest = SHORT * most if 0 < 2 * tied <= rivals else farthest
    best = forecast(
        bounded,
        (race.mean[leader] - duel.low) / duel.unit,
        race.error[leader] / duel.unit,
        math.ldexp(1.0, own),
        (target(race.others, rivals, duel.aim) - duel.epsilon - duel.low) / duel.unit,
        math.ldexp(1.0, spread),
        float(most),
        farthest,
        min(1.0, duel.behind * math.sqrt(3.0 / rivals)),
        duel.level,
        duel.rates,
        duel.weights,
        DOUBT if race.rung[leader] < 0 else DOUBT_OF_EDGE,
    )
    wanted = min(best.pulls * duel.patience, farthest)
    checkpoint = newest + 1
    while (
        checkpoint + 1 < scheme.pulls.size
        and scheme.pulls[checkpoint] < wanted
        and scheme.pulls[checkpoint + 1] <= farthest
    ):
        checkpoint += 1
    race.turn[leader] = LEADER
    noise = 0.0
    if checkpoint < scheme.pulls.size:
        noise = noise_of(duel, race.mean[leader], own, scheme.pulls[checkpoint], bounded)
    first = band(best.rung)
    return Turn(trial, checkpoint, race.mean[leader], noise, 0.0, first, spread, own, leader)


@njit(inline="always")
def challenges(
    race: Race,
    alive: int,
    leader: int,
    duel: ChallengeArrays,
    scheme: SchemeArrays,
    trial: int,
    bounded: bool,
) -> Turn:
    """Up to the leader: who may fall, and who may lead."""
    spread = _last_spread(race, alive, scheme)
    own = spread if race.spread[leader] == UNTOLD else race.spread[leader]
    checkpoint = race.told[leader]
    until = scheme.pulls[checkpoint]
    low = (race.mean[leader] - race.error[leader] - duel.low) / duel.unit
    middle = (race.mean[leader] - duel.low) / duel.unit
    first = race.rung[leader]
    if first < 0:
        first = band(_sharpest(duel, low, middle, own, spread, until, bounded))
    cut = -np.inf
    for rung in range(first, first + BAND):
        cut = max(cut, _cut_at(duel, low, middle, own, spread, until, rung, bounded))
    cut = duel.low + cut * duel.unit + duel.epsilon
    step = 2 * race.error[leader]
    edge = raised(race.mean[leader] - dyadic(step) / 2, duel.epsilon, step)
    for place in range(BAND):
        rung = first + place
        race.hurdles[place] = challenge_byte(
            bounded,
            duel.level - duel.weights[rung],
            duel.rates[rung],
            (edge - duel.low) / duel.unit,
            middle,
            math.ldexp(1.0, own),
            until,
        )
    for a in range(alive):
        arm = race.active[a]
        if not is_rival(race, arm, leader, duel, scheme, bounded):
            continue
        before = scheme.pulls[race.told[arm]]
        noise = noise_of(duel, race.mean[arm], spread, before, bounded)
        moved = noise * math.sqrt(max(0.0, 1 / before - 1 / until))
        error, was = race.error[arm], noise / math.sqrt(before)
        if race.mean[arm] - reach(error, was, moved, MAY_FALL) <= cut:
            race.turn[arm] = CHALLENGED
        elif race.mean[arm] + reach(error, was, moved, MAY_LEAD) >= race.mean[leader]:
            race.turn[arm] = PLACE
    return Turn(trial, checkpoint, cut, 0.0, edge, first, spread, own, leader)


@njit(inline="always")
def _sharpest(
    duel: ChallengeArrays,
    low: float,
    middle: float,
    own: int,
    spread: int,
    pulls: float,
    bounded: bool,
) -> int:
    """The rung at which an arm with as many pulls falls soonest."""
    best, highest_cut = 0, -np.inf
    for rung in range(RUNGS):
        needed = duel.level - duel.weights[rung] - SHARES[0]
        if low - needed / (pulls * duel.rates[rung]) < highest_cut:
            break  # a lower rate cuts lower still
        cut = _cut_at(duel, low, middle, own, spread, pulls, rung, bounded)
        if cut > highest_cut:
            best, highest_cut = rung, cut
    return best


@njit(inline="always")
def _cut_at(
    duel: ChallengeArrays,
    low: float,
    middle: float,
    own: int,
    spread: int,
    pulls: float,
    rung: int,
    bounded: bool,
) -> float:
    return cut_at(
        bounded,
        low,
        middle,
        math.ldexp(1.0, own),
        math.ldexp(1.0, spread),
        float(pulls),
        duel.level - duel.weights[rung] - SHARES[0],
        duel.rates[rung],
    )
