"""A challenged agent: when it looks, what it keeps, and what it refuses."""

import math
import random
from dataclasses import replace

import pytest
from core.agents import ARM, RUN, agent_in, challenge_of, request_of
from hypothesis import given
from hypothesis import strategies as st
from networks import agent_state_through_json

from bitarm.core.agent import Agent, AgentPhase, AgentState
from bitarm.core.bits import Symbol
from bitarm.core.codes import Above, Nearest
from bitarm.core.epochs import run_field
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.bets import Bets
from bitarm.core.evidence.tasks import Challenge, Edge, Pilot, Task
from bitarm.core.messages import Answer, Report, Request
from bitarm.core.question import BEATEN, Question
from bitarm.core.schedule import LooksSchedule, is_look, next_look
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

UNIT = Scale(bounded=True, low=0.0, unit=1.0)
HOPELESS = (255, 255, 255)  # no evidence is ever enough: an agent that is asked so goes on
LOST = (0, 0, 0)


def asked(
    message: int,
    until: int,
    *,
    task: Task | None = None,
    scale: Scale | None = UNIT,
    epoch: int = 1,
) -> Request:
    nearest = Nearest(centre=0.5, step=0.125, divisor=1)
    above = Above(low=0.25, step=0.125)
    code = above if isinstance(task, Challenge) else nearest
    question = Question(until=until, code=code, scale=scale, task=task)
    return Request(run=run_field(RUN, epoch), arm=ARM, message=message, question=question)


def challenge(hurdles: tuple[int, int, int] = HOPELESS, edge: float = 0.5) -> Challenge:
    return Challenge(edge=edge, first=1, hurdles=hurdles)


def rewards(count: int, seed: int = 1) -> list[float]:
    draw = random.Random(seed)
    return [draw.randrange(1025) / 1024 for _ in range(count)]


def serve(agent: Agent, tape: list[float]) -> tuple[list[Answer], list[int]]:
    """All that it answers, and the counts at which it looked."""
    answers, looks = list[Answer](), []
    while agent.wanted or agent.is_looking:
        if agent.is_looking:
            looks.append(agent.state.pulls)
            answers += agent.look()
        else:
            done = agent.state.pulls
            batch = tape[done : done + agent.wanted]
            answers += agent.observe(len(batch), math.fsum(batch), batch)
    return answers, looks


def test_looks_are_at_every_pull_and_then_every_thirtysecond_more() -> None:
    grid = LooksSchedule()
    assert [grid.pulls_at(index) for index in range(1, 67)] == [*range(1, 65), 66, 68]
    assert [is_look(pulls) for pulls in (0, 1, 64, 65, 66, 67)] == [0, 1, 1, 0, 1, 0]
    assert [next_look(pulls) for pulls in (0, 1, 63, 64, 65, 66)] == [1, 2, 64, 66, 66, 68]


@pytest.mark.parametrize("until", [1, 5, 64, 65, 131, 200])
def test_it_looks_at_those_counts_and_at_the_end(until: int) -> None:
    agent, tape = Agent(RUN, ARM), rewards(until)
    assert agent.receive(asked(1, until, task=challenge())) == ()
    answers, looks = serve(agent, tape)
    assert looks == [pulls for pulls in range(1, until + 1) if is_look(pulls) or pulls == until]
    (answer,) = answers
    assert isinstance(answer, Report)
    mean = math.fsum(tape) / until
    word = Above(low=0.25, step=0.125).write(mean)
    assert str(answer.symbol) == "1" + str(word)


def test_an_agent_that_is_beaten_says_so_at_once_and_pulls_no_more() -> None:
    agent = Agent(RUN, ARM)
    agent.receive(asked(1, 10))
    serve(agent, [0.0] * 10)
    answers = list(agent.receive(asked(2, 100, task=challenge(LOST))))
    more, looks = serve(agent, [0.0] * 100)
    (answer,) = answers + more
    assert isinstance(answer, Report)
    assert answer.symbol == BEATEN
    assert looks == list(range(10, agent.state.pulls + 1))
    assert agent.state.pulls < 30
    assert agent.state.phase is AgentPhase.IDLE
    assert agent.receive(asked(2, 100, task=challenge(LOST))) == (answer,)  # asked again


def test_it_looks_at_what_it_has_before_it_pulls_on() -> None:
    agent = Agent(RUN, ARM)
    agent.receive(asked(1, 64))
    serve(agent, rewards(64))
    assert agent.receive(asked(2, 90, task=challenge())) == ()
    assert agent.is_looking
    assert agent.wanted == 0
    with pytest.raises(LocalProtocolError, match="0 are wanted"):
        agent.observe(1, 0.5, [0.5])
    assert agent.look() == ()
    assert agent.wanted == 2  # until the next look


