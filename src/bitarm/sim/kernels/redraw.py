"""The random draws of a tape, and nothing else: the floor under any simulation."""

import numpy as np
from numba import njit

from bitarm.sim.kernels.arrays import Floats, Integers
from bitarm.sim.kernels.sums import draw_sum


@njit(cache=True)
def redraw(
    rng: np.random.Generator,
    family: Integers,
    p: Floats,
    q: Floats,
    grid: Integers,
    filled: Integers,
    dithered: Integers,
    every: int,
) -> float:
    """Draw as many cells and dithers as one trial in `every` has; the sum keeps them alive."""
    total = 0.0
    for trial in range(0, filled.shape[0], every):
        for arm in range(filled.shape[1]):
            for cell in range(filled[trial, arm]):
                count = grid[cell] - (grid[cell - 1] if cell > 0 else 0)
                total += draw_sum(rng, family[arm], p[arm], q[arm], count)
            for _ in range(dithered[trial, arm]):
                total += rng.random()
    return total
