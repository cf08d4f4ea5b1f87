"""Elimination over many trials, by intervals or by rank: the twin of the machines.

With `core/policies/se.py`, `sequential_halving.py` and `successive_rejects.py`.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit

from bitarm.sim.kernels.arrays import Integers, OutputArrays, SchemeArrays, TapeArrays, WorldArrays
from bitarm.sim.kernels.code import KERNEL_CODE
from bitarm.sim.kernels.quantize import (
    DICQ,
    FED_SEL,
    ICQ,
    MOST_STEPS,
    MOST_STEPS_DICQ,
    QUBAN,
    bin_middle,
    dicq,
    quban,
)
from bitarm.sim.kernels.status import (
    BEST,
    BIT_LIMIT,
    BITS,
    BUDGET_SPENT,
    DECIDED,
    MESSAGES,
    OUTCOME,
    ROUND_LIMIT,
    ROUNDS,
    SAMPLE_LIMIT,
    SAMPLES,
    STARVED,
    TOO_FAR,
)
from bitarm.sim.kernels.sums import draw_sum


@lru_cache(maxsize=64)
def elimination(
    *,
    gaussian: bool,
    grows: bool,
    stored: bool,
    aligned: bool,
    limited: bool,
    ranked: bool,
    first: int,
    rest: int,
    traced: bool,
) -> Any:
    """A kernel compiled for one kind of setting; the arguments are constants to the compiler.

    gaussian  every arm is Gaussian: sums are drawn inline
    grows     the tape draws what it lacks; otherwise a trial that needs more starves
    stored    sums and dithers are kept on the tape for other schemes; otherwise used and forgotten
    aligned   the schedule is the tape's grid: one cell a round
    limited   there is a limit on rounds, samples or bits to check before every round
    ranked    a fixed number of the highest means stays, whatever the gaps: a budget decides
    first     the quantizer of message 1;  rest  that of the others
    traced    decoded means and drops are written down
    """

    code = KERNEL_CODE

    @njit(cache=True, error_model="numpy")
    def run(
        rng: np.random.Generator,
        todo: Integers,
        world: WorldArrays,
        tape: TapeArrays,
        scheme: SchemeArrays,
        output: OutputArrays,
    ) -> None:
        _ = code  # a constant of the kernel: see kernels/code.py
        family, p, q = world.family, world.p, world.q
        cell_mean, cell_sd, grid = world.cell_mean, world.cell_sd, tape.grid
        cells, filled, wanted = tape.cells, tape.filled, tape.wanted
        dithers, dithered = tape.dithers, tape.dithered
        start, pulls, cell_of = scheme.start, scheme.pulls, scheme.cell_of
        radius, k0, k1, last = scheme.radius, scheme.k0, scheme.k1, scheme.last
        nbits, least, limits = scheme.nbits, scheme.least, scheme.limits
        epsilon, keep = scheme.epsilon, scheme.keep
        out, trace_mean = output.table, output.mean
        trace_bits, dropped = output.nbits, output.dropped
        arms = p.size
        depth = pulls.size
        max_rounds, max_samples, max_bits = limits[0], limits[1], limits[2]
        active = np.empty(arms, np.uintp)
        total = np.empty(arms, np.float64)
        mean = np.empty(arms, np.float64)
        order = np.empty(arms if ranked else 0, np.float64)
        for x in range(todo.size):
            trial = todo[x]
            prior = trial if start.shape[0] > 1 else 0
            alive = arms
            for arm in range(arms):
                active[arm] = arm
                total[arm] = 0.0
                mean[arm] = start[prior, arm]
            n = 0
            done = 0  # cells used
            before = 0  # pulls so far
            samples = 0
            bits = 0
            messages = 0
            outcome = SAMPLE_LIMIT
            while True:
                if n == depth:
                    break
                t = pulls[n]
                if limited:
                    if n + 1 > max_rounds:
                        outcome = ROUND_LIMIT
                        break
                    if samples + alive * (t - before) > max_samples:
                        outcome = SAMPLE_LIMIT
                        break
                    if bits + alive * least[n] > max_bits:
                        outcome = BIT_LIMIT
                        break
                upto = cell_of[n]
                if not grows:
                    starved = False
                    for a in range(alive):
                        wanted[trial, active[a]] = upto + 1
                        starved = starved or filled[trial, active[a]] <= upto
                    if starved:
                        outcome = STARVED
                        break
                u = radius[n]
                c0 = k0[n]
                c1 = k1[n]
                c2 = last[n]
                pulled = float(t)
                row_mean = cell_mean[n]
                row_sd = cell_sd[n]
                best = -np.inf
                top = active[0]
                for a in range(alive):
                    arm = active[a]
                    running = total[arm]
                    if aligned and not stored:
                        if gaussian:
                            running += row_mean[arm] + row_sd[arm] * rng.standard_normal()
                        else:
                            running += draw_sum(rng, family[arm], p[arm], q[arm], t - before)
                    elif not stored:
                        for cell in range(done, upto + 1):
                            if gaussian:
                                running += (
                                    cell_mean[cell, arm]
                                    + cell_sd[cell, arm] * rng.standard_normal()
                                )
                            else:
                                count = grid[cell] - (grid[cell - 1] if cell > 0 else 0)
                                running += draw_sum(rng, family[arm], p[arm], q[arm], count)
                    else:
                        if grows:
                            for cell in range(filled[trial, arm], upto + 1):
                                if gaussian:
                                    cells[trial, cell, arm] = (
                                        cell_mean[cell, arm]
                                        + cell_sd[cell, arm] * rng.standard_normal()
                                    )
                                else:
                                    count = grid[cell] - (grid[cell - 1] if cell > 0 else 0)
                                    cells[trial, cell, arm] = draw_sum(
                                        rng, family[arm], p[arm], q[arm], count
                                    )
                                filled[trial, arm] = cell + 1
                        for cell in range(done, upto + 1):
                            running += cells[trial, cell, arm]
                    total[arm] = running
                    value = running / pulled
                    way = first if n == 0 else rest
                    if way == ICQ:
                        value, _ = bin_middle(value, mean[arm] - c0, c1, c2)
                    elif way == FED_SEL:
                        value, _ = bin_middle(value, c0, c1, c2)
                    elif way == QUBAN:
                        if stored:
                            if dithered[trial, arm] <= n:
                                for m in range(dithered[trial, arm], n + 1):
                                    dithers[trial, m, arm] = rng.random()
                                dithered[trial, arm] = n + 1
                            dither = dithers[trial, n, arm]
                        else:
                            dither = rng.random()
                        if not abs(value) < MOST_STEPS * c0:
                            outcome = TOO_FAR
                        value, length, _ = quban(value, mean[arm], c0, dither)
                        bits += length
                        if traced:
                            trace_bits[trial, n, arm] = length
                    elif way == DICQ:
                        if not abs(value) < MOST_STEPS_DICQ * c0:
                            outcome = TOO_FAR
                        value, length, _ = dicq(value, mean[arm], c0, c1)
                        bits += length
                        if traced:
                            trace_bits[trial, n, arm] = length
                    mean[arm] = value
                    if traced:
                        trace_mean[trial, n, arm] = value
                    low = value - u
                    if low > best:
                        best = low
                        top = arm
                if outcome == TOO_FAR:
                    break
                way = first if n == 0 else rest
                if way != QUBAN and way != DICQ:
                    bits += alive * nbits[n]
                samples += alive * (t - before)
                messages += alive
                before = t
                done = upto + 1
                n += 1
                separation = u + u
                top_mean = mean[top]
                if ranked:
                    for a in range(alive):
                        order[a] = mean[active[a]]
                    order[:alive].sort()
                    cut = order[alive - keep[n - 1]]
                    places = keep[n - 1]  # for arms that tie at the cut
                    for a in range(alive):
                        places -= 1 if mean[active[a]] > cut else 0
                kept = 0
                for a in range(alive):
                    arm = active[a]
                    if ranked:
                        tied = mean[arm] == cut and places > 0
                        places -= 1 if tied else 0
                        stays = tied or mean[arm] > cut
                    else:
                        stays = arm == top or not (top_mean - mean[arm] >= separation)
                    active[kept] = arm
                    kept += 1 if stays else 0
                    if traced and not stays:
                        dropped[trial, arm] = n
                alive = kept
                if alive == 1:
                    outcome = BUDGET_SPENT if ranked else DECIDED
                    break
                if epsilon > 0.0:
                    leader = active[0]
                    for a in range(1, alive):
                        if mean[active[a]] > mean[leader]:
                            leader = active[a]
                    beats = True
                    for a in range(alive):
                        arm = active[a]
                        if arm != leader and not (mean[leader] - mean[arm] >= separation - epsilon):
                            beats = False
                    if beats:
                        active[0] = leader
                        outcome = DECIDED
                        break
            out[trial, ROUNDS] = n
            out[trial, SAMPLES] = samples
            out[trial, BITS] = bits
            out[trial, BEST] = active[0] if outcome in (DECIDED, BUDGET_SPENT) else -1
            out[trial, OUTCOME] = outcome
            out[trial, MESSAGES] = messages

    return run
