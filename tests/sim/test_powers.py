"""Powers of two by the bits of floats are those of the C library."""

import math
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from bitarm.core.quantizers import dyadic
from bitarm.sim.kernels.powers import exponent_of, power_of_two

unit_of = dyadic.unit_of


@njit
def compiled_power(exponent: Any) -> Any:
    return power_of_two(exponent)


@njit
def compiled_exponent(number: Any) -> Any:
    return exponent_of(number)


@njit
def compiled_unit(size: Any) -> Any:
    return unit_of(size)


@given(exponent=st.integers(-1022, 1023))
def test_power_of_two(exponent: int) -> None:
    assert compiled_power(exponent) == math.ldexp(1.0, exponent)


@given(number=st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False))
@example(number=1.0)
@example(number=-math.nextafter(1.0, 0.0))
@example(number=2.0**-1022)
def test_exponent_of_a_normal_number(number: float) -> None:
    if number:
        assert compiled_exponent(number) == math.frexp(number)[1]


@given(size=st.floats(min_value=0.0, exclude_min=True, allow_infinity=False))
@example(size=math.nextafter(0.0, 1.0))
@example(size=2.0**-1003)
@example(size=math.nextafter(8.0, 0.0))
def test_a_unit_is_that_of_the_core(size: float) -> None:
    assert compiled_unit(size) == dyadic.unit_of(size)
