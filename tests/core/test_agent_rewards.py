"""An agent's rewards: what it takes, what it answers of them, and when it is ahead."""

import math
from dataclasses import replace
from itertools import product

import pytest
from core.agents import ARM, CODE, NARROW, RUN, agent_in, position_of, report_of, request_of
from networks import agent_state_through_json
from problems import BOUNDED, UNBOUNDED
from tapes import make_spec

from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.bits import Symbol
from bitarm.core.codes import Code, Nearest, Raw
from bitarm.core.quantizers import Quantizer
from bitarm.core.running_sum import add
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

# -- rewards --------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [AgentPhase.IDLE, AgentPhase.DISMISSED])
def test_rewards_out_of_turn_are_refused(phase: AgentPhase) -> None:
    agent = agent_in(phase)
    before = agent.state
    with pytest.raises(LocalProtocolError, match=r"1 rewards offered, 0 are wanted"):
        agent.observe(1, 0.5)
    assert agent.state == before


@pytest.mark.parametrize("count", [-1, 0, 4, 100])
def test_more_rewards_than_wanted_or_none_are_refused(count: int) -> None:
    agent = agent_in(AgentPhase.PULLING)
    before = agent.state
    assert agent.wanted == 3
    with pytest.raises(LocalProtocolError, match=f"arm 1: {count} rewards offered, 3 are wanted"):
        agent.observe(count, 0.5)
    assert agent.state == before


@pytest.mark.parametrize("total", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("count", [1, 3])
def test_sums_that_are_no_numbers_are_refused(count: int, total: float) -> None:
    agent = agent_in(AgentPhase.PULLING)
    before = agent.state
    with pytest.raises(RewardError, match="arm 1: the rewards add up to"):
        agent.observe(count, total)
    assert agent.state == before


def test_a_running_sum_that_overflows_is_refused() -> None:
    agent = agent_in(AgentPhase.PULLING)
    agent.observe(1, 1.7e308)
    before = agent.state
    with pytest.raises(RewardError, match="add up to inf"):
        agent.observe(1, 1.7e308)
    assert agent.state == before


@pytest.mark.parametrize("code", NARROW, ids=lambda code: str(code.name))
def test_a_mean_that_the_code_does_not_reach_is_refused_and_changes_nothing(
    code: Code,
) -> None:
    agent = agent_in(AgentPhase.PULLING)
    agent.receive(request_of(4, 6, code=code))
    before = agent.state
    with pytest.raises(RewardError, match="too far from 0"):
        agent.observe(1, 1e9)
    assert agent.state == before
    agent.receive(request_of(5, 6))  # another question can be answered
    assert agent.observe(1, 1e9) == (report_of(5, Symbol(7, 3)),)
    before = agent.state
    with pytest.raises(RewardError, match="too far from 0"):  # at once, and in a later epoch
        agent.receive(request_of(1, 6, code=code, epoch=2))
    assert agent.state == before


@pytest.mark.parametrize("total", [1.7e308, -1.7e308])
@pytest.mark.parametrize(
    ("quantizer", "bounds"),
    [*product(BOUNDED, [(0.0, 1.0)]), *product(UNBOUNDED, [None])],
    ids=str,
)
def test_a_huge_but_finite_mean_is_answered_or_refused_as_a_reward(
    quantizer: Quantizer, bounds: tuple[float, float] | None, total: float
) -> None:
    spec = make_spec(quantizer=quantizer, bounds=bounds, sigma=0.01)
    agent = Agent(RUN, ARM)
    question = quantizer.question(spec.start(0), spec.occasion(1, 2), 0.5)
    agent.receive(replace(request_of(1), question=question))
    agent.observe(1, 0.5)
    before = agent.state
    try:
        answers = agent.observe(1, total)
    except RewardError:
        assert agent.state == before
    else:
        assert len(answers) == 1


def test_a_batch_in_parts_answers_once_and_only_when_whole() -> None:
    agent = agent_in(AgentPhase.PULLING)  # one of four rewards is in
    for left in (2, 1):
        assert agent.observe(1, 0.5) == ()
        assert agent.wanted == left
    assert agent.observe(1, 0.5) == (report_of(3, CODE.write(0.625)),)
    assert agent.state.phase is AgentPhase.IDLE
    assert (agent.state.pulls, agent.state.total) == (8, 0.75 * 4 + 0.5 * 4)


@pytest.mark.parametrize("count", [1, 3])  # amid a batch, and at its end
def test_a_total_that_is_a_whole_number_gives_a_state_that_can_be_read_back(count: int) -> None:
    agent = agent_in(AgentPhase.PULLING)
    agent.observe(count, 2)
    assert type(agent.state.total) is float
    assert agent_state_through_json(agent.state) == agent.state


def test_the_running_sum_adds_batch_totals_in_order() -> None:
    totals = [0.1, 0.2, 0.3, 1e16, -1e16]  # not associative: order and grouping show
    agent = Agent(RUN, ARM)
    running = rest = 0.0
    for number, total in enumerate(totals, start=1):
        agent.receive(request_of(number, number, code=Raw()))
        (answer,) = agent.observe(1, total)
        running, rest = add(running, rest, total)
        assert (agent.state.total, agent.state.rest) == (running, rest)
        assert answer == report_of(number, Raw().write((running + rest) / number))


@pytest.mark.parametrize("code", [CODE, Raw(), Nearest(centre=0.5, step=0.125, divisor=2)])
def test_the_mean_is_over_all_pulls_and_the_symbol_is_the_questions(
    code: Code,
) -> None:
    agent = agent_in(AgentPhase.IDLE)
    request = request_of(3, code=code)
    agent.receive(request)
    (answer,) = agent.observe(4, 2.5)
    assert answer == report_of(3, request.question.answer((0.75 * 4 + 2.5) / 8))
    assert agent.receive(request) == (answer,)


# -- positions ------------------------------------------------------------------------------------


def test_pulls_that_are_made_already_are_answered_at_once() -> None:
    agent = agent_in(AgentPhase.IDLE)
    assert agent.receive(request_of(3, 4, code=Raw())) == (report_of(3, Raw().write(0.75)),)
    assert agent.state.phase is AgentPhase.IDLE
    assert agent.state.pulls == 4


@pytest.mark.parametrize("until", [1, 3])
def test_an_agent_that_is_ahead_tells_its_position(until: int) -> None:
    agent = agent_in(AgentPhase.IDLE)
    request, before = request_of(3, until), agent.state
    assert agent.receive(request) == (position_of(3, 4),)
    assert (agent.state.pulls, agent.state.total) == (before.pulls, before.total)
    assert (agent.state.ahead, agent.state.symbol) == (4, None)
    assert agent_state_through_json(agent.state) == agent.state
    assert agent.receive(request) == (position_of(3, 4),)  # asked again
    with pytest.raises(PeerProtocolError, match="first asked"):
        agent.receive(request_of(3, 4))
    assert agent.receive(request_of(4, 4)) == (report_of(4, Symbol(6, 3)),)
    assert agent.state.ahead is None


def test_a_position_amid_a_batch_counts_what_was_pulled_of_it() -> None:
    agent = agent_in(AgentPhase.PULLING)
    assert agent.receive(request_of(1, 4, epoch=2)) == (position_of(1, 5, epoch=2),)
    assert agent.wanted == 0
