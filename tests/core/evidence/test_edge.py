"""Edges: what a leader certifies is never too much."""

import math
import random

import pytest
from core.evidence.accounts import GRID, accounts, kept
from hypothesis import given, settings
from hypothesis import strategies as st

from bitarm.core.bits import BitReader, concat
from bitarm.core.codes import Nearest
from bitarm.core.codes.prefix import write_golomb
from bitarm.core.evidence.account import Account, cost
from bitarm.core.evidence.edge import read_edge, write_edge
from bitarm.core.evidence.tasks import BAND, Edge
from bitarm.errors import PeerProtocolError, RewardError


def is_certified(account: Account, first: int, edge: float, middle: float, spread: int) -> bool:
    """Whether the told lines are below the arm's evidence, for every m: they are parallel."""
    scale = account.scale
    for rung in range(first, first + BAND):
        step, n = scale.rates[rung], account.pulls
        told = n * (
            step * scale.inward(edge)
            - cost(scale.bounded, step, scale.inward(middle), 2.0**spread, n, 1.0)
        )
        for m in GRID:
            if told - step * n * m > account.above(rung) - step * n * m + 1e-12 * n:
                return False
    return True


codes = st.builds(
    Nearest,
    centre=st.integers(-16, 48).map(lambda n: n / 32),
    step=st.sampled_from([1 / 4, 5 / 64, 7 / 128, 1 / 256, 3 / 1024]),
    divisor=st.integers(1, 4),
)
edges = st.builds(Edge, first=st.integers(0, 12), spread=st.integers(-12, 2))


@settings(max_examples=300)
@given(account=accounts(), task=edges, code=codes)
def test_an_edge_is_certified_at_all_three_rungs(
    account: Account, task: Edge, code: Nearest
) -> None:
    reader = BitReader(write_edge(task, code, account))
    middle, spread = read_edge(task, code, reader)
    reader.finish()
    assert is_certified(account, task.first, middle - code.step / 2, middle, spread)
    # it is at or below the mean's own cell, and the highest that is
    assert middle - code.step / 2 <= account.mean + 1e-9


def test_an_edge_one_step_higher_is_caught() -> None:
    chance, caught = random.Random(5), 0
    code = Nearest(centre=0.5, step=3 / 1024, divisor=1)
    for _ in range(40):
        account = kept([float(chance.random() < 0.7) for _ in range(200)])
        task = Edge(first=2, spread=0)
        middle, spread = read_edge(task, code, BitReader(write_edge(task, code, account)))
        above = middle + code.step
        caught += not is_certified(account, 2, above - code.step / 2, above, spread)
    assert caught >= 30  # in the others, strides or the mean's own cell left a step


@given(account=accounts(least=20), code=codes, spread=st.integers(-40, 2))
def test_a_spread_grows_until_the_model_costs_half_of_what_was_lost(
    account: Account, code: Nearest, spread: int
) -> None:
    task, step = Edge(first=2, spread=spread), account.scale.rates[3]
    mean, n = account.scale.inward(account.mean), account.pulls
    _, told = read_edge(task, code, BitReader(write_edge(task, code, account)))
    lost = step * mean - account.above(3) / n - 2**-30 * step

    def enough(exponent: int) -> bool:
        return 2 * cost(True, step, mean, 2.0**exponent, n, 1.0) >= lost

    assert told >= spread
    assert enough(told) or told == 2
    assert told == spread or not enough(told - 1)


def test_a_spread_out_of_range_is_refused() -> None:
    task, code = Edge(first=0, spread=0), Nearest(centre=0.0, step=1.0, divisor=1)
    written = concat(write_golomb(3, 1), code.write_steps(0))
    with pytest.raises(PeerProtocolError, match="which no agent tells"):
        read_edge(task, code, BitReader(written))


def test_constant_rewards_end_the_search_for_an_edge() -> None:
    for reward in (0.0, 0.5, 1.0):
        for spread in (-40, 0, 2):
            account = kept([reward] * 50)
            task = Edge(first=0, spread=spread)
            code = Nearest(centre=0.5, step=2.0**-30, divisor=1)
            middle, told = read_edge(task, code, BitReader(write_edge(task, code, account)))
            assert is_certified(account, 0, middle - code.step / 2, middle, told)


@pytest.mark.parametrize("exponent", [-100, -1000, -1070])
def test_an_edge_that_no_word_reaches_is_refused(exponent: int) -> None:
    """Steps that suit no rewards: without a bound the search left the floats."""
    code = Nearest(centre=0.0, step=math.ldexp(1.0, exponent), divisor=1)
    with pytest.raises(RewardError, match="too far from 0"):
        write_edge(Edge(first=0, spread=0), code, kept([0.0] * 50))
