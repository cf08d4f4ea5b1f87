"""Policies that advance one or two arms a round: the twins of lucb, lil-ucb and lil-ucb-count.

The arms with the highest mean and the highest index are found in tournament trees, so that a round
costs O(log K) however many arms there are.
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

LUCB, LIL_UCB, LIL_UCB_COUNT = range(3)


@njit(cache=True)
def _play(tree: Any, score: Any, size: int, arm: int) -> None:
    """Let an arm with a new score play its way up; the lower arm wins a tie."""
    node = (size + arm) // 2
    while node >= 1:
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if score[left] >= score[right] else right
        node //= 2


@njit(cache=True)
def _play_all(tree: Any, score: Any, size: int) -> None:
    for arm in range(size):
        tree[size + arm] = arm
    for node in range(size - 1, 0, -1):
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if score[left] >= score[right] else right


@lru_cache(maxsize=64)
def indexed(
    *, policy: int, gaussian: bool, grows: bool, stored: bool, first: int, rest: int, traced: bool
) -> Any:
    """A kernel compiled for one kind of setting; see `elimination` for the constants."""

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
        epsilon, ratio = scheme.epsilon, scheme.ratio
        out, trace_mean = output.table, output.mean
        trace_bits = output.nbits
        arms = p.size
        depth = pulls.size
        max_rounds, max_samples, max_bits = limits[0], limits[1], limits[2]
        size = 1
        while size < arms:
            size *= 2
        mean = np.full(size, -np.inf)  # seats without an arm lose against every arm
        index = np.full(size, -np.inf)
        by_mean = np.empty(2 * size, np.int64)
        by_index = np.empty(2 * size, np.int64)
        total = np.empty(arms, np.float64)
        messages = np.empty(arms, np.int64)
        advancing = np.empty(max(arms, 2), np.int64)
        for x in range(todo.size):
            trial = todo[x]
            prior = trial if start.shape[0] > 1 else 0
            for arm in range(arms):
                total[arm] = 0.0
                messages[arm] = 0
                mean[arm] = start[prior, arm]
                advancing[arm] = arm
            going = arms
            rounds = 0
            samples = 0
            bits = 0
            most = 0  # the arm with most pulls
            answer = -1
            outcome = SAMPLE_LIMIT
            while True:
                # limits, as the learner checks them before a round
                wanted_samples = samples
                wanted_bits = bits
                ended = False
                for a in range(going):
                    n = messages[advancing[a]]
                    if n == depth:
                        ended = True
                    else:
                        wanted_samples += pulls[n] - (pulls[n - 1] if n > 0 else 0)
                        wanted_bits += least[n]
                if ended:
                    outcome = SAMPLE_LIMIT
                    break
                if rounds + 1 > max_rounds:
                    outcome = ROUND_LIMIT
                    break
                if wanted_samples > max_samples:
                    outcome = SAMPLE_LIMIT
                    break
                if wanted_bits > max_bits:
                    outcome = BIT_LIMIT
                    break
                if not grows:
                    starved = False
                    for a in range(going):
                        arm = advancing[a]
                        wanted[trial, arm] = cell_of[messages[arm]] + 1
                        starved = starved or filled[trial, arm] < wanted[trial, arm]
                    if starved:
                        outcome = STARVED
                        break
                rounds += 1
                samples = wanted_samples
                for a in range(going):
                    arm = advancing[a]
                    n = messages[arm]
                    upto = cell_of[n]
                    done = cell_of[n - 1] + 1 if n > 0 else 0
                    running = total[arm]
                    for cell in range(done, upto + 1):
                        if stored and filled[trial, arm] > cell:
                            running += cells[trial, cell, arm]
                        else:
                            if gaussian:
                                drawn = (
                                    cell_mean[cell, arm]
                                    + cell_sd[cell, arm] * rng.standard_normal()
                                )
                            else:
                                count = grid[cell] - (grid[cell - 1] if cell > 0 else 0)
                                drawn = draw_sum(rng, family[arm], p[arm], q[arm], count)
                            if stored:
                                cells[trial, cell, arm] = drawn
                                filled[trial, arm] = cell + 1
                            running += drawn
                    total[arm] = running
                    value = running / float(pulls[n])
                    way = first if n == 0 else rest
                    length = nbits[n]
                    if way == ICQ:
                        value, _ = bin_middle(value, mean[arm] - k0[n], k1[n], last[n])
                    elif way == FED_SEL:
                        value, _ = bin_middle(value, k0[n], k1[n], last[n])
                    elif way == QUBAN:
                        if stored:
                            if dithered[trial, arm] <= n:
                                for m in range(dithered[trial, arm], n + 1):
                                    dithers[trial, m, arm] = rng.random()
                                dithered[trial, arm] = n + 1
                            dither = dithers[trial, n, arm]
                        else:
                            dither = rng.random()
                        if not abs(value) < MOST_STEPS * k0[n]:
                            outcome = TOO_FAR
                        value, length, _ = quban(value, mean[arm], k0[n], dither)
                    elif way == DICQ:
                        if not abs(value) < MOST_STEPS_DICQ * k0[n]:
                            outcome = TOO_FAR
                        value, length, _ = dicq(value, mean[arm], k0[n], k1[n])
                    bits += length
                    mean[arm] = value
                    messages[arm] = n + 1
                    if policy == LUCB:
                        index[arm] = value + radius[n]
                    else:
                        index[arm] = value + 2.0 * radius[n]
                    if messages[arm] > messages[most] or (
                        messages[arm] == messages[most] and arm < most
                    ):
                        most = arm
                    if traced:
                        trace_mean[trial, n, arm] = value
                        trace_bits[trial, n, arm] = length
                    if rounds > 1:
                        _play(by_mean, mean, size, arm)
                        _play(by_index, index, size, arm)
                if outcome == TOO_FAR:
                    break
                if rounds == 1:
                    _play_all(by_mean, mean, size)
                    _play_all(by_index, index, size)
                if policy == LIL_UCB_COUNT:
                    pulled = pulls[messages[most] - 1]
                    if pulled >= 1 + ratio * (samples - pulled):
                        answer = most
                        outcome = DECIDED
                        break
                    advancing[0] = by_index[1]
                    going = 1
                    continue
                leader = by_mean[1]
                challenger = by_index[1]
                if challenger == leader:
                    kept = index[leader]
                    index[leader] = -np.inf
                    _play(by_index, index, size, leader)
                    challenger = by_index[1]
                    index[leader] = kept
                    _play(by_index, index, size, leader)
                u_leader = radius[messages[leader] - 1]
                beats = (
                    mean[leader] - mean[challenger]
                    >= (radius[messages[challenger] - 1] + u_leader) - epsilon
                )
                if beats:  # the strongest is beaten: now ask every arm, as the policy does
                    for arm in range(arms):
                        if arm != leader and not (
                            mean[leader] - mean[arm]
                            >= (radius[messages[arm] - 1] + u_leader) - epsilon
                        ):
                            beats = False
                            break
                if beats:
                    answer = leader
                    outcome = DECIDED
                    break
                if policy == LUCB:
                    going = 0
                    if messages[leader] <= messages[challenger]:
                        advancing[going] = leader
                        going += 1
                    if messages[challenger] <= messages[leader]:
                        advancing[going] = challenger
                        going += 1
                else:
                    advancing[0] = by_index[1]
                    going = 1
            out[trial, ROUNDS] = rounds
            out[trial, SAMPLES] = samples
            out[trial, BITS] = bits
            out[trial, BEST] = answer
            out[trial, OUTCOME] = outcome
            out[trial, MESSAGES] = messages.sum()

    return run