def test_there_is_nothing_to_look_at_otherwise() -> None:
    for phase in (AgentPhase.IDLE, AgentPhase.PULLING, AgentPhase.DISMISSED):
        agent = agent_in(phase)
        before = agent.state
        assert not agent.is_looking
        with pytest.raises(LocalProtocolError, match="nothing to look at"):
            agent.look()
        assert agent.state == before


@given(until=st.integers(1, 140), cut=st.integers(0, 400), seed=st.integers(0, 99))
def test_from_any_saved_state_it_goes_on_to_the_same_answer(
    until: int, cut: int, seed: int
) -> None:
    tape = rewards(until, seed)
    request = asked(1, until, task=challenge((8, 8, 8), edge=0.75))
    whole = Agent(RUN, ARM)
    whole.receive(request)
    states, answers = [whole.state], list[Answer]()
    while whole.wanted or whole.is_looking:
        if whole.is_looking:
            answers += whole.look()
        else:
            done = whole.state.pulls
            batch = tape[done : done + (whole.wanted + 1) // 2]  # in portions
            answers += whole.observe(len(batch), math.fsum(batch), batch)
        states.append(whole.state)
    saved = agent_state_through_json(states[cut % len(states)])
    again = Agent(RUN, ARM, saved)
    resumed, _ = serve(again, tape)
    assert resumed == (answers if saved.symbol is None else [])
    assert again.state == whole.state


def test_a_repeat_while_looking_changes_nothing() -> None:
    agent = agent_in(AgentPhase.LOOKING)
    before = agent.state
    assert agent.receive(challenge_of(3)) == ()
    assert agent.state == before
    with pytest.raises(PeerProtocolError, match="first asked"):
        agent.receive(challenge_of(3, 9))
    assert agent.state == before


def test_a_later_epoch_voids_a_look_and_keeps_the_bets() -> None:
    agent = Agent(RUN, ARM)
    agent.receive(asked(1, 20, task=challenge()))
    agent.observe(1, 0.25, [0.25])
    assert agent.is_looking
    bets = agent.state.bets
    agent.receive(asked(1, 30, epoch=2))
    assert not agent.is_looking
    assert (agent.state.bets, agent.state.scale, agent.wanted) == (bets, UNIT, 29)


@pytest.mark.parametrize("task", [None, Pilot(), Edge(first=1, spread=0), challenge()], ids=repr)
def test_bets_are_refused_after_pulls_without_them(task: Task | None) -> None:
    agent = agent_in(AgentPhase.IDLE)
    before = agent.state
    with pytest.raises(PeerProtocolError, match="bets on rewards, of which none were kept"):
        agent.receive(asked(3, 16, task=task))
    assert agent.state == before


def test_bets_on_another_scale_are_refused() -> None:
    agent = Agent(RUN, ARM)
    agent.receive(asked(1, 4))
    serve(agent, rewards(4))
    before = agent.state
    for scale in (replace(UNIT, unit=2.0), Scale(bounded=False, low=0.0, unit=1.0)):
        with pytest.raises(PeerProtocolError, match="on another scale than those that were kept"):
            agent.receive(asked(2, 8, scale=scale))
        assert agent.state == before


def test_a_question_without_a_scale_keeps_the_bets_going() -> None:
    agent = Agent(RUN, ARM)
    agent.receive(asked(1, 4))
    serve(agent, rewards(8))
    agent.receive(request_of(2, 8))
    serve(agent, rewards(8))
    assert agent.state.bets == Bets().after(rewards(8), 0)


@pytest.mark.parametrize("bad", [-0.01, 1.0000001, math.nan, 7.0])
def test_rewards_outside_the_scale_are_refused(bad: float) -> None:
    agent = Agent(RUN, ARM)
    agent.receive(asked(1, 4))
    before = agent.state
    with pytest.raises(RewardError):
        agent.observe(2, 0.5 + bad, [0.5, bad])
    assert agent.state == before


@pytest.mark.parametrize("given_", [[], [0.5], [0.5, 0.5, 0.5]])
def test_bets_need_every_reward(given_: list[float]) -> None:
    agent = Agent(RUN, ARM)
    agent.receive(asked(1, 4))
    with pytest.raises(LocalProtocolError, match=f"bets need every reward, got {len(given_)} of 2"):
        agent.observe(2, 1.0, given_)


def test_with_a_sigma_sums_are_enough() -> None:
    agent = Agent(RUN, ARM)
    agent.receive(replace(challenge_of(1), run=run_field(RUN, 1)))
    while agent.wanted or agent.is_looking:
        if agent.is_looking:
            answers = agent.look()
        else:
            answers = agent.observe(agent.wanted, 0.75 * agent.wanted)
    (answer,) = answers
    assert isinstance(answer, Report)
    assert answer.symbol == Symbol(0b11111111, 8)  # six steps of 1/8 above 0
    assert agent.state.bets is None


def test_a_fresh_agent_has_nothing() -> None:
    assert (AgentState().scale, AgentState().bets) == (None, None)
