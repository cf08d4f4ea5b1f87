"""The mean itself."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.errors import PeerProtocolError


@given(mean=st.floats(allow_nan=False, allow_infinity=False))
def test_a_mean_comes_back_to_the_last_bit(mean: float) -> None:
    symbol = Raw().write(mean)
    assert symbol.nbits == 64
    assert struct.pack(">d", Raw().read(symbol)) == struct.pack(">d", mean)


def test_the_bits_are_those_of_ieee_754() -> None:
    assert Raw().write(1.0) == Symbol(0x3FF0_0000_0000_0000, 64)
    assert Raw().write(-2.5) == Symbol(0xC004_0000_0000_0000, 64)


@pytest.mark.parametrize("nbits", [0, 32, 63, 65])
def test_another_length_is_the_peers_fault(nbits: int) -> None:
    with pytest.raises(PeerProtocolError, match=f"{nbits} bits, 64 were expected"):
        Raw().read(Symbol(0, nbits))


@pytest.mark.parametrize("mean", [math.nan, math.inf, -math.inf])
def test_a_mean_that_is_no_number_is_the_peers_fault(mean: float) -> None:
    with pytest.raises(PeerProtocolError, match="must be finite"):
        Raw().read(Raw().write(mean))
