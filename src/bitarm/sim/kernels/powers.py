"""Powers of two by the bits of floats: a call of the C library for each costs more than a draw."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from bitarm.core.quantizers.dyadic import LEAST_EXPONENT, unit_of
from bitarm.sim.kernels.compilation import INLINED, inlined

_FRACTION_BITS = 52
_EXPONENTS = 0x7FF  # values of a float64's exponent field
_ONE = 1023  # that of 1.0


@inlined
def power_of_two(exponent: int) -> float:
    """`math.ldexp(1.0, exponent)`, where that is a normal number."""
    return float(np.int64((exponent + _ONE) << _FRACTION_BITS).view(np.float64))


@inlined
def exponent_of(number: float) -> int:
    """`math.frexp(number)[1]`, of a finite number other than 0.

    Of the smallest floats, which are no normal numbers, it is −1022.
    """
    bits = np.float64(number).view(np.int64)
    return int((bits >> _FRACTION_BITS) & _EXPONENTS) - _ONE + 1


_overload: Any = overload  # numba's types know some of the options only


@_overload(unit_of, jit_options=INLINED)
def _unit_of(size: Any) -> Callable[[Any], float]:
    def by_bits(size: Any) -> float:
        return power_of_two(max(exponent_of(size), LEAST_EXPONENT) - 3)

    return by_bits
