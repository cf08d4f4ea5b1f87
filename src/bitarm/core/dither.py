"""Numbers in [0, 1) that look random and are a function of a seed and a place.

A learner that is restored gets the same number for the same place: nothing is drawn, so nothing
has to be stored, and a question that is asked again is the same question.
"""

import hashlib
import math

_MANTISSA = 53  # bits that a float in [0, 1) can hold

DITHER_BITS = 32
"""Bits of a dither, which travels in a question: it shifts no mean by more than 2^−32 of a step."""


def keyed_unit(seed: int, purpose: str, arm: int, message: int) -> float:
    """A number in [0, 1) from a keyed hash of purpose, arm and message."""
    key = seed.to_bytes(8)
    place = f"{purpose}/{arm}/{message}".encode()
    digest = hashlib.blake2b(place, key=key, digest_size=8).digest()
    return (int.from_bytes(digest) >> (64 - _MANTISSA)) * 2.0**-_MANTISSA


def dither(seed: int, arm: int, message: int) -> float:
    """The dither of one message's stochastic rounding: a multiple of 2^−32."""
    scale = 1 << DITHER_BITS
    return math.floor(keyed_unit(seed, "dither", arm, message) * scale) / scale


def uniform_priors(seed: int, arms: int, bounds: tuple[float, float]) -> tuple[float, ...]:
    """μ̃_{j,0} for every arm, uniform on [a, b] (line 3 of Algorithm 1)."""
    a, b = bounds
    return tuple(min(b, a + (b - a) * keyed_unit(seed, "prior", arm, 0)) for arm in range(arms))
