"""Tasks: what may be asked, and hurdles as bytes."""

import math
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bitarm.core.evidence.tasks import NO_HURDLE, Challenge, Edge, hurdle, hurdle_byte
from bitarm.errors import LocalProtocolError


def test_hurdles_rise_strictly_and_each_byte_is_its_own() -> None:
    nats = [hurdle(byte) for byte in range(256)]
    assert all(one < other for one, other in pairwise(nats))
    assert [hurdle_byte(each) for each in nats[:-1]] == list(range(NO_HURDLE))
    assert nats[-1] == math.inf
    assert hurdle_byte(math.inf) == NO_HURDLE


@given(nats=st.floats(-10, 400) | st.floats(0, 20))
@example(nats=-3.0)
@example(nats=15.9)
@example(nats=49.0)
@example(nats=310.0)
def test_a_hurdle_is_rounded_up_and_by_no_more_than_it_must(nats: float) -> None:
    byte = hurdle_byte(nats)
    assert hurdle(byte) >= nats
    assert byte == 0 or hurdle(byte - 1) < nats


@pytest.mark.parametrize("hurdles", [(256, 0, 0), (0, -1, 0)])
def test_a_hurdle_is_a_byte(hurdles: tuple[int, int, int]) -> None:
    with pytest.raises(LocalProtocolError, match="hurdle must lie in"):
        Challenge(edge=0.0, first=0, hurdles=hurdles)


@pytest.mark.parametrize("edge", [math.nan, math.inf])
def test_an_edge_is_a_number(edge: float) -> None:
    with pytest.raises(LocalProtocolError, match="edge must be a finite number"):
        Challenge(edge=edge, first=0, hurdles=(0, 0, 0))


@pytest.mark.parametrize(
    ("first", "spread"), [(-1, 0), (62, 0), (0, 3), (0, -41)], ids=["low", "high", "wide", "narrow"]
)
def test_an_edge_out_of_range_is_refused(first: int, spread: int) -> None:
    with pytest.raises(LocalProtocolError, match="must lie in"):
        Edge(first=first, spread=spread)
