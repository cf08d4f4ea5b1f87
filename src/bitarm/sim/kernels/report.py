"""One report of an arm: its rewards are drawn, and their mean becomes what the learner reads.

Draws come in the machines' order: the rewards that a message is about first, then its dither.

Arguments that say how a kernel is compiled come last, and are constants there (`elimination.py`
lists them). The functions are inlined, and branches not taken are never compiled.
"""

import math

import numpy as np
from numba import njit

from bitarm.sim.kernels.arrays import EnvironmentArrays, SchemeArrays, TapeArrays
from bitarm.sim.kernels.quantize import (
    DICQ,
    FED_SEL,
    ICQ,
    QUBAN,
    bin_middle,
    dicq,
    quban,
    within_levels,
    within_steps,
)
from bitarm.sim.kernels.sums import added, draw_sum


@njit(inline="always")
def draw_cell(
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    cell: int,
    arm: int,
    gaussian: bool,
) -> float:
    """The sum of the rewards of one cell."""
    if gaussian:
        return (
            environment.cell_mean[cell, arm]
            + environment.cell_sd[cell, arm] * rng.standard_normal()
        )
    count = tape.grid[cell] - (tape.grid[cell - 1] if cell > 0 else 0)
    return draw_sum(rng, environment.family[arm], environment.p[arm], environment.q[arm], count)


@njit(inline="always")
def draw_leap(
    rng: np.random.Generator, environment: EnvironmentArrays, count: int, arm: int, gaussian: bool
) -> float:
    """The sum of an arm's next `count` rewards, over as many cells as they are.

    For a trial that is forgotten: one draw costs less than one for each cell.
    """
    if gaussian:
        scale = 1.0 if count == 1 else math.sqrt(float(count))  # most often it is 1
        return environment.p[arm] * count + environment.q[arm] * (scale * rng.standard_normal())
    return draw_sum(rng, environment.family[arm], environment.p[arm], environment.q[arm], count)


@njit(inline="always")
def add_cells(
    total: float,
    rest: float,
    rng: np.random.Generator,
    environment: EnvironmentArrays,
    tape: TapeArrays,
    trial: int,
    arm: int,
    done: int,
    upto: int,
    gaussian: bool,
    stored: bool,
) -> tuple[float, float]:
    """A sum and its rest after the cells from `done` to `upto`, added in order; what the tape lacks
    is drawn.
    """
    for cell in range(done, upto + 1):
        if stored and cell < tape.filled[trial, arm]:
            drawn = tape.cells[trial, cell, arm]
        else:
            drawn = draw_cell(rng, environment, tape, cell, arm, gaussian)
            if stored:
                tape.cells[trial, cell, arm] = drawn
                tape.filled[trial, arm] = cell + 1
        total, rest = added(total, rest, drawn)
    return total, rest


@njit(inline="always")
def starves(tape: TapeArrays, trial: int, arm: int, upto: int) -> bool:
    """Whether a tape that does not grow lacks a cell of `upto`; what is wanted is put down."""
    tape.wanted[trial, arm] = upto + 1
    return tape.filled[trial, arm] <= upto


@njit(inline="always")
def dither_of(
    rng: np.random.Generator, tape: TapeArrays, trial: int, n: int, arm: int, stored: bool
) -> float:
    """The dither of message n, counted from 0; drawn now if the tape has none for it yet."""
    if not stored:
        return rng.random()
    for m in range(tape.dithered[trial, arm], n + 1):
        tape.dithers[trial, m, arm] = rng.random()
        tape.dithered[trial, arm] = m + 1
    return tape.dithers[trial, n, arm]


@njit(inline="always")
def encode_and_decode(
    mu_hat: float,
    held: float,
    rng: np.random.Generator,
    tape: TapeArrays,
    scheme: SchemeArrays,
    trial: int,
    n: int,
    arm: int,
    coding: int,
    stored: bool,
) -> tuple[float, int, float, bool]:
    """Message n about `mu_hat` where `held` was known: decoded mean, bits, the number that the word
    says (a bin, a level, steps, or the mean itself), and whether there is a word for it.

    `coding` is the quantizer of the message, one of those that `kernels/quantize.py` numbers.
    """
    k0, k1, last = scheme.k0[n], scheme.k1[n], scheme.last[n]
    if coding == ICQ:
        mean, number = bin_middle(mu_hat, held - k0, k1, last)
        return mean, scheme.nbits[n], number, True
    if coding == FED_SEL:
        mean, number = bin_middle(mu_hat, k0, k1, last)
        return mean, scheme.nbits[n], number, True
    if coding == QUBAN:
        dither = dither_of(rng, tape, trial, n, arm, stored)
        mean, nbits, level = quban(mu_hat, held, k0, dither)
        return mean, nbits, level, within_levels(mu_hat, k0)
    if coding == DICQ:
        mean, nbits, steps = dicq(mu_hat, held, k0, k1)
        return mean, nbits, steps, within_steps(mu_hat, k0)
    return mu_hat, scheme.nbits[n], mu_hat, True
