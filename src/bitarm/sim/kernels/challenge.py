"""Elimination by challenge: the twin of `core/policies/challenge.py` and of agents that judge.

Formulas are the core's own, compiled. Rewards of which only the bounds are known are drawn one by
one, since agents bet on each; they are on no tape.
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.extending import register_jitable

from bitarm.core.codes.above import ESCAPE as ABOVE_ESCAPE
from bitarm.core.codes.prefix import ESCAPE
from bitarm.core.evidence.account import clamped, cost, variance
from bitarm.core.evidence.bets import BETTORS, above, below, bet
from bitarm.core.evidence.evidence import band, cut_at, forecast, told_enough
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.least import reaches
from bitarm.core.evidence.tasks import (
    BAND,
    MOST_BELOW,
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
from bitarm.core.policies.challenge import MAY_FALL, MAY_LEAD, PILOTS, target
from bitarm.core.quantizers.dicq import FIRST_ESCAPE, golomb_divisor_of
from bitarm.core.quantizers.dyadic import ROUNDING, dyadic, unit_of
from bitarm.sim.kernels.arrays import (
    ChallengeArrays,
    EnvironmentArrays,
    Floats,
    Integers,
    OutputArrays,
    SchemeArrays,
    TapeArrays,
)
from bitarm.sim.kernels.compilation import SOURCES_NUMBER, kernel
from bitarm.sim.kernels.highest import Places, highest
from bitarm.sim.kernels.quantize import golomb_bits, within_steps
from bitarm.sim.kernels.report import add_cells, draw_leap
from bitarm.sim.kernels.status import (
    BEST,
    BITS,
    DECIDED,
    MESSAGES,
    OUTCOME,
    ROUNDS,
    RUNNING,
    SAMPLE_LIMIT,
    SAMPLES,
    TOO_FAR,
    limit_passed,
)
from bitarm.sim.kernels.sums import added, draw_reward

for _function in (
    clamped, cost, variance, above, below, bet, reaches, band, cut_at,
    forecast, told_enough, hurdle, hurdle_byte, certified, spread_change,
    challenge_byte, highest_edge, quarters_below, weigh, target, golomb_divisor_of, dyadic, unit_of,
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
    beaten: npt.NDArray[np.bool_]  # [arm] whether it gave up
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
        np.empty(arms, np.bool_),
        np.empty(terms, np.float64),
        np.empty(terms, np.float64),
        np.empty(BAND + len(SHARES), np.float64),
        np.empty(arms, np.float64),
        np.empty(BAND, np.int64),
    )


@lru_cache(maxsize=16)
def compiled(*, bounded: bool, gaussian: bool, stored: bool) -> Any:
    """A kernel compiled for one kind of setting: whether agents bet, and as `elimination.py`."""

    sources = SOURCES_NUMBER

    @kernel
    def run_trials(
        rng: np.random.Generator,
        todo: Integers,
        environment: EnvironmentArrays,
        tape: TapeArrays,
        scheme: SchemeArrays,
        duel: ChallengeArrays,
        race: Race,
        output: OutputArrays,
    ) -> None:
        _ = sources  # a constant of the kernel: see kernels/compilation.py
        shown = output.mean.size > 0
        for x in range(todo.size):
            trial = todo[x]
            alive = _begin(race)
            rounds = counted = bits = 0
            stage = 0  # the pilot, two more, the rest; then the leader and its challengers
            ahead = -1  # the arm that has gone ahead and whose challenges are due
            checkpoint = duel.checkpoint
            turn = Turn(trial, checkpoint, 0.0, 0.0, 0.0, 0, 0, 0)
            while True:
                outcome = RUNNING
                if stage < 3:
                    turn = _first_words(race, duel, scheme, trial, stage, bounded)
                    stage = 3 if _all_asked(race) else stage + 1
                else:
                    alive = _drop(race, alive, duel, scheme, output, trial, rounds, bounded, shown)
                    if alive == 1:
                        outcome = DECIDED
                        break
                    going = 0
                    if ahead >= 0:
                        turn = _challenges(race, alive, ahead, duel, scheme, trial, bounded)
                        for a in range(alive):
                            going += 1 if race.turn[race.active[a]] >= 0 else 0
                        ahead = -1
                    if going == 0:
                        ahead, turn = _lead(race, alive, duel, scheme, trial, bounded)
                        if turn.checkpoint == scheme.pulls.size:
                            outcome = SAMPLE_LIMIT
                            break
                until = scheme.pulls[turn.checkpoint]
                going = due = 0
                for a in range(alive):
                    arm = race.active[a]
                    if race.turn[arm] >= 0:
                        going += 1
                        due += until - (scheme.pulls[race.told[arm]] if race.told[arm] >= 0 else 0)
                outcome = limit_passed(scheme.limits, rounds + 1, counted + due, bits + going)
                if outcome != RUNNING:
                    break
                rounds += 1
                counted += due
                coded = True
                for a in range(alive):
                    arm = race.active[a]
                    if race.turn[arm] < 0:
                        continue
                    nbits, steps, detail, codes = _answer(
                        race, arm, rng, environment, tape, scheme, duel, turn,
                        bounded, gaussian, stored,
                    )  # fmt: skip
                    bits += nbits
                    coded = coded and codes
                    if shown:
                        n = race.messages[arm]
                        output.mean[trial, n, arm] = race.mean[arm]
                        output.nbits[trial, n, arm] = nbits
                        output.number[trial, n, arm] = steps
                        output.divisor[trial, n, arm] = detail
                    race.messages[arm] += 1
                    race.turn[arm] = -1
                if not coded:
                    outcome = TOO_FAR
                    break
            samples = 0
            for arm in range(race.mean.size):
                samples += scheme.pulls[race.at[arm]] if race.at[arm] >= 0 else 0
            row = output.table[trial]
            row[ROUNDS], row[SAMPLES], row[BITS] = rounds, samples, bits
            row[BEST] = race.active[0] if outcome == DECIDED else -1
            row[OUTCOME], row[MESSAGES] = outcome, race.messages.sum()

    return run_trials


# -- first words ----------------------------------------------------------------------------------


@njit(inline="always")
def _begin(race: Race) -> int:
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
        race.beaten[arm] = False
    return race.mean.size


@njit(inline="always")
def _all_asked(race: Race) -> bool:
    """Whether everybody was heard, or will be in this round."""
    every = True
    for arm in range(race.mean.size):
        every = every and (race.messages[arm] > 0 or race.turn[arm] >= 0)
    return every


@njit(inline="always")
def _first_words(
    race: Race, duel: ChallengeArrays, scheme: SchemeArrays, trial: int, stage: int, bounded: bool
) -> Turn:
    """The pilot, then two more, then the rest around the median."""
    arms, checkpoint = race.mean.size, duel.checkpoint
    pilot, until = arms // 2, scheme.pulls[checkpoint]
    if stage == 0:
        race.turn[pilot] = PILOT if bounded else FIRST
        value = duel.low + duel.unit / 2 if bounded else 0.0
        noise = _noise(duel, value, 0, until, bounded)
        return Turn(trial, checkpoint, value, noise, 0.0, 0, 0, 0)
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
    noise = _noise(duel, centre, spread, until, bounded)
    return Turn(trial, checkpoint, centre, noise, 0.0, 0, spread, 0)


# -- rounds ---------------------------------------------------------------------------------------


@njit(inline="always")
def _noise(duel: ChallengeArrays, mean: float, spread: int, pulls: float, bounded: bool) -> float:
    """The deviation of a reward: `Evidence.noise`."""
    return duel.unit * math.sqrt(
        variance(bounded, (mean - duel.low) / duel.unit, math.ldexp(1.0, spread), pulls)
    )


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
def _drop(
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
    """Arms that gave up fall, and with σ known those whose told cells are enough."""
    kept = 0
    for a in range(alive):
        arm = race.active[a]
        race.active[kept] = arm
        kept += 0 if race.beaten[arm] else 1
        if shown and race.beaten[arm]:
            output.dropped[trial, arm] = rounds
    if bounded:
        return kept
    alive, kept = kept, 0
    top = highest(race.active, alive, race.mean)
    low = -np.inf if race.is_open[top] else race.mean[top] - race.error[top]
    for a in range(alive):
        arm = race.active[a]
        high = race.mean[arm] + race.error[arm]
        falls = False
        if arm != top and not race.is_open[top]:
            falls = told_enough(
                (low - high) / duel.unit,
                scheme.pulls[race.told[arm]],
                scheme.pulls[race.told[top]],
                duel.level,
                duel.rates,
                duel.weights,
                race.values,
                race.slopes,
            )
        race.active[kept] = arm
        kept += 0 if falls else 1
        if shown and falls:
            output.dropped[trial, arm] = rounds
    return kept


@njit(inline="always")
def _lead(
    race: Race, alive: int, duel: ChallengeArrays, scheme: SchemeArrays, trial: int, bounded: bool
) -> tuple[int, Turn]:
    """Who goes ahead, and how far: as far as another is to fall, by the forecast.

    A signed number: beside −1 for nobody, an unsigned one would make a float of both.
    """
    leader = highest(race.active, alive, race.mean)
    spread = _last_spread(race, alive, scheme)
    own = spread if race.spread[leader] == UNTOLD else race.spread[leader]
    newest, rivals = 0, 0
    for a in range(alive):
        arm = race.active[a]
        newest = max(newest, race.told[arm])
        if arm != leader:
            race.others[rivals] = race.mean[arm]
            rivals += 1
    most = scheme.pulls[newest]
    farthest = max(duel.cap * most, duel.level)
    best = forecast(
        bounded,
        (race.mean[leader] - duel.low) / duel.unit,
        math.ldexp(1.0, own),
        (target(race.others, rivals, duel.aim) - duel.low) / duel.unit,
        math.ldexp(1.0, spread),
        float(most),
        farthest,
        min(1.0, duel.behind * math.sqrt(3.0 / rivals)),
        duel.level,
        duel.rates,
        duel.weights,
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
        noise = _noise(duel, race.mean[leader], own, scheme.pulls[checkpoint], bounded)
    turn = Turn(trial, checkpoint, race.mean[leader], noise, 0.0, band(best.rung), spread, own)
    return int(np.int64(leader)), turn


@njit(inline="always")
def _challenges(
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
    cut = duel.low + cut * duel.unit
    edge = race.mean[leader] - dyadic(2 * race.error[leader]) / 2
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
        if arm == leader:
            continue
        before = scheme.pulls[race.told[arm]]
        noise = _noise(duel, race.mean[arm], spread, before, bounded)
        moved = noise * math.sqrt(max(0.0, 1 / before - 1 / until))
        if race.mean[arm] - race.error[arm] - MAY_FALL * moved <= cut:
            race.turn[arm] = CHALLENGED
        elif race.mean[arm] + race.error[arm] + MAY_LEAD * moved >= race.mean[leader]:
            race.turn[arm] = PLACE
    return Turn(trial, checkpoint, cut, 0.0, edge, first, spread, own)


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


# -- answers --------------------------------------------------------------------------------------


@njit(inline="always")
def _answer(
    race: Race,
    arm: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    scheme: SchemeArrays,
    duel: ChallengeArrays,
    turn: Turn,
    bounded: bool,
    gaussian: bool,
    stored: bool,
) -> tuple[int, float, float, bool]:
    """One arm pulls, looks if it is challenged, and says what it is asked for.

    Returned are the bits, the steps that it tells (not a number if it gives up), what else it tells
    (a divisor; after a challenge −1; and for who told a spread, that times 1024), and whether there
    is a word for its mean.
    """
    asked, until = race.turn[arm], scheme.pulls[turn.checkpoint]
    if asked == CHALLENGED:
        if race.at[arm] >= 0 and _looks(race, arm, scheme, duel, turn, until, bounded):
            return _give_up(race, arm)
        while race.at[arm] < turn.checkpoint:
            _pull(
                race, arm, race.at[arm] + 1, rng, environment, tape, scheme, duel, turn,
                bounded, gaussian, stored,
            )  # fmt: skip
            if _looks(race, arm, scheme, duel, turn, until, bounded):
                return _give_up(race, arm)
    else:
        _pull(
            race, arm, turn.checkpoint, rng, environment, tape, scheme, duel, turn,
            bounded, gaussian, stored,
        )  # fmt: skip
    return _tell(race, arm, scheme, duel, turn, asked, until, bounded)


@njit(inline="always")
def _give_up(race: Race, arm: int) -> tuple[int, float, float, bool]:
    race.beaten[arm] = True
    return 1, math.nan, -1.0, True


@njit(inline="always")
def _pull(
    race: Race,
    arm: int,
    upto: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    scheme: SchemeArrays,
    duel: ChallengeArrays,
    turn: Turn,
    bounded: bool,
    gaussian: bool,
    stored: bool,
) -> None:
    """Rewards up to a checkpoint."""
    done = scheme.pulls[race.at[arm]] if race.at[arm] >= 0 else 0
    if bounded:
        sums, more = race.sums[arm], 0.0
        for pulls in range(done, scheme.pulls[upto]):
            reward = draw_reward(
                rng, environment.family[arm], environment.p[arm], environment.q[arm]
            )
            more += reward
            sums[0], sums[1], sums[2] = bet(
                (reward - duel.low) / duel.unit, pulls, sums[0], sums[1], sums[2],
                race.fortunes[arm], race.logs[arm],
            )  # fmt: skip
        total, rest = added(race.total[arm], race.rest[arm], more)
    elif stored:
        first = scheme.cell_of[race.at[arm]] + 1 if race.at[arm] >= 0 else 0
        total, rest = add_cells(
            race.total[arm], race.rest[arm], rng, environment, tape, turn.trial, arm,
            first, scheme.cell_of[upto], gaussian, stored,
        )  # fmt: skip
    else:
        count = scheme.pulls[upto] - done
        more = draw_leap(rng, environment, count, arm, gaussian)
        total, rest = added(race.total[arm], race.rest[arm], more)
    race.total[arm], race.rest[arm] = total, rest
    race.at[arm] = upto


@njit(inline="always")
def _looks(
    race: Race,
    arm: int,
    scheme: SchemeArrays,
    duel: ChallengeArrays,
    turn: Turn,
    until: int,
    bounded: bool,
) -> bool:
    """Whether a challenged arm is beaten: `tasks.is_beaten`."""
    pulls = scheme.pulls[race.at[arm]]
    mean = ((race.total[arm] + race.rest[arm]) / float(pulls) - duel.low) / duel.unit
    lowest = max(turn.first + 1 - len(SHARES), 0)
    for rung in range(lowest, turn.first + BAND):
        if bounded:
            sums = race.sums[arm]
            race.below[rung - lowest] = below(
                rung, sums[0], sums[1], sums[2], race.fortunes[arm], race.logs[arm]
            )
        else:
            rate = duel.rates[rung]
            race.below[rung - lowest] = pulls * rate * (-mean - rate / 2)
    return weigh(
        bounded,
        (turn.edge - duel.low) / duel.unit,
        mean,
        until,
        pulls,
        turn.first,
        race.hurdles,
        race.below,
        duel.rates,
        race.values,
        race.slopes,
    )


@njit(inline="always")
def _tell(
    race: Race,
    arm: int,
    scheme: SchemeArrays,
    duel: ChallengeArrays,
    turn: Turn,
    asked: int,
    until: int,
    bounded: bool,
) -> tuple[int, float, float, bool]:
    """Where the arm is, in the words of the quantizer `dyadic`."""
    mean = (race.total[arm] + race.rest[arm]) / float(until)
    is_first = race.messages[arm] == 0
    before = until if is_first else scheme.pulls[race.told[arm]]
    noise = turn.noise
    if asked in (CHALLENGED, PLACE):
        noise = _noise(duel, race.mean[arm], turn.spread, before, bounded)
    step = min(dyadic(duel.kappa[asked] * (noise / math.sqrt(until))), duel.widest)
    codes = within_steps(mean, step)
    if asked == CHALLENGED:
        under = min(max(math.ceil((turn.edge - turn.value) / step), 0), MOST_BELOW)
        low = turn.edge - under * step
        cell = max(math.floor((mean - low) / step), 0)
        race.mean[arm] = low + (cell + 0.5) * step
        race.error[arm] = step / 2 * ROUNDING
        race.told[arm] = turn.checkpoint
        race.is_open[arm] = cell == 0
        race.rung[arm] = -1
        return 1 + golomb_bits(int(cell), 1, ABOVE_ESCAPE), float(cell), -1.0, codes
    value = race.mean[arm] if asked == PLACE else turn.value
    unit = unit_of(step)
    centre = math.floor(value / unit + 0.5) * unit if within_steps(value, step) else 0.0
    divisor, escape = 1, FIRST_ESCAPE
    if not is_first:
        moved = noise * math.sqrt(max(0.0, 1 / before - 1 / until))
        error = race.error[arm]
        divisor = golomb_divisor_of((moved * moved + error * error / 3) / (step * step))
        escape = ESCAPE
    steps = math.floor((mean - centre) / step + 0.5)
    detail, nbits = float(divisor), 0
    if asked == LEADER and bounded:
        first, sums = turn.first, race.sums[arm]
        for place in range(BAND):
            race.below[place] = above(
                first + place, sums[0], sums[1], sums[2], race.fortunes[arm], race.logs[arm]
            )
        steps, change = highest_edge(
            bounded, steps, centre, step, turn.own, mean, until, duel.low, duel.unit,
            duel.rates[first : first + BAND], race.below,
        )  # fmt: skip
        race.spread[arm] = turn.own + change
        race.rung[arm] = first
        nbits = 1 if change == 0 else 1 + golomb_bits(_fold(change), 1, ESCAPE)
        detail += 1024.0 * (change + 64)
    else:
        race.rung[arm] = -1
    told = centre + steps * step
    if asked == PILOT:
        pulls_variance = race.sums[arm, 2] / until
        quarters = quarters_below(pulls_variance, (told - duel.low) / duel.unit, until)
        race.spread[arm] = -2 * quarters
        nbits = quarters + 1
        detail += 1024.0 * (64 - 2 * quarters)
    race.mean[arm] = told
    race.error[arm] = step / 2 * ROUNDING
    race.told[arm] = turn.checkpoint
    race.is_open[arm] = False
    return nbits + golomb_bits(_fold(steps), divisor, escape), float(steps), detail, codes


@njit(inline="always")
def _fold(number: int) -> int:
    """`prefix.zigzag`."""
    return int(2 * number - 1 if number > 0 else -2 * number)
