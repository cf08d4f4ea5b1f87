"""The unquantized setting."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.bits import Symbol
from bitarm.core.quantizer import NOTHING_KNOWN, Occasion
from bitarm.core.quantizers import Exact
from bitarm.errors import ConfigError, PeerProtocolError

STEP = Occasion(message=1, pulls=4, index=2, u_prime=0.25, sigma=1.0, bounds=None)


@given(mu_hat=st.floats(allow_nan=False, allow_infinity=False), dither=st.floats(0, 0.999))
def test_every_finite_mean_comes_back_to_the_last_bit(mu_hat: float, dither: float) -> None:
    symbol = encode(Exact(), mu_hat, NOTHING_KNOWN, STEP, dither)
    decoded = decode(Exact(), symbol, NOTHING_KNOWN, STEP)
    assert symbol.nbits == 64
    assert struct.pack(">d", decoded.mean) == struct.pack(">d", mu_hat)
    rounding = 2.0**-20 * STEP.sigma / STEP.pulls**0.5
    assert (decoded.error, decoded.radius) == (rounding, 0.25 + rounding)


def test_the_bits_are_ieee_754_big_endian() -> None:
    assert encode(Exact(), -2.0, NOTHING_KNOWN, STEP, 0.5) == Symbol(0xC000000000000000, 64)


@pytest.mark.parametrize("mean", [math.inf, -math.inf, math.nan])
def test_what_no_mean_can_be_is_refused(mean: float) -> None:
    symbol = Symbol(int.from_bytes(struct.pack(">d", mean)), 64)
    with pytest.raises(PeerProtocolError, match="finite"):
        decode(Exact(), symbol, NOTHING_KNOWN, STEP)


@pytest.mark.parametrize("nbits", [0, 32, 63, 65])
def test_any_other_length_is_refused(nbits: int) -> None:
    with pytest.raises(PeerProtocolError, match=f"{nbits} bits, 64 were expected"):
        decode(Exact(), Symbol(0, nbits), NOTHING_KNOWN, STEP)


def test_it_needs_no_bounds_and_refuses_a_prior() -> None:
    assert Exact().start(None, None) == Exact().start(None, (0.0, 1.0)) == NOTHING_KNOWN
    with pytest.raises(ConfigError, match="exact takes no prior"):
        Exact().start(0.5, (0.0, 1.0))
