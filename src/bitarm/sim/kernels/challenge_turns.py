"""Who is asked for what next: the twin of the decisions of `core/policies/challenge.py`."""

import math

import numpy as np

from bitarm.core.evidence.forecast import DOUBT, DOUBT_OF_EDGE, band, cut_at, forecast
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.tasks import BAND, SHARES
from bitarm.core.evidence.verdict import challenge_byte
from bitarm.core.policies.challenge import PILOTS, SHORT
from bitarm.core.policies.prospects import (
    LIKELY,
    MAY_FALL,
    MAY_LEAD,
    is_too_soon,
    raised,
    reach,
    target,
)
from bitarm.core.quantizers.dyadic import dyadic
from bitarm.sim.kernels.arrays import ChallengeArrays, ChallengeRules, Integers
from bitarm.sim.kernels.challenge_leads import is_told_enough
from bitarm.sim.kernels.challenge_race import (
    CHALLENGED,
    FIRST,
    LEADER,
    PILOT,
    PLACE,
    UNTOLD,
    Arm,
    Race,
    Turn,
    noise_of,
)
from bitarm.sim.kernels.compilation import inlined, within
from bitarm.sim.kernels.powers import power_of_two

# -- first words ----------------------------------------------------------------------------------


@inlined
def all_asked(race: Race) -> bool:
    """Whether everybody was heard, or will be in this round."""
    every = True
    for place in range(race.arms.size):
        arm = race.arms[place]
        every = every and (arm.messages > 0 or arm.asked >= 0)
    return every


