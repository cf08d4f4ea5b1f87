"""Quiet elimination with D-ICQ over many trials: the twin of `core/policies/quiet.py`.

A visit to a checkpoint is one turn or a few, each a round of the learner's: at the first visit the
pilot, two more arms, the rest; at the others the leader and those that it makes speak, or all at
once.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit

from bitarm.sim.kernels.arrays import (
    ABOVE_CUT,
    FIRST,
    UNCUT,
    EnvironmentArrays,
    Integers,
    OutputArrays,
    SchemeArrays,
    TapeArrays,
    VisitArrays,
)
from bitarm.sim.kernels.compilation import SOURCES_NUMBER, kernel
from bitarm.sim.kernels.highest import highest
from bitarm.sim.kernels.quantize import dicq, dicq_divisor, within_steps
from bitarm.sim.kernels.quiet_turns import (
    Race,
    Turn,
    any_starves,
    ask,
    begin,
    call,
    due_in,
    is_told_cut,
    pulls_before,
)
from bitarm.sim.kernels.report import add_cells, draw_leap
from bitarm.sim.kernels.status import (
    BEST,
    BITS,
    CUTS,
    DECIDED,
    MESSAGES,
    OUTCOME,
    ROUNDS,
    RUNNING,
    SAMPLE_LIMIT,
    SAMPLES,
    STARVED,
    TOO_FAR,
    limit_passed,
)
from bitarm.sim.kernels.sums import added


@lru_cache(maxsize=16)
def compiled(*, gaussian: bool, grows: bool, stored: bool) -> Any:
    """A kernel compiled for one kind of setting; see `elimination.py` for the constants."""

    sources = SOURCES_NUMBER

    @kernel
    def run_trials(
        rng: np.random.Generator,
        todo: Integers,
        environment: EnvironmentArrays,
        tape: TapeArrays,
        scheme: SchemeArrays,
        visits: VisitArrays,
        race: Race,
        output: OutputArrays,
    ) -> None:
        _ = sources  # a constant of the kernel: see kernels/compilation.py
        arms = environment.p.size
        shown = stored and output.mean.size > 0
        alone = visits.leader_first and scheme.epsilon == 0.0  # the leader goes ahead
        for x in range(todo.size):
            trial = todo[x]
            begin(race, scheme, visits.pilot)
            alive = arms
            leader = race.active[0]
            opening = True
            turns = 3 if visits.pilot else 1  # the pilot, two more, the rest
            checkpoint = 0
            rounds = samples = bits = cuts = 0
            while True:
                outcome = RUNNING
                centre, cut = 0.0, -np.inf
                for number in range(turns):
                    turn = Turn(trial, number, opening, checkpoint, centre, cut)
                    if number > 0 and not opening:
                        ask(race, alive, leader, turn)
                    going, due = due_in(race, alive, scheme, turn)
                    if going == 0:
                        break
                    outcome = limit_passed(scheme.limits, rounds + 1, samples + due, bits + going)
                    if outcome != RUNNING:
                        break
                    if not grows and any_starves(race, alive, tape, scheme, turn):
                        outcome = STARVED
                        break
                    rounds += 1
                    samples += due
                    said, told, coded = _hear(
                        race, alive, rng, environment, tape, scheme, visits, turn, output,
                        gaussian, stored, shown,
                    )  # fmt: skip
                    if not coded:
                        outcome = TOO_FAR
                        break
                    bits += said
                    cuts += told
                    if opening:
                        centre = _median(race, number)
                    else:
                        cut = _cut(race, leader, visits, checkpoint)
                if outcome != RUNNING:
                    break
                opening = False
                alive = _drop_fallen(race, alive, visits, checkpoint, output, trial, rounds, shown)
                leader = highest(race.active, alive, race.mean)
                if alive == 1 or (
                    scheme.epsilon > 0.0
                    and _beats_all(race, alive, leader, visits.margin[checkpoint], scheme.epsilon)
                ):
                    outcome = DECIDED
                    break
                turns = call(race, alive, leader, alone)
                checkpoint = _next_visit(race, alive, leader, scheme, visits, checkpoint, alone)
                if checkpoint == scheme.pulls.size:
                    outcome = SAMPLE_LIMIT
                    break
            row = output.table[trial]
            row[ROUNDS], row[SAMPLES], row[BITS], row[CUTS] = rounds, samples, bits, cuts
            row[BEST] = leader if outcome == DECIDED else -1
            row[OUTCOME], row[MESSAGES] = outcome, race.messages.sum()

    return run_trials


# -- reports -------------------------------------------------------------------------------------


@njit(inline="always")
def _hear(
    race: Race,
    alive: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    scheme: SchemeArrays,
    visits: VisitArrays,
    turn: Turn,
    output: OutputArrays,
    gaussian: bool,
    stored: bool,
    shown: bool,
) -> tuple[int, int, bool]:
    """All reports of a turn: their bits, questions with a cut, whether all means have a code.

    All draw before the first one reports, in the same order: that is measurably faster.
    """
    bits = cuts = 0
    all_coded = True
    for a in range(alive):
        arm = race.active[a]
        if race.turn[arm] != turn.number:
            continue
        race.seen[arm] = _observe(race, arm, rng, environment, tape, scheme, turn, gaussian, stored)
    for a in range(alive):
        arm = race.active[a]
        if race.turn[arm] != turn.number:
            continue
        mu_hat = race.seen[arm]
        told = is_told_cut(race, arm, turn)
        nbits, steps, divisor, coded = _report(race, arm, mu_hat, told, scheme, visits, turn)
        bits += nbits
        cuts += 1 if told else 0
        if not coded:
            all_coded = False
        if shown:
            output.mean[turn.trial, race.messages[arm], arm] = race.mean[arm]
            output.nbits[turn.trial, race.messages[arm], arm] = nbits
            output.number[turn.trial, race.messages[arm], arm] = steps
            output.divisor[turn.trial, race.messages[arm], arm] = divisor
        race.messages[arm] += 1
    return bits, cuts, all_coded


@njit(inline="always")
def _observe(
    race: Race,
    arm: int,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    scheme: SchemeArrays,
    turn: Turn,
    gaussian: bool,
    stored: bool,
) -> float:
    """μ̂, the mean of all rewards up to the checkpoint of this visit."""
    pulls = scheme.pulls[turn.checkpoint]
    if stored:
        done = scheme.cell_of[race.at[arm]] + 1 if race.at[arm] >= 0 else 0
        total, left = add_cells(
            race.total[arm], race.rest[arm], rng, environment, tape, turn.trial, arm,
            done, scheme.cell_of[turn.checkpoint], gaussian, stored,
        )  # fmt: skip
    else:
        count = pulls - pulls_before(race, arm, scheme)
        drawn = draw_leap(rng, environment, count, arm, gaussian)
        total, left = added(race.total[arm], race.rest[arm], drawn)
    race.total[arm], race.rest[arm] = total, left
    return (total + left) / float(pulls)


@njit(inline="always")
def _report(
    race: Race,
    arm: int,
    mu_hat: float,
    told: bool,
    scheme: SchemeArrays,
    visits: VisitArrays,
    turn: Turn,
) -> tuple[int, float, float, bool]:
    """One arm says that it concedes, or where it is: the bits of that, how many steps it went, the
    divisor of their code, and whether there is a word for them.

    An arm that was told the cut says in its first bit whether it is above. One that concedes tells
    no steps: they are not a number.
    """
    kind = FIRST if turn.opening else (ABOVE_CUT if told else UNCUT)
    size = visits.size[kind, turn.checkpoint]
    coded = within_steps(mu_hat, size)
    if told and mu_hat <= turn.cut:
        race.conceded[arm] = True
        return 1, math.nan, 0.0, coded
    held, divisor = race.mean[arm], 0.0
    if not turn.opening:
        before, pulls = scheme.pulls[race.at[arm]], scheme.pulls[turn.checkpoint]
        divisor = float(dicq_divisor(before, pulls, race.error[arm], size, visits.kappa[kind]))
    elif turn.number > 0 and within_steps(turn.centre, size):
        held = turn.centre
    mean, nbits, steps = dicq(mu_hat, held, size, divisor)
    race.mean[arm] = mean
    race.error[arm] = visits.error[kind, turn.checkpoint]
    race.at[arm] = turn.checkpoint
    return nbits + 1 if told else nbits, steps, divisor, coded


@njit(inline="always")
def _median(race: Race, number: int) -> float:
    """The median of the pilots' means, from which the others count; at first, the pilot's."""
    arms = race.mean.size
    pilot = race.mean[arms // 2]
    if number != 1:
        return pilot
    low, high = min(race.mean[0], race.mean[arms - 1]), max(race.mean[0], race.mean[arms - 1])
    return max(low, min(high, pilot))


@njit(inline="always")
def _cut(race: Race, leader: int, visits: VisitArrays, checkpoint: int) -> float:
    """At or below it, the mean of an arm with as many pulls is a margin below the leader's."""
    return (race.mean[leader] - race.error[leader]) - visits.margin[checkpoint]


