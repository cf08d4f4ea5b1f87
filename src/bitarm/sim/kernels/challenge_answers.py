"""What an arm that is asked does: it pulls, looks if it is challenged, and says what is wanted.

Rewards of which only the bounds are known are drawn one by one, since agents bet on each; they are
on no tape.
"""

import math

import numpy as np
from numba import njit

from bitarm.core.codes.above import ESCAPE as ABOVE_ESCAPE
from bitarm.core.codes.prefix import ESCAPE, zigzag
from bitarm.core.evidence.bets import above, below, bet
from bitarm.core.evidence.tasks import (
    BAND,
    MOST_BELOW,
    SHARES,
    highest_edge,
    quarters_below,
    weigh,
)
from bitarm.core.quantizers.dicq import FIRST_ESCAPE, golomb_divisor_of
from bitarm.core.quantizers.dyadic import NEAR_ESCAPE, ROUNDING, dyadic, unit_of
from bitarm.sim.kernels.arrays import ChallengeArrays, EnvironmentArrays, SchemeArrays, TapeArrays
from bitarm.sim.kernels.challenge_leads import is_beaten_by_lead
from bitarm.sim.kernels.challenge_race import (
    CHALLENGED,
    LEADER,
    PILOT,
    PLACE,
    Race,
    Turn,
    noise_of,
)
from bitarm.sim.kernels.quantize import golomb_bits, within_steps
from bitarm.sim.kernels.report import add_cells, draw_leap
from bitarm.sim.kernels.sums import added, draw_reward


@njit(inline="always")
def answer(
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
            return _give_up(race, arm, turn)
        while race.at[arm] < turn.checkpoint:
            _pull(
                race, arm, race.at[arm] + 1, rng, environment, tape, scheme, duel, turn,
                bounded, gaussian, stored,
            )  # fmt: skip
            if _looks(race, arm, scheme, duel, turn, until, bounded):
                return _give_up(race, arm, turn)
    else:
        _pull(
            race, arm, turn.checkpoint, rng, environment, tape, scheme, duel, turn,
            bounded, gaussian, stored,
        )  # fmt: skip
    return _tell(race, arm, scheme, duel, turn, asked, until, bounded)


@njit(inline="always")
def _give_up(race: Race, arm: int, turn: Turn) -> tuple[int, float, float, bool]:
    """One bit. Of its mean nothing is known any more; it counts as if it had pulled on."""
    race.beaten_by[arm] = turn.leader
    race.error[arm] = np.inf
    race.told[arm] = turn.checkpoint
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
        fortunes, logs = race.fortunes[arm], race.logs[arm]
        bets, predicted, squares = sums[0], sums[1], sums[2]
        family, p, q = environment.family[arm], environment.p[arm], environment.q[arm]
        for pulls in range(done, scheme.pulls[upto]):
            reward = draw_reward(rng, family, p, q)
            more += reward
            bets, predicted, squares = bet(
                (reward - duel.low) / duel.unit, pulls, bets, predicted, squares, fortunes, logs
            )
        sums[0], sums[1], sums[2] = bets, predicted, squares
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
    edge = (turn.edge - duel.low) / duel.unit
    if not bounded:
        return is_beaten_by_lead(race, edge, mean, race.at[arm], duel, scheme, turn)
    lowest, sums = max(turn.first + 1 - len(SHARES), 0), race.sums[arm]
    fortunes, logs = race.fortunes[arm], race.logs[arm]
    for rung in range(lowest, turn.first + BAND):
        race.below[rung - lowest] = below(rung, sums[0], sums[1], sums[2], fortunes, logs)
    return weigh(
        bounded,
        edge,
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
        noise = noise_of(duel, race.mean[arm], turn.spread, before, bounded)
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
        race.beaten_by[arm] = -1
        return 1 + golomb_bits(int(cell), 1, ABOVE_ESCAPE), float(cell), -1.0, codes
    value = race.mean[arm] if asked == PLACE else turn.value
    unit = unit_of(step)
    centre = math.floor(value / unit + 0.5) * unit if within_steps(value, step) else 0.0
    divisor, escape = 1, FIRST_ESCAPE if asked == PILOT else NEAR_ESCAPE
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
        nbits = 1 if change == 0 else 1 + golomb_bits(zigzag(change), 1, ESCAPE)
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
    race.beaten_by[arm] = -1
    return nbits + golomb_bits(zigzag(steps), divisor, escape), float(steps), detail, codes
