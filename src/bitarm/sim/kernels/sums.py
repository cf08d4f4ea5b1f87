"""Sums of rewards, drawn exactly: in one draw where the family allows it, one by one otherwise.

What is added up is added as an agent adds it: see `core/running_sum.py`.
"""

import math

import numpy as np
from numba import njit

from bitarm.core.running_sum import add
from bitarm.sim.kernels.arrays import BERNOULLI, EXPONENTIAL, GAUSSIAN, POISSON
from bitarm.sim.kernels.compilation import allocating

added = njit(inline="always")(add)
"""A running sum and its rest after one more number, by the core's own function, compiled."""


@allocating
def draw_sum(rng: np.random.Generator, family: int, p: float, q: float, count: int) -> float:
    """The sum of `count` independent rewards of a family with parameters p and q.

    numba's draw of Poisson's counts allocates.
    """
    if family == GAUSSIAN:
        return p * count + q * math.sqrt(count) * rng.standard_normal()
    if family == BERNOULLI:
        return float(rng.binomial(count, p))
    if family == POISSON:
        return float(rng.poisson(p * count))
    if family == EXPONENTIAL:
        return p * rng.standard_gamma(float(count))
    total = rest = 0.0
    for _ in range(count):
        total, rest = added(total, rest, rng.beta(p, q))
    return total + rest


@njit(cache=True)
def draw_reward(rng: np.random.Generator, family: int, p: float, q: float) -> float:
    """One reward in [0, 1]: of a coin, or Beta."""
    if family == BERNOULLI:
        return 1.0 if rng.random() < p else 0.0
    return float(rng.beta(p, q))