# -- what follows from a visit --------------------------------------------------------------------


@njit(inline="always")
def _drop_fallen(
    race: Race,
    alive: int,
    visits: VisitArrays,
    checkpoint: int,
    output: OutputArrays,
    trial: int,
    rounds: int,
    shown: bool,
) -> int:
    """Arms that conceded fall, and those whose cell is a margin below that of the top arm.

    Only arms that reported at this visit are compared. Returns how many are left.
    """
    best = -np.inf
    top = race.active[0]
    for a in range(alive):
        arm = race.active[a]
        low = race.mean[arm] - race.error[arm] if race.at[arm] == checkpoint else -np.inf
        if low > best and not race.conceded[arm]:
            best, top = low, arm
    cut = best - visits.margin[checkpoint]
    kept = 0
    for a in range(alive):
        arm = race.active[a]
        falls = race.conceded[arm] or (
            cut >= race.mean[arm] + race.error[arm] and race.at[arm] == checkpoint and arm != top
        )
        race.active[kept] = arm  # without a branch: the next one that stays overwrites it
        kept += 0 if falls else 1
        if shown and falls:
            output.dropped[trial, arm] = rounds
    return kept


@njit(inline="always")
def _beats_all(race: Race, alive: int, leader: int, margin: float, epsilon: float) -> bool:
    """Whether `leader` is surely no more than ε below any other arm."""
    beats = True
    for a in range(alive):
        arm = race.active[a]
        if arm != leader:
            separation = margin + (race.error[arm] + race.error[leader])
            beats = beats and race.mean[leader] - race.mean[arm] >= separation - epsilon
    return beats


