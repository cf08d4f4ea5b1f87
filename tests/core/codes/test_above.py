"""Above a floor: unary near it, a universal code far from it, and one cell for all below."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bits import Symbol
from bitarm.core.codes import Above
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

CODE = Above(low=0.5, step=0.125)


@pytest.mark.parametrize(
    ("mean", "word", "told"),
    [
        (-7.0, "0", 0.5625),
        (0.49, "0", 0.5625),
        (0.5, "0", 0.5625),
        (0.62, "0", 0.5625),
        (0.625, "10", 0.6875),
        (0.76, "110", 0.8125),
        (1.2, "111110", 1.1875),
        (1.25, "1111111", 1.3125),
        (1.375, "111111010", 1.4375),
    ],
)
def test_words(mean: float, word: str, told: float) -> None:
    assert str(CODE.write(mean)) == word
    assert CODE.read(CODE.write(mean)) == told
    assert CODE.is_lowest(told) is (word == "0")


@given(mean=st.floats(-1e6, 1e6), low=st.integers(-99, 99), eighths=st.integers(1, 99))
def test_only_the_lowest_cell_is_open_below(mean: float, low: int, eighths: int) -> None:
    code = Above(low=low / 4, step=eighths / 8)
    told = code.read(code.write(mean))
    assert mean <= told + code.step / 2
    assert code.is_lowest(told) or told - code.step / 2 <= mean + 1e-12
    if abs(mean - (code.low + code.step)) > 1e-9:
        assert code.is_lowest(told) is (mean < code.low + code.step)


@pytest.mark.parametrize("bits", ["", "1", "00", "111111", "1111110", "11111110"])
def test_what_nobody_answers_is_the_peers_fault(bits: str) -> None:
    with pytest.raises(PeerProtocolError):
        CODE.read(Symbol(int(bits or "0", 2), len(bits)))


def test_a_floor_out_of_reach_is_refused() -> None:
    with pytest.raises(LocalProtocolError, match=r"within 2\^34 steps"):
        Above(low=2.0**34, step=1.0)
    with pytest.raises(LocalProtocolError, match="low must be a finite number"):
        Above(low=math.nan, step=1.0)


@pytest.mark.parametrize("mean", [2.0**34, -(2.0**34), 1e300])
def test_a_mean_out_of_reach_is_a_reward_error(mean: float) -> None:
    with pytest.raises(RewardError, match="too far from 0"):
        Above(low=0.0, step=1.0).write(mean)
