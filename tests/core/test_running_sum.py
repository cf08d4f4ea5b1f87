"""Sums of rewards do not drift, however they are cut into batches."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.agent import Agent
from bitarm.core.codes import Raw
from bitarm.core.messages import Report, Request
from bitarm.core.question import Question
from bitarm.core.running_sum import add

_REWARDS = st.lists(
    st.floats(min_value=-1e6, max_value=1e6, allow_subnormal=False), min_size=1, max_size=200
)


def _sum(rewards: list[float]) -> float:
    total = rest = 0.0
    for reward in rewards:
        total, rest = add(total, rest, reward)
    return total + rest


@given(rewards=_REWARDS)
def test_both_parts_together_are_the_sum_but_for_one_rounding(rewards: list[float]) -> None:
    exact = sum(map(Fraction, rewards), Fraction(0))
    size = sum((abs(Fraction(reward)) for reward in rewards), Fraction(0))
    second_order = Fraction(len(rewards) ** 2, 2**104) * size
    assert abs(Fraction(_sum(rewards)) - exact) <= abs(exact) / 2**53 + second_order


@given(total=st.floats(-1e300, 1e300), more=st.floats(-1e300, 1e300))
def test_what_one_addition_rounds_away_is_kept_exactly(total: float, more: float) -> None:
    new, rest = add(total, 0.0, more)
    assert new == total + more
    if max(abs(total), abs(more)) > 1e-280:  # else what is left may be below the smallest float
        assert Fraction(new) + Fraction(rest) == Fraction(total) + Fraction(more)


def test_five_million_rewards_one_by_one_leave_the_mean_where_it_is_claimed() -> None:
    """As a live source hands them over; the steps are the finest that the code lets through.

    A step of 2^34 to the mean is the limit of `Nearest`, and D-ICQ claims half a step and 2^-15.
    """
    count = 5_000_000
    rewards = np.random.Generator(np.random.SFC64(4)).normal(1.0, 1e-3, count).tolist()
    step = 2.0**-34 * 1.01
    batches = (Fraction(math.fsum(rewards[i : i + 5000])) for i in range(0, count, 5000))
    mean = sum(batches, Fraction(0)) / count

    total = rest = drifting = 0.0
    for reward in rewards:
        total, rest = add(total, rest, reward)
        drifting += reward
    assert abs(Fraction((total + rest) / count) - mean) < Fraction(step) / 2**15
    assert abs(Fraction(drifting / count) - mean) > Fraction(step) / 2**15  # control: without rest


@pytest.mark.parametrize("sizes", [[1] * 3000, [2999, 1], [7] * 428 + [4]])
def test_an_agent_tells_the_mean_whatever_its_batches(sizes: list[int]) -> None:
    """Rewards of 1e8 and noise: each batch is rounded on its own, the mean is off by 2 ulps."""
    rewards = (1e8 + np.random.Generator(np.random.SFC64(5)).normal(0, 1, 3000)).tolist()
    agent = Agent(1, 0)
    question = Question(until=3000, code=Raw())
    agent.receive(Request(run=257, arm=0, message=1, question=question))
    done = 0
    for size in sizes:
        answers = agent.observe(size, math.fsum(rewards[done : done + size]))
        done += size
    (answer,) = answers
    assert isinstance(answer, Report)
    told = question.read(answer.symbol)
    assert told is not None
    exact = sum(map(Fraction, rewards), Fraction(0)) / 3000
    assert abs(Fraction(told.mean) - exact) <= 2 * Fraction(math.ulp(1e8))


def test_an_epoch_keeps_both_parts_of_the_sum() -> None:
    agent = Agent(1, 0)
    agent.receive(Request(run=257, arm=0, message=1, question=Question(until=9, code=Raw())))
    for reward in (2.0**53, 1.0, 1.0):
        agent.observe(1, reward)
    assert (agent.state.total, agent.state.rest) == (2.0**53, 2.0)
    assert agent.enter(2)
    assert (agent.state.total, agent.state.rest) == (2.0**53, 2.0)
    assert agent.state.mean == (2**53 + 2) / 3
