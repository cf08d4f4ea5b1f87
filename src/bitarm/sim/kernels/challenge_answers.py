"""What an arm that is asked does: it pulls, looks if it is challenged, and says what is wanted.

Rewards of which only the bounds are known are drawn one by one, since agents bet on each; they are
on no tape.
"""

import math

import numpy as np

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
from bitarm.core.quantizers.dyadic import NEAR_ESCAPE, ROUNDING, dyadic, step_down_to, unit_of
from bitarm.sim.kernels.arrays import ChallengeArrays, EnvironmentArrays, Integers, TapeArrays
from bitarm.sim.kernels.challenge_leads import are_kept, is_beaten_by_lead, is_hopeless
from bitarm.sim.kernels.challenge_race import (
    CHALLENGED,
    LEADER,
    PILOT,
    PLACE,
    Arm,
    Race,
    Turn,
    noise_of,
)
from bitarm.sim.kernels.compilation import each_pull, within
from bitarm.sim.kernels.quantize import golomb_bits, within_steps
from bitarm.sim.kernels.report import add_cells, draw_leap
from bitarm.sim.kernels.sums import added, draw_reward


@within
def answer(
    race: Race,
    number: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    cell_of: Integers,
    duel: ChallengeArrays,
    turn: Turn,
    gaussian: bool,
    stored: bool,
) -> tuple[int, float, float, bool]:
    """One arm pulls, looks if it is challenged, and says what it is asked for.

    Returned are the bits, the steps that it tells (not a number if it gives up), what else it tells
    (a divisor; after a challenge −1; and for who told a spread, that times 1024), and whether there
    is a word for its mean.
    """
    arm = race.arms[number]
    if arm.turn != CHALLENGED:
        if duel.rules.bounded:
            _bet_up_to(arm, number, turn.checkpoint, rng, environment, duel)
        else:
            _draw_up_to(
                arm, number, turn.checkpoint, rng, environment, tape, cell_of, duel, turn,
                gaussian, stored,
            )  # fmt: skip
    elif duel.rules.bounded:
        if arm.at >= 0 and _looks(race, arm, duel, turn):
            return _give_up(arm, turn)
        while arm.at < turn.checkpoint:
            _bet_up_to(arm, number, arm.at + 1, rng, environment, duel)
            if _looks(race, arm, duel, turn):
                return _give_up(arm, turn)
    elif _is_beaten_on_the_way(
        race, arm, number, rng, environment, tape, cell_of, duel, turn, gaussian, stored
    ):
        return _give_up(arm, turn)
    return _tell(race, arm, duel, turn)


@within
def _is_beaten_on_the_way(
    race: Race,
    arm: Arm,
    number: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    cell_of: Integers,
    duel: ChallengeArrays,
    turn: Turn,
    gaussian: bool,
    stored: bool,
) -> bool:
    """With σ known: a challenged arm pulls and looks, until it is beaten or level with the leader.

    Nearly all looks end with the first comparison, so that a pull is a draw and little else.
    """
    low, unit = duel.rules.low, duel.rules.unit
    edge, leads = (turn.edge - low) / unit, duel.beaten_leads[0][:0]
    if are_kept(race, duel, turn):
        leads = duel.beaten_leads[turn.checkpoint][:]
    while True:
        at = arm.at
        if at >= 0:
            mean = ((arm.total + arm.rest) / float(duel.pulls[at]) - low) / unit
            hopeless = at < leads.size and is_hopeless(leads[at], edge - mean)
            if not hopeless and is_beaten_by_lead(race, leads, edge, mean, at, duel, turn):
                return True
        if at >= turn.checkpoint:
            return False
        _draw_up_to(
            arm, number, at + 1, rng, environment, tape, cell_of, duel, turn, gaussian, stored
        )


@within
def _give_up(arm: Arm, turn: Turn) -> tuple[int, float, float, bool]:
    """One bit. Of its mean nothing is known any more; it counts as if it had pulled on."""
    arm.beaten_by = turn.leader
    arm.error = np.inf
    arm.told = turn.checkpoint
    return 1, math.nan, -1.0, True


@each_pull
def _bet_up_to(
    arm: Arm,
    number: int,
    upto: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    duel: ChallengeArrays,
) -> None:
    """Rewards up to a checkpoint, each of which is bet on."""
    done, more = duel.pulls[arm.at] if arm.at >= 0 else 0, 0.0
    low, unit = duel.rules.low, duel.rules.unit
    fortunes, logs = arm.fortunes, arm.logs
    bets, predicted, squares = arm.bets, arm.predicted, arm.squares
    family, p, q = environment.family[number], environment.p[number], environment.q[number]
    for pulls in range(done, duel.pulls[upto]):
        reward = draw_reward(rng, family, p, q)
        more += reward
        bets, predicted, squares = bet(
            (reward - low) / unit, pulls, bets, predicted, squares, fortunes, logs
        )
    arm.bets, arm.predicted, arm.squares = bets, predicted, squares
    arm.total, arm.rest = added(arm.total, arm.rest, more)
    arm.at = upto


