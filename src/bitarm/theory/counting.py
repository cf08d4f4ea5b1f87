"""How few bits can an answer take? What holds for every scheme, whatever it sends.

The model is that of this package and of the paper: one agent an arm, a learner whose requests
cost nothing, and agents that speak only when they are asked. Silence then says nothing, and what
the learner knows of an arm came in bits of that arm. `docs/bits.md` has the proofs, and what
changes in other models.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.bounds import Bounds, check_bounds
from bitarm.core.spec import check_delta
from bitarm.errors import ConfigError
from bitarm.theory.gaps import check_means


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CountingBound:
    """E[bits] ≥ (1 − 2δ) for each arm on which the answer can depend.

    For every instance, and every strategy that always answers and errs with probability at most δ
    whatever the means are. No larger bound holds for a single instance: a strategy that happens to
    guess a threshold between the best arm and the others is sound, and asks each arm for one bit.
    """

    payload_bits: float
    arms: int  # that must be heard: all, unless the bounds leave no room for doubt


def counting_bound(
    means: Sequence[float], *, delta: float, bounds: Bounds | None = None, epsilon: float = 0.0
) -> CountingBound:
    """The least bits of any scheme: every arm must be heard, with probability at least 1 − 2δ.

    Until an arm has sent a bit, all that happens is independent of its rewards. Raise its mean
    above all others, and every other answer is wrong; lower it below the best of the others, and
    it is. So without hearing it each of the two kinds of answer is given with probability at most
    δ. Bounds, or a tolerance ε, may leave no room for one of the two changes: then the arm does
    not count.
    """
    check_means(means)
    check_delta(delta)
    check_bounds(bounds)
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise ConfigError(f"epsilon must be a finite number of at least 0, got {epsilon}")
    a, b = bounds if bounds is not None else (-math.inf, math.inf)
    heard = sum(a + epsilon < other < b - epsilon for other in _best_of_the_others(means))
    return CountingBound(payload_bits=heard * max(0.0, 1 - 2 * delta), arms=heard)


def answer_bits(arms: int, *, delta: float) -> float:
    """The information in the answer itself: log2 K − h(δ) − δ·log2(K − 1), by Fano's inequality.

    A bound on the expected bits if the best arm is equally likely to be any, also where agents
    share what they know or one agent has several arms; with one agent an arm, `counting_bound`
    is larger unless δ is near 1/2.
    """
    check_delta(delta)
    if arms < 2:
        raise ConfigError(f"at least 2 arms are needed for a question, got {arms}")
    if delta >= 1 - 1 / arms:  # a blind guess does as well
        return 0.0
    doubt = -delta * math.log2(delta) - (1 - delta) * math.log2(1 - delta)
    return max(0.0, math.log2(arms) - doubt - delta * math.log2(arms - 1))


def _best_of_the_others(means: Sequence[float]) -> list[float]:
    """For each arm, the largest mean among the others."""
    first, second = sorted(means, reverse=True)[:2]
    best = max(range(len(means)), key=means.__getitem__)
    return [second if arm == best else first for arm in range(len(means))]
