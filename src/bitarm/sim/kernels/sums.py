"""Sums of rewards, drawn exactly: in one draw where the family allows it, one by one otherwise."""

import math

import numpy as np

from bitarm.sim.kernels.arrays import BERNOULLI, EXPONENTIAL, GAUSSIAN, POISSON
from bitarm.sim.kernels.compilation import allocating


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
    total = 0.0
    for _ in range(count):
        total += rng.beta(p, q)
    return total
