"""The limit that the simulator is measured against: one scheme, hand-fused, doing nothing else.

No tape, no tables, no limits, no tolerance, no outcomes: rewards are drawn, quantized, compared and
forgotten in one loop. Gaussian arms, successive elimination, t_i = 2^i.

Sums are added as agents add them, with what rounding left out (`core/running_sum.py`): that is not
the simulator's way of doing things but the arithmetic that it simulates, and a loop without it says
other numbers. Beside it there is the same loop with plain sums, so that its price is known too.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from bitarm.sim.kernels.sums import added

Add = Callable[[float, float, float], tuple[float, float, float]]
"""A sum's two parts after one more number, and what they come to."""


@njit(inline="always")
def compensated(total: float, rest: float, more: float) -> tuple[float, float, float]:
    """A sum as agents keep it."""
    total, rest = added(total, rest, more)
    return total, rest, total + rest


@njit(inline="always")
def plain(total: float, rest: float, more: float) -> tuple[float, float, float]:
    """A sum that drifts; the compiler sees that its rest is for nothing."""
    return total + more, rest, total + more


def fused_exact(add: Add) -> Any:
    """Means are told exactly."""

    @njit(error_model="numpy")
    def run(rng: Any, mu: Any, sd: float, t: Any, u: Any, trials: int) -> tuple[int, int]:
        arms = mu.size
        active = np.empty(arms, np.int64)
        total = np.empty(arms)
        rest = np.empty(arms)
        mean = np.empty(arms)
        samples = 0
        rounds = 0
        for _ in range(trials):
            alive = arms
            for j in range(arms):
                active[j] = j
                total[j] = rest[j] = 0.0
            n = 0
            before = 0
            while alive > 1:
                batch = t[n] - before
                before = t[n]
                scale = math.sqrt(batch) * sd
                best = -np.inf
                for a in range(alive):
                    j = active[a]
                    more = mu[j] * batch + scale * rng.standard_normal()
                    total[j], rest[j], sum_so_far = add(total[j], rest[j], more)
                    mean[j] = sum_so_far / before
                    best = max(best, mean[j])
                samples += alive * batch
                threshold = best - 2 * u[n]
                kept = 0
                for a in range(alive):
                    j = active[a]
                    if mean[j] > threshold:
                        active[kept] = j
                        kept += 1
                alive = kept
                n += 1
            rounds += n
        return samples, rounds

    return run


def fused_icq(add: Add) -> Any:
    """ICQ with QuBan's first message (ε = 2): `u` are the radii, `half` the intervals' halves."""

    @njit(error_model="numpy")
    def run(
        rng: Any, mu: Any, sd: float, t: Any, u: Any, half: Any, size: float, bits: int, trials: int
    ) -> tuple[int, int, int]:
        arms = mu.size
        last = float((1 << bits) - 1)
        active = np.empty(arms, np.int64)
        total = np.empty(arms)
        rest = np.empty(arms)
        mean = np.empty(arms)
        samples = 0
        rounds = 0
        sent = 0
        for _ in range(trials):
            alive = arms
            for j in range(arms):
                active[j] = j
                total[j] = rest[j] = 0.0
            n = 0
            before = 0
            while alive > 1:
                batch = t[n] - before
                before = t[n]
                scale = math.sqrt(batch) * sd
                width = half[n] * 2.0 ** (1 - bits)
                best = -np.inf
                for a in range(alive):
                    j = active[a]
                    more = mu[j] * batch + scale * rng.standard_normal()
                    total[j], rest[j], sum_so_far = add(total[j], rest[j], more)
                    m = sum_so_far / before
                    if n > 0:
                        low = mean[j] - half[n]
                        k = min(max(np.floor((m - low) / width), 0.0), last)
                        m = low + (k + 0.5) * width
                        sent += bits
                    else:
                        x = m / size
                        below = np.floor(x)
                        q = below + (1.0 if rng.random() < x - below else 0.0)
                        m = size * q
                        if -2 <= q <= 3:
                            sent += 3
                        elif -3 <= q <= 4:
                            sent += 4
                        else:
                            far = q - 4 if q > 4 else -3 - q
                            sent += 2 * math.frexp(far)[1] + 5
                    mean[j] = m
                    best = max(best, m)
                samples += alive * batch
                threshold = best - 2 * u[n]
                kept = 0
                for a in range(alive):
                    j = active[a]
                    if mean[j] > threshold:
                        active[kept] = j
                        kept += 1
                alive = kept
                n += 1
            rounds += n
        return samples, rounds, sent

    return run