@inlined
def first_words(race: Race, arrays: ChallengeArrays, trial: int, stage: int) -> Turn:
    """The pilot, then two more, then the rest around the median."""
    rules, last = arrays.rules, race.arms.size - 1
    checkpoint, pilot = rules.checkpoint, race.arms[race.arms.size // 2]
    until = arrays.pulls[checkpoint]
    if stage == 0:
        pilot.asked = PILOT if rules.bounded else FIRST
        value = rules.low + rules.unit / 2 if rules.bounded else 0.0
        noise = noise_of(rules, value, 0, until)
        return Turn(trial, checkpoint, value, noise, 0.0, 0, 0, 0, -1)
    for place in range(race.arms.size):
        among = stage == 2 or last < PILOTS or place == 0 or place == last
        if race.arms[place].messages == 0 and among:
            race.arms[place].asked = FIRST
    centre = pilot.mean
    if stage == 2:
        one, other = race.arms[0].mean, race.arms[last].mean
        centre = max(min(one, other), min(max(one, other), centre))
    spread = _last_spread(race, race.arms.size)
    noise = noise_of(rules, centre, spread, until)
    return Turn(trial, checkpoint, centre, noise, 0.0, 0, spread, 0, -1)


# -- rounds ---------------------------------------------------------------------------------------


@inlined
def _last_spread(race: Race, alive: int) -> int:
    """That of the arm with most pulls of those that told one; a coin's before."""
    spread, most = 0, -1
    for place in range(alive):
        arm = race.arms[race.active[place]]
        if arm.spread != UNTOLD and arm.told > most:
            spread, most = arm.spread, arm.told
    return spread


@inlined
def drop(race: Race, alive: int, arrays: ChallengeArrays, rounds: int, dropped: Integers) -> int:
    """Arms that gave up fall, unless there is a tolerance; and with σ known those whose told cells
    are enough. Returns how many are left; `dropped` takes the round, if it has a place for it.
    """
    kept = 0
    for place in range(alive):
        number = race.active[place]
        falls = arrays.rules.epsilon == 0.0 and race.arms[number].beaten_by >= 0
        race.active[kept] = number
        kept += 0 if falls else 1
        if falls and dropped.size:
            dropped[number] = rounds
    if arrays.rules.bounded:
        return kept
    alive, kept = kept, 0
    top = leading(race, alive)
    for place in range(alive):
        number = race.active[place]
        falls = number != top and _separates(race, race.arms[number], race.arms[top], arrays, 0.0)
        race.active[kept] = number
        kept += 0 if falls else 1
        if falls and dropped.size:
            dropped[number] = rounds
    return kept


@inlined
def leading(race: Race, alive: int) -> int:
    """The highest mean of those that do not yield to another; the first of equals."""
    best, mean = -1, -np.inf
    for place in range(alive):
        number = np.int64(race.active[place])  # unsigned, it would make a float of itself and −1
        arm = race.arms[number]
        if arm.beaten_by < 0 and (best < 0 or arm.mean > mean):
            best, mean = int(number), arm.mean
    return best


@inlined
def is_rival(race: Race, number: int, leader: int, arrays: ChallengeArrays) -> bool:
    """Whether an arm may still be better than the leader, by more than the tolerance."""
    if number == leader or arrays.rules.epsilon == 0.0:
        return number != leader
    return not _yields(race, number, leader, arrays)


@within
def _yields(race: Race, number: int, leader: int, arrays: ChallengeArrays) -> bool:
    """Whether it is known that an arm is not better than the leader by more than the tolerance."""
    if race.arms[number].beaten_by == leader:
        return True
    return not arrays.rules.bounded and _separates(
        race, race.arms[number], race.arms[leader], arrays, arrays.rules.epsilon
    )


@inlined
def is_decided(race: Race, alive: int, arrays: ChallengeArrays) -> bool:
    """Whether the leader has no rivals left."""
    leader, rivals = leading(race, alive), 0
    for place in range(alive):
        rivals += 1 if is_rival(race, race.active[place], leader, arrays) else 0
    return rivals == 0


@inlined
def _separates(
    race: Race, loser: Arm, winner: Arm, arrays: ChallengeArrays, epsilon: float
) -> bool:
    """Whether told cells are enough: `Evidence.separates`."""
    if winner.is_open or winner.error == np.inf or loser.error == np.inf:
        return False
    high, low = loser.mean + loser.error, winner.mean - winner.error
    lead = (low + epsilon - high) / arrays.rules.unit
    return is_told_enough(race, lead, loser.told, winner.told, arrays)


@inlined
def gone_ahead(race: Race, alive: int, arrays: ChallengeArrays) -> int:
    """The arm with most pulls, alone, if others can be held against what it told; or −1."""
    newest, ahead, several = -1, -1, False
    for place in range(alive):
        number = np.int64(race.active[place])
        told = race.arms[number].told
        if told == newest:
            several = True
        if told > newest:
            newest, ahead, several = told, int(number), False
    arm = race.arms[ahead]
    if several or arm.is_open or arm.error == np.inf:
        return -1
    return ahead if arm.rung >= 0 or not arrays.rules.bounded else -1


@inlined
def lead(race: Race, alive: int, arrays: ChallengeArrays, trial: int) -> Turn:
    """Who goes ahead, and how far: as far as another is to fall, by the forecast."""
    rules, number = arrays.rules, leading(race, alive)
    leader, spread = race.arms[number], _last_spread(race, alive)
    own = spread if leader.spread == UNTOLD else leader.spread
    newest = rivals = tied = 0
    for place in range(alive):
        other = race.arms[race.active[place]]
        newest = max(newest, other.told)
        if is_rival(race, race.active[place], number, arrays):
            race.others[rivals] = other.mean
            rivals += 1
            was = rules.unit / math.sqrt(arrays.pulls[other.told])
            tied += 1 if other.mean + reach(other.error, was, 0.0, 0.0) >= leader.mean else 0
    most = arrays.pulls[newest]
    farthest = max(rules.cap * most, rules.level)
    if not rules.bounded and leader.messages == 1 and leader.told == newest:
        farthest = SHORT * most if 0 < 2 * tied <= rivals else farthest
    best = forecast(
        rules.bounded,
        (leader.mean - rules.low) / rules.unit,
        leader.error / rules.unit,
        power_of_two(own),
        (target(race.others, rivals, rules.aim) - rules.epsilon - rules.low) / rules.unit,
        power_of_two(spread),
        float(most),
        farthest,
        min(1.0, rules.behind * math.sqrt(3.0 / rivals)),
        rules.level,
        rules.rates,
        rules.weights,
        DOUBT if leader.rung < 0 else DOUBT_OF_EDGE,
    )
    wanted = min(best.pulls * rules.patience, farthest)
    checkpoint = newest + 1
    while (
        checkpoint + 1 < arrays.pulls.size
        and arrays.pulls[checkpoint] < wanted
        and arrays.pulls[checkpoint + 1] <= farthest
    ):
        checkpoint += 1
    leader.asked = LEADER
    noise = 0.0
    if checkpoint < arrays.pulls.size:
        noise = noise_of(rules, leader.mean, own, arrays.pulls[checkpoint])
    first = band(best.rung)
    return Turn(trial, checkpoint, leader.mean, noise, 0.0, first, spread, own, number)


@inlined
def challenges(race: Race, alive: int, ahead: int, arrays: ChallengeArrays, trial: int) -> Turn:
    """Up to the leader: who may fall, and who may lead; nobody, if it is too soon for that."""
    rules, leader, spread = arrays.rules, race.arms[ahead], _last_spread(race, alive)
    own = spread if leader.spread == UNTOLD else leader.spread
    checkpoint = leader.told
    until = arrays.pulls[checkpoint]
    low = (leader.mean - leader.error - rules.low) / rules.unit
    middle = (leader.mean - rules.low) / rules.unit
    first = leader.rung
    if first < 0:
        first = band(_sharpest(rules, low, middle, own, spread, until))
    cut = -np.inf
    for rung in range(first, first + BAND):
        cut = max(cut, _cut_at(rules, low, middle, own, spread, until, rung))
    cut = rules.low + cut * rules.unit + rules.epsilon
    step = 2 * leader.error
    edge = raised(leader.mean - dyadic(step) / 2, rules.epsilon, step)
    for place in range(BAND):
        rung = first + place
        race.hurdles[place] = challenge_byte(
            rules.bounded,
            rules.level - rules.weights[rung],
            rules.rates[rung],
            (edge - rules.low) / rules.unit,
            middle,
            power_of_two(own),
            until,
        )
    challenged = likely = 0
    for place in range(alive):
        if not is_rival(race, race.active[place], ahead, arrays):
            continue
        arm = race.arms[race.active[place]]
        before = arrays.pulls[arm.told]
        noise = noise_of(rules, arm.mean, spread, before)
        moved = noise * math.sqrt(max(0.0, 1 / before - 1 / until))
        was = noise / math.sqrt(before)
        if arm.mean - reach(arm.error, was, moved, MAY_FALL) <= cut:
            arm.asked = CHALLENGED
            challenged += 1
            likely += 1 if arm.mean + LIKELY * noise / math.sqrt(until) <= cut else 0
        elif arm.mean + reach(arm.error, was, moved, MAY_LEAD) >= leader.mean:
            arm.asked = PLACE
    if leading(race, alive) == ahead and is_too_soon(challenged, likely, leader.messages):
        for place in range(alive):
            race.arms[race.active[place]].asked = -1
    return Turn(trial, checkpoint, cut, 0.0, edge, first, spread, own, ahead)


@inlined
def due_pulls(race: Race, alive: int, arrays: ChallengeArrays, turn: Turn) -> tuple[int, int]:
    """How many are asked, and the pulls that all of them may make until they answer."""
    asked = due = 0
    for place in range(alive):
        arm = race.arms[race.active[place]]
        if arm.asked >= 0:
            asked += 1
            due += arrays.pulls[turn.checkpoint] - (arrays.pulls[arm.told] if arm.told >= 0 else 0)
    return asked, due


@within
def _sharpest(
    rules: ChallengeRules, low: float, middle: float, own: int, spread: int, pulls: int
) -> int:
    """The rung at which an arm with as many pulls falls soonest."""
    best, highest_cut = 0, -np.inf
    for rung in range(RUNGS):
        needed = rules.level - rules.weights[rung] - SHARES[0]
        if low - needed / (pulls * rules.rates[rung]) < highest_cut:
            break  # a lower rate cuts lower still
        cut = _cut_at(rules, low, middle, own, spread, pulls, rung)
        if cut > highest_cut:
            best, highest_cut = rung, cut
    return best


@inlined
def _cut_at(
    rules: ChallengeRules, low: float, middle: float, own: int, spread: int, pulls: int, rung: int
) -> float:
    return cut_at(
        rules.bounded,
        low,
        middle,
        power_of_two(own),
        power_of_two(spread),
        float(pulls),
        rules.level - rules.weights[rung] - SHARES[0],
        rules.rates[rung],
    )
