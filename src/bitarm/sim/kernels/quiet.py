"""Quiet elimination with D-ICQ over many trials: the twin of `core/policies/quiet.py`."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit

from bitarm.sim.kernels.arrays import (
    Integers,
    OutputArrays,
    SchemeArrays,
    TapeArrays,
    VisitArrays,
    WorldArrays,
)
from bitarm.sim.kernels.code import KERNEL_CODE
from bitarm.sim.kernels.quantize import MOST_STEPS_DICQ, dicq, dicq_divisor
from bitarm.sim.kernels.status import (
    BEST,
    BIT_LIMIT,
    BITS,
    CUTS,
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

_PILOTS = 3  # as in core/policies/quiet.py
_REACH = 3.0


@lru_cache(maxsize=16)
def quiet(*, gaussian: bool, grows: bool, stored: bool, traced: bool) -> Any:
    """A kernel compiled for one kind of setting; see `elimination` for the constants."""

    code = KERNEL_CODE

    @njit(cache=True, error_model="numpy")
    def run(
        rng: np.random.Generator,
        todo: Integers,
        world: WorldArrays,
        tape: TapeArrays,
        scheme: SchemeArrays,
        visits: VisitArrays,
        output: OutputArrays,
    ) -> None:
        _ = code  # a constant of the kernel: see kernels/code.py
        family, p, q = world.family, world.p, world.q
        cell_mean, cell_sd, grid = world.cell_mean, world.cell_sd, tape.grid
        cells, filled, wanted = tape.cells, tape.filled, tape.wanted
        start, pulls, cell_of = scheme.start, scheme.pulls, scheme.cell_of
        limits, epsilon = scheme.limits, scheme.epsilon
        margin, size, error, kappa = visits.margin, visits.size, visits.error, visits.kappa
        cap, patience = visits.cap, visits.patience
        leader_first, pilot = visits.leader_first, visits.pilot
        out, trace_mean = output.table, output.mean
        trace_bits, dropped = output.nbits, output.dropped
        arms = p.size
        depth = pulls.size
        max_rounds, max_samples, max_bits = limits[0], limits[1], limits[2]
        active = np.empty(arms, np.uintp)
        total = np.empty(arms, np.float64)
        mean = np.empty(arms, np.float64)
        held = np.empty(arms, np.float64)  # the error at the last mean
        conceded = np.empty(arms, np.bool_)
        group = np.empty(arms, np.int64)  # who speaks when: one group after the other, −1 not now
        at = np.empty(arms, np.int64)  # the checkpoint of the last mean
        messages = np.empty(arms, np.int64)
        alone = leader_first and epsilon == 0.0
        middle = arms // 2
        at_once = arms - 1 < _PILOTS  # all others follow the first pilot
        for x in range(todo.size):
            trial = todo[x]
            alive = arms
            for arm in range(arms):
                active[arm] = arm
                total[arm] = 0.0
                mean[arm] = start[0, arm]
                messages[arm] = 0
                conceded[arm] = False
                at[arm] = -1
                group[arm] = 0
                if pilot and arm != middle:
                    group[arm] = 1 if at_once or arm == 0 or arm == arms - 1 else 2
            now = -1  # the checkpoint that was visited last
            then = 0  # the one to visit
            ahead = active[0]
            groups = 3 if pilot else 1
            rounds = 0
            cuts = 0
            samples = 0
            bits = 0
            outcome = SAMPLE_LIMIT
            running = True
            while running:
                t = pulls[then]
                upto = cell_of[then]
                centre = 0.0
                cut = -np.inf
                for turn in range(groups):
                    going = 0
                    due = 0
                    for a in range(alive):
                        arm = active[a]
                        if now >= 0 and turn > 0 and arm != ahead:
                            asked = mean[arm] - held[arm] <= cut or (
                                mean[arm] + _REACH * held[arm] >= mean[ahead]
                            )
                            group[arm] = turn if asked else -1
                        if group[arm] == turn:
                            going += 1
                            due += t - (pulls[at[arm]] if at[arm] >= 0 else 0)
                    if going == 0:
                        break
                    if rounds + 1 > max_rounds:
                        outcome = ROUND_LIMIT
                        running = False
                        break
                    if samples + due > max_samples:
                        outcome = SAMPLE_LIMIT
                        running = False
                        break
                    if bits + going > max_bits:
                        outcome = BIT_LIMIT
                        running = False
                        break
                    if not grows:
                        starved = False
                        for a in range(alive):
                            arm = active[a]
                            if group[arm] == turn:
                                wanted[trial, arm] = upto + 1
                                starved = starved or filled[trial, arm] <= upto
                        if starved:
                            outcome = STARVED
                            running = False
                            break
                    rounds += 1
                    samples += due
                    for a in range(alive):
                        arm = active[a]
                        if group[arm] != turn:
                            continue
                        before = pulls[at[arm]] if at[arm] >= 0 else 0
                        done = cell_of[at[arm]] + 1 if at[arm] >= 0 else 0
                        if stored:
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
                                total[arm] += cells[trial, cell, arm]
                        elif gaussian:
                            total[arm] += p[arm] * (t - before) + q[arm] * (
                                math.sqrt(float(t - before)) * rng.standard_normal()
                            )
                        else:
                            total[arm] += draw_sum(rng, family[arm], p[arm], q[arm], t - before)
                        mu_hat = total[arm] / float(t)
                        told = turn > 0 and now >= 0 and mean[arm] - held[arm] <= cut
                        kind = 0 if now < 0 else (2 if told else 1)
                        step = size[kind, then]
                        if not abs(mu_hat) < MOST_STEPS_DICQ * step:
                            outcome = TOO_FAR
                        length = 1
                        if told and mu_hat <= cut:
                            conceded[arm] = True
                        else:
                            divisor = 0.0
                            origin = mean[arm]
                            if now >= 0:
                                divisor = dicq_divisor(before, t, held[arm], step, kappa[kind])
                            elif turn > 0 and abs(centre) < MOST_STEPS_DICQ * step:
                                origin = centre
                            value, length, _ = dicq(mu_hat, origin, step, divisor)
                            if told:
                                length += 1
                            mean[arm] = value
                            at[arm] = then
                            held[arm] = error[kind, then]
                        bits += length
                        cuts += 1 if told else 0
                        if traced:
                            trace_mean[trial, messages[arm], arm] = mean[arm]
                            trace_bits[trial, messages[arm], arm] = length
                        messages[arm] += 1
                    if outcome == TOO_FAR:
                        running = False
                        break
                    if now < 0:
                        centre = mean[middle]
                        if turn == 1:
                            low = min(mean[0], mean[arms - 1])
                            high = max(mean[0], mean[arms - 1])
                            centre = max(low, min(high, mean[middle]))
                    elif groups > 1 and turn == 0:
                        cut = (mean[ahead] - held[ahead]) - margin[then]
                if not running:
                    break
                now = then
                best = -np.inf
                top = active[0]
                for a in range(alive):
                    arm = active[a]
                    low = mean[arm] - held[arm]
                    if at[arm] == now and not conceded[arm] and low > best:
                        best = low
                        top = arm
                cut = best - margin[now]
                kept = 0
                for a in range(alive):
                    arm = active[a]
                    falls = conceded[arm] or (
                        arm != top and at[arm] == now and cut >= mean[arm] + held[arm]
                    )
                    active[kept] = arm
                    kept += 0 if falls else 1
                    if traced and falls:
                        dropped[trial, arm] = rounds
                alive = kept
                ahead = active[0]
                for a in range(1, alive):
                    if mean[active[a]] > mean[ahead]:
                        ahead = active[a]
                if alive == 1:
                    outcome = DECIDED
                    break
                least = np.inf
                second = -np.inf
                beats = epsilon > 0.0
                for a in range(alive):
                    arm = active[a]
                    if arm != ahead:
                        separation = margin[now] + (held[arm] + held[ahead])
                        beats = beats and mean[ahead] - mean[arm] >= separation - epsilon
                        least = min(least, mean[arm])
                        second = max(second, mean[arm])
                if beats:
                    outcome = DECIDED
                    break
                lead = mean[ahead] - least
                if epsilon > 0.0:
                    lead = max(lead, mean[ahead] - second + epsilon)
                groups = 2 if alone else 1
                for a in range(alive):
                    arm = active[a]
                    group[arm] = 1 if alone and arm != ahead else 0
                blur = held[ahead] if alone else held[ahead] + held[ahead]
                farthest = cap * t
                then = now + 1
                while then + 1 < depth and pulls[then + 1] <= farthest:
                    shrunk = blur * math.sqrt(pulls[at[ahead]] / pulls[then])
                    if lead >= patience * (margin[then] + shrunk):
                        break
                    then += 1
                if then == depth:
                    outcome = SAMPLE_LIMIT
                    break
            out[trial, ROUNDS] = rounds
            out[trial, SAMPLES] = samples
            out[trial, BITS] = bits
            out[trial, BEST] = ahead if outcome == DECIDED else -1
            out[trial, OUTCOME] = outcome
            out[trial, MESSAGES] = messages.sum()
            out[trial, CUTS] = cuts

    return run
