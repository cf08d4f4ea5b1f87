"""What separates two arms with any pulls: evidence of the core, compiled, and computed only once.

Which pairs of messages are ever compared depends on the trials. A margin takes microseconds, so a
table that is filled in when it is read costs less than a whole one.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

from bitarm.core.evidence.account import SIGMA_RATES
from bitarm.core.evidence.least import reaches
from bitarm.core.evidence.sub_gaussian import (
    CLIMB_SHARES,
    WEIGHTS,
    WINDOW,
    excess,
    first_rung,
    least_lead,
)
from bitarm.sim.kernels.arrays import Floats, Integers, PairArrays

for _function in (reaches, first_rung, excess):
    register_jitable(_function)  # compiled code may call it; for all others it stays as it is

_least_lead: Any = njit(least_lead)
"""The core's own function, compiled; what it calls is compiled with it."""


def pair_arrays(error: Floats, *, level: float, sigma: float) -> PairArrays:
    """A table for arms with such errors of their quantizer, message by message; no margin yet."""
    return PairArrays(
        margin=np.full((error.size, error.size), np.nan),
        error=error,
        rates=np.array(SIGMA_RATES),
        weights=np.array(WEIGHTS),
        shares=np.array(CLIMB_SHARES),
        room=np.empty((3, WINDOW * WINDOW)),
        level=level,
        sigma=sigma,
    )


NO_PAIRS = pair_arrays(np.empty(0), level=0.0, sigma=0.0)
"""For a kernel that judges by intervals."""


@njit(cache=True)
def separation(pairs: PairArrays, pulls: Integers, loser: int, winner: int) -> float:
    """The lead of decoded means that suffices between these messages, as `Leads` has it."""
    margin = pairs.margin[loser, winner]
    if math.isnan(margin):
        margin = pairs.sigma * _least_lead(
            float(pulls[loser]), float(pulls[winner]), pairs.level,
            pairs.rates, pairs.weights, pairs.shares,
            pairs.room[0], pairs.room[1], pairs.room[2],
        )  # fmt: skip
        pairs.margin[loser, winner] = margin
    return margin + (pairs.error[loser] + pairs.error[winner])
