"""Elimination over many trials, by intervals or by rank: the twin of the machines.

With `core/policies/se.py`, `sequential_halving.py` and `successive_rejects.py`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from bitarm.sim.kernels.arrays import (
    EnvironmentArrays,
    Floats,
    Integers,
    OutputArrays,
    SchemeArrays,
    TapeArrays,
)
from bitarm.sim.kernels.compilation import SOURCES_NUMBER, allocating, kernel
from bitarm.sim.kernels.highest import Places, highest
from bitarm.sim.kernels.quantize import varies
from bitarm.sim.kernels.report import add_cells, draw_cell, encode_and_decode, starves
from bitarm.sim.kernels.status import (
    BEST,
    BITS,
    BUDGET_SPENT,
    DECIDED,
    MESSAGES,
    MISSED,
    OUTCOME,
    ROUNDS,
    RUNNING,
    SAMPLE_LIMIT,
    SAMPLES,
    STARVED,
    TOO_FAR,
    limit_passed,
    missed,
)
from bitarm.sim.kernels.sums import added


class Race(NamedTuple):
    """One trial: who is left, and what is known of every arm."""

    active: Places  # [place] the arms that are left
    total: Floats  # [arm] sum of all rewards
    rest: Floats  # [arm] what rounding left out of it
    mean: Floats  # [arm] μ̃, the decoded mean
    order: Floats  # [place] room to sort means; empty unless a budget decides


def blank_race(arms: int) -> Race:
    """Room for one trial at a time of so many arms: a kernel allocates nothing."""
    return Race(
        np.empty(arms, np.uintp),
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
        np.empty(arms, np.float64),
    )


@lru_cache(maxsize=4)
def compiled(*, gaussian: bool, stored: bool) -> Callable[..., None]:
    """A kernel compiled for one kind of tape; the arguments are constants to the compiler.

    gaussian  every arm is Gaussian: sums are drawn inline
    stored    sums and dithers are kept on the tape for other schemes; otherwise used and forgotten,
              and the schedule is the tape's grid: one cell a round

    Whatever else a setting has, quantizers among it, is a number in `scheme`: a branch that always
    goes one way costs nothing that can be measured, and each constant more would double the kernels
    that are compiled, for seconds each.

    A stored trial also writes down means, words and drops if there is room for them. That is no
    constant: what is compared with the machines is the very kernel that others run.
    """

    sources = SOURCES_NUMBER

    @kernel
    def run_trials(
        rng: np.random.Generator,
        todo: Integers,
        environment: EnvironmentArrays,
        tape: TapeArrays,
        scheme: SchemeArrays,
        race: Race,
        output: OutputArrays,
    ) -> None:
        _ = sources  # a constant of the kernel: see kernels/compilation.py
        arms = environment.p.size
        ranked = scheme.keep.size > 0  # a budget decides: so many stay, whatever the gaps
        shown = stored and output.mean.size > 0
        for x in range(todo.size):
            trial = todo[x]
            _begin(race, scheme, trial)
            alive = arms
            n = 0  # rounds, and messages of every active arm
            before = 0  # pulls of every active arm
            done = 0  # cells that they took
            samples = bits = messages = 0
            best_arm = -1
            while True:
                if n == scheme.pulls.size:
                    outcome = SAMPLE_LIMIT
                    break
                due = alive * (scheme.pulls[n] - before)
                least = bits + alive * scheme.least[n]
                outcome = limit_passed(scheme.limits, n + 1, samples + due, least)
                if outcome != RUNNING:
                    break
                if environment.sampled and _starves(race, alive, tape, scheme, trial, n):
                    outcome = STARVED
                    break

                pulled = float(scheme.pulls[n])
                radius = scheme.radius[n]
                coding = scheme.first if n == 0 else scheme.rest
                coded = True
                top, best = race.active[0], -np.inf
                for a in range(alive):
                    arm = race.active[a]
                    if not stored:  # no loop over one cell
                        drawn = draw_cell(rng, environment, tape, n, arm, gaussian)
                        total, left = added(race.total[arm], race.rest[arm], drawn)
                    else:
                        total, left = add_cells(
                            race.total[arm], race.rest[arm], rng, environment, tape, trial, arm,
                            done, scheme.cell_of[n], gaussian, stored,
                        )  # fmt: skip
                    race.total[arm], race.rest[arm] = total, left
                    mean, nbits, number, codes = encode_and_decode(
                        (total + left) / pulled, race.mean[arm], rng, tape, scheme,
                        trial, n, arm, coding, stored,
                    )  # fmt: skip
                    race.mean[arm] = mean
                    if varies(coding):
                        bits += nbits
                    if not codes:
                        coded = False
                    if shown:
                        output.mean[trial, n, arm] = mean
                        output.nbits[trial, n, arm] = nbits
                        output.number[trial, n, arm] = number
                    if mean - radius > best:
                        top, best = arm, mean - radius
                if not coded:
                    outcome = TOO_FAR
                    break
                if not varies(coding):
                    bits += alive * scheme.nbits[n]
                samples += due
                messages += alive
                before, done = scheme.pulls[n], scheme.cell_of[n] + 1
                n += 1

                if ranked:
                    alive = _keep_highest(race, alive, scheme.keep[n - 1], output, trial, n, shown)
                else:
                    alive = _drop_beaten(race, alive, top, radius, output, trial, n, shown)
                if alive == 1:
                    best_arm = race.active[0]
                    outcome = BUDGET_SPENT if ranked else DECIDED
                    break
                if scheme.epsilon > 0.0:
                    leader = highest(race.active, alive, race.mean)
                    if _beats_all(race, alive, leader, radius, scheme.epsilon):
                        best_arm = leader
                        outcome = DECIDED
                        break
            row = output.table[trial]
            row[ROUNDS], row[SAMPLES], row[BITS], row[MESSAGES] = n, samples, bits, messages
            row[BEST], row[OUTCOME] = best_arm, outcome
            row[MISSED] = missed(race.active, alive, scheme.right)

    return run_trials


@njit(inline="always")
def _begin(race: Race, scheme: SchemeArrays, trial: int) -> None:
    """All arms are active, and each holds its prior."""
    prior = trial if scheme.start.shape[0] > 1 else 0
    for arm in range(race.mean.size):
        race.active[arm] = arm
        race.total[arm] = race.rest[arm] = 0.0
        race.mean[arm] = scheme.start[prior, arm]


@njit(inline="always")
def _starves(
    race: Race, alive: int, tape: TapeArrays, scheme: SchemeArrays, trial: int, n: int
) -> bool:
    """Whether some active arm lacks rewards for message n; every one of them is asked."""
    starved = False
    for a in range(alive):
        lacks = starves(tape, trial, race.active[a], scheme.cell_of[n])
        starved = starved or lacks
    return starved


@njit(inline="always")
def _drop_beaten(
    race: Race,
    alive: int,
    top: int,
    radius: float,
    output: OutputArrays,
    trial: int,
    rounds: int,
    shown: bool,
) -> int:
    """Lines 11 and 12 of Algorithm 1; returns how many arms are left."""
    top_mean = race.mean[top]
    separation = radius + radius
    kept = 0
    for a in range(alive):
        arm = race.active[a]
        # who leads is asked last: asked first, it makes the whole kernel a third slower
        falls = top_mean - race.mean[arm] >= separation and arm != top
        race.active[kept] = arm  # without a branch: the next one that stays overwrites it
        kept += 0 if falls else 1
        if shown and falls:
            output.dropped[trial, arm] = rounds
    return kept


@njit(inline="always")
def _keep_highest(
    race: Race, alive: int, room: int, output: OutputArrays, trial: int, rounds: int, shown: bool
) -> int:
    """The arms with the highest means go on, as `core/budget.py` has it; of a tie, the lowest.

    Returns how many are left: as many as there is room for.
    """
    for a in range(alive):
        race.order[a] = race.mean[race.active[a]]
    _sort(race.order[:alive])
    cut = race.order[alive - room]
    places = room  # for arms that tie at the cut
    for a in range(alive):
        places -= 1 if race.mean[race.active[a]] > cut else 0
    kept = 0
    for a in range(alive):
        arm = race.active[a]
        tied = race.mean[arm] == cut and places > 0
        places -= 1 if tied else 0
        stays = tied or race.mean[arm] > cut
        race.active[kept] = arm
        kept += 1 if stays else 0
        if shown and not stays:
            output.dropped[trial, arm] = rounds
    return kept


@allocating
def _sort(values: Floats) -> None:
    """Sort in place, ascending: numba's sort keeps a stack."""
    values.sort()


@njit(inline="always")
def _beats_all(race: Race, alive: int, leader: int, radius: float, epsilon: float) -> bool:
    """Whether `leader` is surely no more than ε below any other arm."""
    separation = radius + radius
    beats = True
    for a in range(alive):
        arm = race.active[a]
        lead = race.mean[leader] - race.mean[arm]
        if arm != leader and not (lead >= separation - epsilon):
            beats = False
    return beats
