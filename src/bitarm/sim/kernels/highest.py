"""The best of the arms that are left, by any score."""

import numpy as np
import numpy.typing as npt
from numba import njit

from bitarm.sim.kernels.arrays import Floats

Places = npt.NDArray[np.uintp]
"""[place] the arms that are left, ascending, then old entries; unsigned, so that no index wraps."""


@njit(inline="always")
def highest(active: Places, alive: int, score: Floats) -> int:
    """The arm with the highest score of the first `alive`, the lowest of those that tie."""
    best = active[0]
    for a in range(1, alive):
        if score[active[a]] > score[best]:
            best = active[a]
    return best
