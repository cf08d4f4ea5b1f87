"""What told means let one expect of arms: who may fall, who may lead, and who is to fall next.

Nothing is claimed of any of it: evidence decides, and this only says whom to ask. Functions of
numbers alone, since the simulator compiles these very functions.
"""

import math

from bitarm.core.evidence.least import Row
from bitarm.core.quantizers.dyadic import unit_of

MAY_FALL = 0.36
"""Deviations by which a mean may have fallen since it was told, beside its error: beyond, no arm is
challenged."""

MAY_LEAD = 0.7
"""Deviations by which it may have risen: beyond, it is not asked whether it leads."""

UNSURE = 1.6
"""Deviations that a told mean is taken to be off by at least, when it is asked who may fall or
lead: else who tells finer means would be asked less, and end up with more samples."""

LIKELY = 1.0
"""Deviations by which a told mean must be below the cut for its arm to be likely to fall."""

MANY = 0.5
"""Share of the arms to be challenged of which that must be so: else the leader, which knows its own
mean better by now, first goes on. Who survives a challenge says so in two bits, and is challenged
again; to go on takes one message of one arm."""

FIRST_EDGES = 2
"""Messages of a leader, at most, after which it goes on instead: one that never challenges anybody
would run away from arms that are as good."""

_MOST_LENGTHS = 2.0**30  # of a tolerance; a step is 8 to 14 of them, a deviation not much less


def reach(error: float, deviation: float, moved: float, share: float) -> float:
    """How far a mean may be from where it was told: by its error, or, however finely it was told,
    by a few of its deviations; and by a share of the deviation by which it moved since.
    """
    return max(error, UNSURE * deviation) + share * moved


def is_too_soon(challenged: int, likely: int, messages: int) -> bool:
    """Whether a leader that has sent so many messages goes on before it challenges so many arms, of
    which some are likely to fall.
    """
    return likely < MANY * challenged and messages <= FIRST_EDGES


def raised(edge: float, epsilon: float, step: float) -> float:
    """An edge with the tolerance on top, in whole lengths of the step's kind, never too high.

    A tolerance of over 2^30 lengths counts for so many: an edge stays within the reach of a code,
    and evidence needs no more.
    """
    unit = unit_of(step) / 2  # edges lie half a step beside a centre
    return edge + math.floor(min(epsilon / unit, _MOST_LENGTHS)) * unit


def target(means: Row, count: int, aim: float) -> float:
    """The mean that is to fall, of the first `count`: the least, the middle, or the highest."""
    least, most, total = means[0], means[0], 0.0
    for n in range(count):
        least, most = min(least, means[n]), max(most, means[n])
        total += means[n]
    middle = total / count
    if aim <= 0.5:
        return least + 2 * aim * (middle - least)
    return middle + (2 * aim - 1) * (most - middle)