@each_pull
def _draw_up_to(
    arm: Arm,
    number: int,
    upto: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    cell_of: Integers,
    duel: ChallengeArrays,
    turn: Turn,
    gaussian: bool,
    stored: bool,
) -> None:
    """The sum of the rewards up to a checkpoint."""
    if stored:
        first = cell_of[arm.at] + 1 if arm.at >= 0 else 0
        total, rest = add_cells(
            arm.total, arm.rest, rng, environment, tape, turn.trial, number,
            first, cell_of[upto], gaussian, stored,
        )  # fmt: skip
    else:
        done = duel.pulls[arm.at] if arm.at >= 0 else 0
        more = draw_leap(rng, environment, duel.pulls[upto] - done, number, gaussian)
        total, rest = added(arm.total, arm.rest, more)
    arm.total, arm.rest = total, rest
    arm.at = upto


@within
def _looks(race: Race, arm: Arm, duel: ChallengeArrays, turn: Turn) -> bool:
    """Whether a challenged arm that bets is beaten: `tasks.is_beaten`."""
    rules, pulls = duel.rules, duel.pulls[arm.at]
    mean = ((arm.total + arm.rest) / float(pulls) - rules.low) / rules.unit
    edge = (turn.edge - rules.low) / rules.unit
    lowest, fortunes, logs = max(turn.first + 1 - len(SHARES), 0), arm.fortunes, arm.logs
    for rung in range(lowest, turn.first + BAND):
        race.below[rung - lowest] = below(
            rung, arm.bets, arm.predicted, arm.squares, fortunes, logs
        )
    return weigh(
        True,
        edge,
        mean,
        duel.pulls[turn.checkpoint],
        pulls,
        turn.first,
        race.hurdles,
        race.below,
        rules.rates,
        race.terms[0],
        race.terms[1],
    )


@within
def _tell(
    race: Race, arm: Arm, duel: ChallengeArrays, turn: Turn
) -> tuple[int, float, float, bool]:
    """Where the arm is, in the words of the quantizer `dyadic`."""
    rules, asked, until = duel.rules, arm.turn, duel.pulls[turn.checkpoint]
    mean = (arm.total + arm.rest) / float(until)
    is_first = arm.messages == 0
    before = until if is_first else duel.pulls[arm.told]
    noise = turn.noise
    if asked in (CHALLENGED, PLACE):
        noise = noise_of(rules, arm.mean, turn.spread, before)
    step = min(dyadic(rules.kappa[asked] * (noise / math.sqrt(until))), rules.widest)
    if asked == CHALLENGED:
        step = step_down_to(turn.value, turn.edge, step)
    codes = within_steps(mean, step)
    if asked == CHALLENGED:
        under = min(max(math.ceil((turn.edge - turn.value) / step), 0), MOST_BELOW)
        low = turn.edge - under * step
        cell = max(math.floor((mean - low) / step), 0)
        _told(arm, turn, low + (cell + 0.5) * step, step, -1, cell == 0)
        return 1 + golomb_bits(int(cell), 1, ABOVE_ESCAPE), float(cell), -1.0, codes
    value = arm.mean if asked == PLACE else turn.value
    unit = unit_of(step)
    centre = math.floor(value / unit + 0.5) * unit if within_steps(value, step) else 0.0
    divisor, escape = 1, FIRST_ESCAPE if asked == PILOT else NEAR_ESCAPE
    if not is_first:
        moved = noise * math.sqrt(max(0.0, 1 / before - 1 / until))
        divisor = golomb_divisor_of((moved * moved + arm.error * arm.error / 3) / (step * step))
        escape = ESCAPE
    steps, rung = math.floor((mean - centre) / step + 0.5), -1
    detail, nbits = float(divisor), 0
    if asked == LEADER and rules.bounded:
        rung = turn.first
        for place in range(BAND):
            race.below[place] = above(
                rung + place, arm.bets, arm.predicted, arm.squares, arm.fortunes, arm.logs
            )
        steps, change = highest_edge(
            True, steps, centre, step, turn.own, mean, until, rules.low, rules.unit,
            rules.rates[rung : rung + BAND], race.below,
        )  # fmt: skip
        arm.spread = turn.own + change
        nbits = 1 if change == 0 else 1 + golomb_bits(zigzag(change), 1, ESCAPE)
        detail += 1024.0 * (change + 64)
    told = centre + steps * step
    if asked == PILOT:
        quarters = quarters_below(arm.squares / until, (told - rules.low) / rules.unit, until)
        arm.spread = -2 * quarters
        nbits = quarters + 1
        detail += 1024.0 * (64 - 2 * quarters)
    _told(arm, turn, told, step, rung, False)
    return nbits + golomb_bits(zigzag(steps), divisor, escape), float(steps), detail, codes


@within
def _told(arm: Arm, turn: Turn, mean: float, step: float, rung: int, is_open: bool) -> None:
    """What the learner reads in an answer; who tells its mean yields to nobody."""
    arm.mean = mean
    arm.error = step / 2 * ROUNDING
    arm.told = turn.checkpoint
    arm.is_open = is_open
    arm.rung = rung
    arm.beaten_by = -1
