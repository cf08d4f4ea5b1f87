"""How a trial ended, where its figures stand in a kernel's output, and when a limit ends it."""

from numba import njit

from bitarm.sim.kernels.arrays import Integers
from bitarm.sim.kernels.highest import Places

DECIDED, ROUND_LIMIT, SAMPLE_LIMIT, BIT_LIMIT, STARVED, TOO_FAR, BUDGET_SPENT = range(7)
"""Endings; a starved trial needs a longer tape and runs again, one that is too far is refused."""

RUNNING = -1
"""No ending yet."""

ROUNDS, SAMPLES, BITS, BEST, OUTCOME, MESSAGES, MISSED = range(7)
"""Columns of the output, one row a trial; BEST is −1 without an answer, MISSED is 1 if no arm that
would be a right answer is left in the race."""
COLUMNS = 7


@njit(inline="always")
def limit_passed(limits: Integers, rounds: int, samples: int, bits: int) -> int:
    """The limit that stands against a round, in the order in which the learner asks; or RUNNING.

    The figures are those after the round, with the fewest bits that it can cost.
    """
    if rounds > limits[0]:
        return ROUND_LIMIT
    if samples > limits[1]:
        return SAMPLE_LIMIT
    if bits > limits[2]:
        return BIT_LIMIT
    return RUNNING


@njit(inline="always")
def missed(active: Places, alive: int, right: Integers) -> int:
    """1 if none of the arms in the race is a right answer: whatever is said now is wrong."""
    found = 0
    for place in range(alive):
        found += right[active[place]]
    return 1 if found == 0 else 0
