"""ICQ: enc and dec over the interval L, and the recursion of Eq. (4)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.bits import Symbol
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion
from bitarm.core.quantizers import Icq, QuBan
from bitarm.errors import ConfigError, PeerProtocolError


def at(message: int, u_prime: float) -> Occasion:
    return Occasion(
        message=message, pulls=4, index=2, u_prime=u_prime, sigma=0.5, bounds=(-10.0, 10.0)
    )


def holding(mean: float, radius: float) -> Estimate:
    return Estimate(mean=mean, error=radius / 2, radius=radius)


# B = 3 on L = [0, 8]: the bins are the unit intervals, the midpoints the halves (as in Figure 2).
HELD, STEP = holding(4.0, 3.0), at(2, 1.0)


@pytest.mark.parametrize(
    ("mu_hat", "value", "decoded"),
    [
        (0.0, 0, 0.5),
        (0.4, 0, 0.5),
        (0.99, 0, 0.5),
        (1.0, 1, 1.5),  # a border belongs to the bin above
        (3.7, 3, 3.5),
        (4.0, 4, 4.5),
        (7.99, 7, 7.5),
        (8.0, 7, 7.5),  # the upper end of L is in its last bin
        (8.5, 7, 7.5),  # beyond L: the outermost bin
        (1e9, 7, 7.5),
        (-0.1, 0, 0.5),
        (-1e9, 0, 0.5),
    ],
)
def test_enc_and_dec_on_an_interval_of_eight_unit_bins(
    mu_hat: float, value: int, decoded: float
) -> None:
    quantizer = Icq(bits=3)
    symbol = encode(quantizer, mu_hat, HELD, STEP, 0.5)
    assert symbol == Symbol(value, 3)
    assert decode(quantizer, symbol, HELD, STEP) == Estimate(
        mean=decoded, error=0.5, radius=1.5, pulls=STEP.pulls
    )


bits_st = st.integers(1, 7)
held_st = st.builds(holding, st.floats(-10, 10), st.floats(1e-3, 20))
step_st = st.builds(at, st.integers(2, 40), st.floats(1e-3, 10))


def interval(held: Estimate, step: Occasion) -> tuple[float, float]:
    """L = [LCB(i−1) − U'(i), UCB(i−1) + U'(i)]."""
    return held.mean - held.radius - step.u_prime, held.mean + held.radius + step.u_prime


@given(bits=bits_st, held=held_st, step=step_st, mu_hat=st.floats(-100, 100))
def test_the_decoded_mean_is_the_nearest_of_all_midpoints(
    bits: int, held: Estimate, step: Occasion, mu_hat: float
) -> None:
    low, high = interval(held, step)
    size = (high - low) / 2**bits
    midpoints = [low + (k + 0.5) * size for k in range(2**bits)]
    quantizer = Icq(bits=bits)
    decoded = decode(quantizer, encode(quantizer, mu_hat, held, step, 0.0), held, step)
    nearest = min(abs(midpoint - mu_hat) for midpoint in midpoints)
    assert abs(decoded.mean - mu_hat) == pytest.approx(nearest, abs=1e-12)


@given(bits=bits_st, held=held_st, step=step_st, fraction=st.floats(0, 1))
def test_inside_the_interval_the_error_is_half_a_bin(
    bits: int, held: Estimate, step: Occasion, fraction: float
) -> None:
    low, high = interval(held, step)
    mu_hat = low + fraction * (high - low)
    quantizer = Icq(bits=bits)
    decoded = decode(quantizer, encode(quantizer, mu_hat, held, step, 0.0), held, step)
    assert decoded.error == pytest.approx((high - low) / 2 ** (bits + 1), rel=1e-12)
    assert abs(decoded.mean - mu_hat) <= decoded.error + 1e-12


@given(bits=bits_st, held=held_st, step=step_st, beyond=st.floats(1e-6, 1e6))
def test_outside_the_interval_the_outermost_bins_saturate(
    bits: int, held: Estimate, step: Occasion, beyond: float
) -> None:
    low, high = interval(held, step)
    quantizer = Icq(bits=bits)
    assert encode(quantizer, low - beyond, held, step, 0.5) == Symbol(0, bits)
    assert encode(quantizer, high + beyond, held, step, 0.5) == Symbol(2**bits - 1, bits)


@given(
    bits=bits_st,
    held=held_st,
    step=step_st,
    mu_hat=st.floats(-100, 100),
    dithers=st.tuples(st.floats(0, 0.999), st.floats(0, 0.999)),
)
def test_icq_takes_no_notice_of_the_dither(
    bits: int, held: Estimate, step: Occasion, mu_hat: float, dithers: tuple[float, float]
) -> None:
    one, other = (encode(Icq(bits=bits), mu_hat, held, step, dither) for dither in dithers)
    assert one == other


@given(bits=bits_st, held=held_st, step=step_st)
def test_all_symbols_of_B_bits_decode_to_different_means_in_order(
    bits: int, held: Estimate, step: Occasion
) -> None:
    low, high = interval(held, step)
    means = [decode(Icq(bits=bits), Symbol(k, bits), held, step).mean for k in range(2**bits)]
    assert low < means[0]
    assert means == sorted(set(means))
    assert means[-1] < high


@pytest.mark.parametrize("bits", [1, 3, 32])
@pytest.mark.parametrize("off", [-1, 1])
def test_a_symbol_of_another_length_is_refused(bits: int, off: int) -> None:
    with pytest.raises(PeerProtocolError, match=f"{bits + off} bits, {bits} were expected"):
        decode(Icq(bits=bits), Symbol(0, bits + off), HELD, STEP)


@pytest.mark.parametrize("bits", [0, -1, 33, 64])
def test_bits_out_of_range_are_refused(bits: int) -> None:
    with pytest.raises(ConfigError, match=f"bits must lie between 1 and 32, got {bits}"):
        Icq(bits=bits)


def test_an_unknown_prior_is_refused() -> None:
    with pytest.raises(ConfigError, match="prior must be one of uniform, midpoint, lower, quban"):
        Icq(prior="gaussian")  # type: ignore[arg-type]


def test_what_each_prior_holds_before_the_first_message() -> None:
    bounds = (-1.0, 3.0)
    uniform = Icq(prior="uniform").start(0.25, bounds)
    assert (uniform.mean, uniform.radius) == (0.25, 4.0)  # U(0) = b − a
    midpoint = Icq(prior="midpoint").start(None, bounds)
    assert (midpoint.mean, midpoint.radius) == (1.0, 2.0)  # U(0) = (b − a)/2
    lower = Icq(prior="lower").start(None, bounds)
    assert (lower.mean, lower.radius) == (-1.0, 4.0)  # U(0) = b − a
    assert Icq(prior="quban").start(None, None) == NOTHING_KNOWN
    assert Icq(prior="quban").start(None, bounds) == NOTHING_KNOWN


@pytest.mark.parametrize("prior", [-1.0, 3.0])
def test_a_prior_may_lie_on_the_bounds(prior: float) -> None:
    assert Icq(prior="uniform").start(prior, (-1.0, 3.0)).mean == prior


@pytest.mark.parametrize("prior", [None, -1.001, 3.001, math.nan, math.inf])
def test_a_uniform_prior_outside_the_bounds_is_refused(prior: float | None) -> None:
    with pytest.raises(ConfigError, match="needs μ̃_0 in"):
        Icq(prior="uniform").start(prior, (-1.0, 3.0))


@given(mu_hat=st.floats(-50, 50), dither=st.floats(0, 0.999), bits=bits_st)
def test_under_the_quban_prior_message_1_is_qubans_with_epsilon_2(
    mu_hat: float, dither: float, bits: int
) -> None:
    quantizer, first = Icq(bits=bits, prior="quban"), QuBan(epsilon_quban=2.0)
    step = Occasion(message=1, pulls=2, index=1, u_prime=2.0, sigma=0.5, bounds=None)
    symbol = encode(quantizer, mu_hat, NOTHING_KNOWN, step, dither)
    assert symbol == encode(first, mu_hat, NOTHING_KNOWN, step, dither)
    decoded = decode(quantizer, symbol, NOTHING_KNOWN, step)
    assert decoded == decode(first, symbol, NOTHING_KNOWN, step)
    assert decoded.radius == 2 * step.u_prime  # U(1) = 2·U'(1), Remark 2
    assert quantizer.least_bits(step) == 3
    assert quantizer.least_bits(at(2, 1.0)) == bits


@pytest.mark.parametrize("prior", ["uniform", "midpoint", "lower"])
def test_under_the_other_priors_message_1_has_B_bits(prior: str) -> None:
    assert Icq(bits=5, prior=prior).least_bits(at(1, 1.0)) == 5  # type: ignore[arg-type]