@njit(inline="always")
def _next_visit(
    race: Race,
    alive: int,
    leader: int,
    scheme: SchemeArrays,
    visits: VisitArrays,
    newest: int,
    alone: bool,
) -> int:
    """The first checkpoint at which a drop is in sight, or the last one under the cap.

    With a tolerance all arms report at every visit, so all errors are those of the leader.
    """
    last = race.mean[leader]
    for a in range(alive):
        last = min(last, race.mean[race.active[a]])
    lead = race.mean[leader] - last
    if scheme.epsilon > 0.0:
        second = -np.inf
        for a in range(alive):
            if race.active[a] != leader:
                second = max(second, race.mean[race.active[a]])
        lead = max(lead, race.mean[leader] - second + scheme.epsilon)
    error = race.error[leader] if alone else race.error[leader] + race.error[leader]
    farthest = visits.cap * scheme.pulls[newest]
    index = newest + 1
    while index + 1 < scheme.pulls.size and scheme.pulls[index + 1] <= farthest:
        margin = visits.margin[index]
        if lead >= visits.patience * margin:  # else no error, however small, lets it stop here
            shrunk = error * math.sqrt(scheme.pulls[race.at[leader]] / scheme.pulls[index])
            if lead >= visits.patience * (margin + shrunk):
                break
        index += 1
    return index
