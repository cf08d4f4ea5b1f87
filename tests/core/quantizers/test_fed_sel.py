"""Fed-SEL: cells of width U'."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.bits import Symbol
from bitarm.core.quantizer import NOTHING_KNOWN, Occasion
from bitarm.core.quantizers import FedSel
from bitarm.errors import ConfigError, PeerProtocolError


def at(u_prime: float, a: float = 0.0, b: float = 1.0) -> Occasion:
    return Occasion(message=1, pulls=4, index=2, u_prime=u_prime, sigma=0.5, bounds=(a, b))


def cells(step: Occasion) -> int:
    assert step.bounds is not None
    return math.ceil((step.bounds[1] - step.bounds[0]) / step.u_prime)


@pytest.mark.parametrize(
    ("u_prime", "n", "nbits"),
    [
        (5.0, 1, 0),  # one cell says nothing and costs nothing
        (1.0, 1, 0),
        (0.75, 2, 1),
        (0.5, 2, 1),
        (0.4, 3, 2),
        (0.25, 4, 2),
        (0.24, 5, 3),
        (0.125, 8, 3),
        (0.12, 9, 4),
        (2.0**-10, 1024, 10),
        (2.0**-10 * 0.999, 1026, 11),
        (2.0**-30, 2**30, 30),
    ],
)
def test_bits_of_a_round(u_prime: float, n: int, nbits: int) -> None:
    step = at(u_prime)
    assert cells(step) == n
    assert FedSel().least_bits(step) == nbits
    for mu_hat in (0.0, 0.3, 1.0):
        assert encode(FedSel(), mu_hat, NOTHING_KNOWN, step, 0.5).nbits == nbits


@st.composite
def steps(draw: st.DrawFn) -> Occasion:
    a = draw(st.floats(-100, 100))
    b = a + draw(st.floats(0.01, 100))
    n = draw(st.floats(0.1, 2.0**30))
    return at((b - a) / n, a, b)


@given(step=steps())
def test_bits_are_the_logarithm_of_the_number_of_cells_rounded_up(step: Occasion) -> None:
    assert FedSel().least_bits(step) == math.ceil(math.log2(cells(step)))


@given(step=steps(), fraction=st.floats(0, 1), dither=st.floats(0, 0.999))
def test_the_error_is_half_a_cell(step: Occasion, fraction: float, dither: float) -> None:
    assert step.bounds is not None
    a, b = step.bounds
    mu_hat = min(a + fraction * (b - a), b)
    decoded = decode(
        FedSel(), encode(FedSel(), mu_hat, NOTHING_KNOWN, step, dither), NOTHING_KNOWN, step
    )
    assert decoded.error == step.u_prime / 2
    assert decoded.radius == pytest.approx(1.5 * step.u_prime, rel=1e-15)
    rounding = 2.0**-50 * max(abs(a), abs(b))
    assert abs(decoded.mean - mu_hat) <= step.u_prime / 2 + rounding


@given(step=steps(), data=st.data())
def test_a_cell_decodes_to_its_middle_and_back(step: Occasion, data: st.DataObject) -> None:
    assert step.bounds is not None
    cell = data.draw(st.integers(0, cells(step) - 1))
    symbol = Symbol(cell, FedSel().least_bits(step))
    mean = decode(FedSel(), symbol, NOTHING_KNOWN, step).mean
    assert mean == pytest.approx(step.bounds[0] + (cell + 0.5) * step.u_prime, rel=1e-12)
    assert encode(FedSel(), mean, NOTHING_KNOWN, step, 0.5) == symbol


@given(step=steps(), beyond=st.floats(0, 1e6))
def test_means_at_or_beyond_the_bounds_fall_into_the_outermost_cells(
    step: Occasion, beyond: float
) -> None:
    assert step.bounds is not None
    a, b = step.bounds
    assert encode(FedSel(), a - beyond, NOTHING_KNOWN, step, 0.5).value == 0
    above = encode(FedSel(), b + beyond, NOTHING_KNOWN, step, 0.5)
    assert cells(step) - above.value == 1


@given(step=steps(), data=st.data())
def test_cells_that_do_not_exist_are_refused(step: Occasion, data: st.DataObject) -> None:
    nbits = FedSel().least_bits(step)
    assume(cells(step) < 1 << nbits)
    value = data.draw(st.integers(cells(step), (1 << nbits) - 1))
    with pytest.raises(PeerProtocolError, match=f"names bin {value} of {cells(step)}"):
        decode(FedSel(), Symbol(value, nbits), NOTHING_KNOWN, step)


@pytest.mark.parametrize("nbits", [0, 1, 3])
def test_a_symbol_of_another_length_is_refused(nbits: int) -> None:
    with pytest.raises(PeerProtocolError, match="2 were expected"):
        decode(FedSel(), Symbol(0, nbits), NOTHING_KNOWN, at(0.25))


def test_it_needs_bounds_and_refuses_a_prior() -> None:
    assert FedSel().start(None, (0.0, 1.0)) == NOTHING_KNOWN
    with pytest.raises(ConfigError, match="fed-sel needs bounded rewards"):
        FedSel().start(None, None)
    with pytest.raises(ConfigError, match="fed-sel takes no prior"):
        FedSel().start(0.5, (0.0, 1.0))
