"""What an arm that is asked does: it pulls, looks if it is challenged, and says what is wanted.

Arms that bet are in `challenge_bets.py`.
"""

import math

import numpy as np

from bitarm.core.codes.above import ABOVE_ESCAPE
from bitarm.core.codes.nearest import ROUNDED_UP
from bitarm.core.codes.prefix import ESCAPE, zigzag
from bitarm.core.evidence.bets import above
from bitarm.core.evidence.edge import certified
from bitarm.core.evidence.spread import grown_spread, quarters_below
from bitarm.core.evidence.tasks import BAND, MOST_BELOW
from bitarm.core.quantizers.dicq import FIRST_ESCAPE
from bitarm.core.quantizers.dyadic import (
    NEAR_ESCAPE,
    divisor_for,
    dyadic,
    step_down_to,
    unit_of,
)
from bitarm.sim.kernels.arrays import ChallengeArrays, EnvironmentArrays, Integers, TapeArrays
from bitarm.sim.kernels.challenge_bets import bet_up_to, is_beaten_by_bets
from bitarm.sim.kernels.challenge_leads import are_kept, is_beaten_by_lead, too_small
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
from bitarm.sim.kernels.compilation import inlined
from bitarm.sim.kernels.quantize import golomb_bits, within_steps
from bitarm.sim.kernels.report import add_cells, draw_leap
from bitarm.sim.kernels.sums import added


@inlined
def answer(
    race: Race,
    number: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    cell_of: Integers,
    arrays: ChallengeArrays,
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
    if arrays.rules.bounded:
        if arm.asked != CHALLENGED:
            bet_up_to(race, arm, number, turn.checkpoint, rng, environment, arrays)
        elif is_beaten_by_bets(race, arm, number, rng, environment, arrays, turn):
            return _give_up(arm, turn)
    elif _is_beaten_on_the_way(
        race, arm, number, rng, environment, tape, cell_of, arrays, turn, gaussian, stored
    ):
        return _give_up(arm, turn)
    return _tell(race, arm, arrays, turn)


@inlined
def _is_beaten_on_the_way(
    race: Race,
    arm: Arm,
    number: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    cell_of: Integers,
    arrays: ChallengeArrays,
    turn: Turn,
    gaussian: bool,
    stored: bool,
) -> bool:
    """With σ known: an arm pulls; a challenged one looks, until it is beaten or level.

    Nearly all looks end with the first comparison, so that a pull is a draw and little else.
    """
    total, rest, at, checkpoint = arm.total, arm.rest, arm.at, turn.checkpoint
    is_beaten = False
    if arm.asked != CHALLENGED:
        if at < checkpoint:
            total, rest = _drawn(
                total, rest, number, at, checkpoint, rng, environment, tape, cell_of, arrays, turn,
                gaussian, stored,
            )  # fmt: skip
            at = checkpoint
    else:
        low, unit = arrays.rules.low, arrays.rules.unit
        edge, leads = (turn.edge - low) / unit, arrays.beaten_leads[0][:0]
        if are_kept(race, arrays, turn):
            leads = arrays.beaten_leads[turn.checkpoint][:]
        tabled = leads.size
        while True:
            if at >= 0:
                pulls = float(arrays.pulls[at])
                hopeless = at < tabled and total + rest > pulls * (
                    low + unit * (edge - too_small(leads[at]))
                )
                if not hopeless:
                    mean = ((total + rest) / pulls - low) / unit
                    if is_beaten_by_lead(race, leads, edge, mean, at, arrays, turn):
                        is_beaten = True
                        break
            if at >= checkpoint:
                break
            total, rest = _drawn(
                total, rest, number, at, at + 1, rng, environment, tape, cell_of, arrays, turn,
                gaussian, stored,
            )  # fmt: skip
            at += 1
    arm.total, arm.rest, arm.at = total, rest, at
    return is_beaten


@inlined
def _give_up(arm: Arm, turn: Turn) -> tuple[int, float, float, bool]:
    """One bit. Of its mean nothing is known any more; it counts as if it had pulled on."""
    arm.beaten_by = turn.leader
    arm.error = np.inf
    arm.told = turn.checkpoint
    return 1, math.nan, -1.0, True


@inlined
def _drawn(
    total: float,
    rest: float,
    number: int,
    at: int,
    upto: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    cell_of: Integers,
    arrays: ChallengeArrays,
    turn: Turn,
    gaussian: bool,
    stored: bool,
) -> tuple[float, float]:
    """A sum and its rest after the rewards from one checkpoint to another."""
    if stored:
        first = cell_of[at] + 1 if at >= 0 else 0
        return add_cells(
            total, rest, rng, environment, tape, turn.trial, number,
            first, cell_of[upto], gaussian, stored,
        )  # fmt: skip
    done = arrays.pulls[at] if at >= 0 else 0
    more = draw_leap(rng, environment, arrays.pulls[upto] - done, number, gaussian)
    return added(total, rest, more)


@inlined
def _tell(
    race: Race, arm: Arm, arrays: ChallengeArrays, turn: Turn
) -> tuple[int, float, float, bool]:
    """Where the arm is, in the words of the quantizer `dyadic`."""
    rules, asked, until = arrays.rules, arm.asked, arrays.pulls[turn.checkpoint]
    mean = (arm.total + arm.rest) / float(until)
    is_first = arm.messages == 0
    before = until if is_first else arrays.pulls[arm.told]
    noise = turn.noise
    if asked in (CHALLENGED, PLACE):
        noise = noise_of(rules, arm.mean, turn.spread, before)
    step = min(dyadic(rules.kappa[asked] * (noise / math.sqrt(until))), rules.widest)
    if asked == CHALLENGED:
        step = step_down_to(turn.value, turn.edge, step)
    codes = within_steps(mean, step)
    if asked == CHALLENGED:
        under = math.ceil(min(max((turn.edge - turn.value) / step, 0.0), float(MOST_BELOW)))
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
        divisor = divisor_for(moved, arm.error, step)
        escape = ESCAPE
    steps, rung = math.floor((mean - centre) / step + 0.5), -1
    detail, nbits = float(divisor), 0
    if asked == LEADER and rules.bounded:
        rung = turn.first
        for place in range(BAND):
            race.below[place] = above(
                rung + place, arm.bets, arm.predicted, arm.squares, arm.fortunes, arm.logs
            )
        rates = rules.rates[rung : rung + BAND]
        arm.spread = grown_spread(
            turn.own, (mean - rules.low) / rules.unit, until, rates[1], race.below[1]
        )
        steps = certified(
            steps, centre, step, arm.spread, until, rules.low, rules.unit, rates, race.below
        )
        grown = arm.spread - turn.own
        nbits = golomb_bits(grown, 1, ESCAPE)
        detail += 1024.0 * (grown + 64)
    told = centre + steps * step
    if asked == PILOT:
        quarters = quarters_below(arm.squares / until, (told - rules.low) / rules.unit, until)
        arm.spread = -2 * quarters
        nbits = quarters + 1
        detail += 1024.0 * (64 - 2 * quarters)
    _told(arm, turn, told, step, rung, False)
    return nbits + golomb_bits(zigzag(steps), divisor, escape), float(steps), detail, codes


@inlined
def _told(arm: Arm, turn: Turn, mean: float, step: float, rung: int, is_open: bool) -> None:
    """What the learner reads in an answer; who tells its mean yields to nobody."""
    arm.mean = mean
    arm.error = step / 2 * ROUNDED_UP
    arm.told = turn.checkpoint
    arm.is_open = is_open
    arm.rung = rung
    arm.beaten_by = -1
