"""The nearest step: how far from the centre, near ones in short words."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.codes import Nearest
from bitarm.core.codes.nearest import MOST_STEPS
from bitarm.core.codes.prefix import ESCAPE, LIMIT, write_gamma
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

HALVES = Nearest(centre=2.0, step=0.5, divisor=1)


def word(bits: str) -> Symbol:
    return Symbol(int(bits or "0", 2), len(bits))


@pytest.mark.parametrize(
    ("mean", "bits", "told"),
    [
        (2.0, "0", 2.0),
        (2.2, "0", 2.0),
        (2.25, "10", 2.5),  # half a step is rounded up
        (1.75, "0", 2.0),
        (2.5, "10", 2.5),
        (1.5, "110", 1.5),
        (3.0, "1110", 3.0),
        (1.0, "11110", 1.0),
    ],
)
def test_words_by_hand(mean: float, bits: str, told: float) -> None:
    assert HALVES.write(mean) == word(bits)
    assert HALVES.read(word(bits)) == told


def test_beyond_the_escape_a_universal_code_follows() -> None:
    short = Nearest(centre=0.0, step=1.0, divisor=1, escape=3)
    assert str(short.write(-1.0)) == "110"
    assert str(short.write(2.0)) == "111" + str(write_gamma(0))
    assert str(short.write(-50.0)) == "111" + str(write_gamma(97))
    assert HALVES.write(2.0 + 0.5 * 8).nbits == 16  # unary up to the escape
    assert HALVES.write(2.0 + 0.5 * 1000).nbits == ESCAPE + write_gamma(1999 - ESCAPE).nbits


codes = st.builds(
    Nearest,
    centre=st.floats(-1e6, 1e6),
    step=st.floats(1e-3, 1e3),
    divisor=st.integers(1, 40),
    escape=st.integers(1, 64),
)
away = st.floats(-30, 30) | st.floats(-1e6, 1e6)


@given(code=codes, steps=away)
def test_any_mean_is_told_to_half_a_step(code: Nearest, steps: float) -> None:
    mean = code.centre + steps * code.step
    symbol = code.write(mean)
    told = code.read(symbol)
    assert abs(told - mean) <= code.step / 2 + 2.0**-48 * max(abs(code.centre), abs(mean))
    assert code.write(told) == symbol


@given(code=codes, one=away, other=away)
def test_no_word_begins_another(code: Nearest, one: float, other: float) -> None:
    first, second = (str(code.write(code.centre + steps * code.step)) for steps in (one, other))
    assert first == second or not second.startswith(first)


@given(code=codes, bits=st.text("01", max_size=50))
def test_any_bits_are_refused_or_are_what_some_mean_is_written_as(code: Nearest, bits: str) -> None:
    try:
        told = code.read(word(bits))
    except PeerProtocolError:
        return
    assert str(code.write(told)) == bits


@pytest.mark.parametrize(
    ("bits", "why"),
    [
        ("", "ends early"),
        ("1", "ends early"),
        ("00", "too long"),
        ("100", "too long"),
        ("1" * ESCAPE + "0" * 60, "no encoder can reach"),
    ],
)
def test_what_nobody_writes_is_the_peers_fault(bits: str, why: str) -> None:
    with pytest.raises(PeerProtocolError, match=why):
        HALVES.read(word(bits))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_mean_beyond_what_a_float_resolves_is_refused_at_both_ends(sign: int) -> None:
    edge = sign * MOST_STEPS * 0.5
    far = Nearest(centre=math.nextafter(edge, 0.0), step=0.5, divisor=1)
    assert far.read(far.write(math.nextafter(edge, 0.0))) == pytest.approx(edge)
    for mean in (edge, 2 * edge, sign * 1e300):
        with pytest.raises(RewardError, match="too far from 0"):
            far.write(mean)
    eight_steps_outwards = Nearest(centre=0.0, step=0.5, divisor=1).write(sign * 4.0)
    with pytest.raises(PeerProtocolError, match="no encoder can reach"):
        far.read(eight_steps_outwards)


def _nearest(**words: float) -> Callable[[], Nearest]:
    return lambda: Nearest(**{"centre": 0.0, "step": 1.0, "divisor": 1, **words})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (_nearest(centre=math.nan), "centre must be a finite number"),
        (_nearest(centre=math.inf), "centre must be a finite number"),
        (_nearest(centre=MOST_STEPS), "within 2.34 steps of 0"),
        (_nearest(centre=-1.0, step=2.0**-34), "within 2.34 steps of 0"),
        (_nearest(divisor=0), "divisor must lie in"),
        (_nearest(divisor=LIMIT + 1), "divisor must lie in"),
        (_nearest(escape=0), "escape must lie in"),
        (_nearest(escape=65), "escape must lie in"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(make: Callable[[], Nearest], why: str) -> None:
    with pytest.raises(LocalProtocolError, match=why):
        make()
