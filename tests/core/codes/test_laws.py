"""What holds for every code: the laws that stand at the head of `bitarm.core.codes`."""

import math
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.codes import CODES, Above, Bins, Code, Levels, Nearest, Raw
from bitarm.errors import LocalProtocolError, PeerProtocolError

_STEPS = st.floats(1e-3, 1e3)
_DITHERS = st.floats(0, 1, exclude_max=True)
_ALL: dict[str, st.SearchStrategy[Code]] = {
    "bins": st.builds(Bins, low=st.floats(-1e4, 1e4), step=_STEPS, bins=st.integers(1, 2**40)),
    "nearest": st.builds(
        Nearest,
        centre=st.floats(-1e4, 1e4),
        step=_STEPS,
        divisor=st.integers(1, 30),
        escape=st.integers(1, 30),
    ),
    "levels": st.builds(Levels, step=_STEPS, centre=st.integers(-(10**6), 10**6), dither=_DITHERS),
    "raw": st.just(Raw()),
    "above": st.builds(Above, low=st.floats(-1e4, 1e4), step=_STEPS),
}
_MEANS = st.floats(-1e5, 1e5)

every_code = pytest.mark.parametrize("name", _ALL)


def test_the_suite_covers_every_code() -> None:
    assert set(_ALL) == set(CODES)
    assert {code.name for code in get_args(Code)} == set(CODES)


def _error(code: Code, mean: float) -> float:
    """How far the told mean may be off, roundings aside; infinite beyond the cells."""
    match code:
        case Bins():
            inside = code.low <= mean <= code.low + code.bins * code.step
            return code.step / 2 if inside else math.inf
        case Nearest():
            return code.step / 2
        case Levels():
            return code.step
        case Raw():
            return 0.0
        case Above():
            return code.step / 2 if mean >= code.low else math.inf


@every_code
@given(data=st.data(), mean=_MEANS)
def test_a_word_tells_the_mean_to_the_codes_error(
    name: str, data: st.DataObject, mean: float
) -> None:
    code = data.draw(_ALL[name])
    told = code.read(code.write(mean))
    size = max([abs(mean), *(abs(getattr(code, field.name)) for field in fields(code))])
    assert abs(told - mean) <= _error(code, mean) + 2.0**-44 * size * (name != "raw")


@every_code
@given(data=st.data(), one=_MEANS, other=_MEANS)
def test_words_are_prefix_free(name: str, data: st.DataObject, one: float, other: float) -> None:
    code = data.draw(_ALL[name])
    first, second = str(code.write(one)), str(code.write(other))
    assert first == second or not second.startswith(first)


@every_code
@given(data=st.data(), mean=_MEANS, bit=st.integers(0, 1))
def test_a_word_that_is_cut_or_grown_is_the_peers_fault(
    name: str, data: st.DataObject, mean: float, bit: int
) -> None:
    code = data.draw(_ALL[name])
    symbol = code.write(mean)
    with pytest.raises(PeerProtocolError):
        code.read(Symbol(symbol.value << 1 | bit, symbol.nbits + 1))
    assume(symbol.nbits)
    with pytest.raises(PeerProtocolError):
        code.read(Symbol(symbol.value >> 1, symbol.nbits - 1))


@pytest.mark.parametrize("step", [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "code",
    [
        Bins(low=0.0, step=1.0, bins=2),
        Nearest(centre=0.0, step=1.0, divisor=1),
        Levels(step=1.0, centre=0, dither=0.0),
        Above(low=0.0, step=1.0),
    ],
    ids=lambda code: str(code.name),
)
def test_a_step_that_divides_nothing_is_refused(code: Any, step: float) -> None:
    with pytest.raises(LocalProtocolError, match="step must be a finite number above 0"):
        replace(code, step=step)


@every_code
@given(data=st.data())
def test_a_code_is_a_value(name: str, data: st.DataObject) -> None:
    code = data.draw(_ALL[name])
    assert replace(code) == code
    assert hash(replace(code)) == hash(code)
    for field in fields(code):
        with pytest.raises(FrozenInstanceError):
            setattr(code, field.name, 1)
