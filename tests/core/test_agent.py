"""The agent: what becomes of a message, what is refused, what a saved state keeps."""

import math
from dataclasses import replace
from itertools import product

import pytest
from core.agents import (
    ANSWERED,
    ARM,
    CODE,
    NARROW,
    RUN,
    agent_in,
    challenge_of,
    dismissal_of,
    report_of,
    request_of,
)
from drives import drive_problem, observed
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import agent_state_through_json
from problems import problems
from tapes import Problem

from bitarm.core.agent import Agent, AgentPhase, AgentState
from bitarm.core.bits import Symbol
from bitarm.core.codes import Code, Raw
from bitarm.core.epochs import run_field
from bitarm.core.events import RoundOpened
from bitarm.core.messages import Answer, Cause, Dismiss, Fit, Position, Request, fit
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

# -- the table ------------------------------------------------------------------------------------

_TABLE = {
    (AgentPhase.IDLE, Fit.LATE): "nothing",
    (AgentPhase.IDLE, Fit.REPEAT): "the answer again",
    (AgentPhase.IDLE, Fit.NEXT): "pulling",
    (AgentPhase.IDLE, Fit.SKIPS): "pulling",
    (AgentPhase.PULLING, Fit.LATE): "nothing",
    (AgentPhase.PULLING, Fit.REPEAT): "nothing",
    (AgentPhase.PULLING, Fit.NEXT): "pulling",
    (AgentPhase.PULLING, Fit.SKIPS): "pulling",
    (AgentPhase.LOOKING, Fit.LATE): "nothing",
    (AgentPhase.LOOKING, Fit.REPEAT): "nothing",
    (AgentPhase.LOOKING, Fit.NEXT): "pulling",
    (AgentPhase.LOOKING, Fit.SKIPS): "pulling",
    (AgentPhase.DISMISSED, Fit.LATE): "nothing",
    (AgentPhase.DISMISSED, Fit.REPEAT): "nothing",
    (AgentPhase.DISMISSED, Fit.NEXT): "nothing",
    (AgentPhase.DISMISSED, Fit.SKIPS): "nothing",
}
_DISTANCE = {Fit.LATE: -1, Fit.REPEAT: 0, Fit.NEXT: 1, Fit.SKIPS: 2}


def test_the_table_has_every_phase_and_fit() -> None:
    assert set(_TABLE) == set(product(AgentPhase, Fit))
    assert {how: fit(2 + distance, 2) for how, distance in _DISTANCE.items()} == {
        how: how for how in Fit
    }


@pytest.mark.parametrize(
    ("phase", "how", "expected"), [(*entry, expected) for entry, expected in _TABLE.items()]
)
def test_what_becomes_of_a_request(phase: AgentPhase, how: Fit, expected: str) -> None:
    agent = agent_in(phase)
    before = agent.state
    request = request_of(before.message + _DISTANCE[how])
    if phase is AgentPhase.LOOKING and how is Fit.REPEAT:
        request = challenge_of(before.message)
    answers = agent.receive(request)
    if expected == "pulling":
        assert answers == ()
        assert agent.state == replace(
            before,
            phase=AgentPhase.PULLING,
            message=request.message,
            question=request.question,
            symbol=None,
        )
        assert agent.wanted == request.question.until - before.pulls > 0
        return
    assert agent.state == before
    assert answers == ((ANSWERED,) if expected == "the answer again" else ())


def test_a_number_far_ahead_is_taken_and_the_numbers_between_are_then_late() -> None:
    agent = agent_in(AgentPhase.IDLE)
    agent.receive(request_of(900, 8))
    (answer,) = agent.observe(4, 1.0)
    assert answer == report_of(900, Symbol(4, 3))
    before = agent.state
    for message in (3, 899):
        assert agent.receive(request_of(message, 16)) == ()
    assert agent.state == before


def test_a_new_question_takes_the_place_of_the_one_in_service_and_rewards_are_kept() -> None:
    agent = agent_in(AgentPhase.PULLING)  # five pulls of eight
    assert agent.receive(request_of(4, 7)) == ()
    assert agent.wanted == 2
    (answer,) = agent.observe(2, 1.0)
    assert answer == report_of(4, CODE.write((3.0 + 0.5 + 1.0) / 7))


# -- refusals -------------------------------------------------------------------------------------

_OTHER_RUN = run_field(0x123456, 1)
_REFUSED = {
    "the repeat asks for more": (AgentPhase.IDLE, request_of(2, 5), "message 2: first asked"),
    "the repeat asks for less": (AgentPhase.IDLE, request_of(2, 3), "message 2: first asked"),
    "the repeat has another code": (AgentPhase.IDLE, request_of(2, code=Raw()), "first asked"),
    "the question in service changes": (
        AgentPhase.PULLING,
        request_of(3, 9),
        r"message 3: first asked Question\(until=8.*now Question\(until=9",
    ),
    "another run": (AgentPhase.IDLE, replace(request_of(3), run=_OTHER_RUN), "for run 123456"),
    "another run's dismissal": (
        AgentPhase.IDLE,
        replace(dismissal_of(Cause.ENDED), run=_OTHER_RUN),
        "for run 123456, this agent serves abcdef",
    ),
    "another run, dismissed": (
        AgentPhase.DISMISSED,
        replace(request_of(3), run=_OTHER_RUN),
        "for run 123456",
    ),
    "another run, a later epoch": (
        AgentPhase.IDLE,
        replace(request_of(3), run=run_field(0x123456, 9)),
        "for run 123456",
    ),
    "another arm": (AgentPhase.IDLE, replace(request_of(3), arm=0), "message is for arm 0"),
    "another arm's dismissal": (
        AgentPhase.PULLING,
        replace(dismissal_of(Cause.DROPPED), arm=2),
        "message is for arm 2",
    ),
    "too many pulls": (AgentPhase.IDLE, request_of(3, 105), "asks for 101 pulls, .* at most 100"),
    "too many pulls, in service": (AgentPhase.PULLING, request_of(4, 106), "asks for 101 pulls"),
    "too many pulls, a later epoch": (
        AgentPhase.DISMISSED,
        request_of(1, 105, epoch=2),
        "message 1: asks for 101 pulls",
    ),
}


@pytest.mark.parametrize(("phase", "message", "why"), _REFUSED.values(), ids=_REFUSED)
def test_a_message_that_does_not_fit_is_refused_and_changes_nothing(
    phase: AgentPhase, message: Request | Dismiss, why: str
) -> None:
    agent = agent_in(phase, most_pulls=100)
    before = agent.state
    with pytest.raises(PeerProtocolError, match=why) as refusal:
        agent.receive(message)
    assert str(refusal.value).startswith(f"arm {ARM}")
    assert agent.state == before


def test_messages_are_numbered_from_1() -> None:
    agent = Agent(RUN, ARM)
    with pytest.raises(PeerProtocolError, match="message 0"):
        agent.receive(request_of(0, 2))
    assert agent.state == AgentState()


def test_the_most_pulls_are_those_of_one_question() -> None:
    agent = agent_in(AgentPhase.IDLE, most_pulls=4)
    for message, until in ((3, 8), (4, 12), (5, 14)):
        agent.receive(request_of(message, until))
        agent.observe(agent.wanted, 1.0)
    assert agent.state.pulls == 14
    with pytest.raises(PeerProtocolError, match="asks for 5 pulls, this agent makes at most 4"):
        agent.receive(request_of(6, 19))
    assert agent.receive(request_of(6, 18)) == ()


# -- dismissal ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("phase", [AgentPhase.IDLE, AgentPhase.PULLING])
def test_a_dismissed_agent_wants_nothing_more(phase: AgentPhase, cause: Cause) -> None:
    agent = agent_in(phase)
    before = agent.state
    assert agent.receive(dismissal_of(cause)) == ()
    assert agent.wanted == 0
    assert agent.state == replace(before, phase=AgentPhase.DISMISSED, cause=cause)


_DISMISSALS = {
    "told twice": ([Cause.DROPPED, Cause.DROPPED], Cause.DROPPED),
    "ended twice": ([Cause.ENDED, Cause.ENDED], Cause.ENDED),
    "dropped, then ended": ([Cause.DROPPED, Cause.ENDED], Cause.ENDED),
    "ended overtakes dropped": ([Cause.ENDED, Cause.DROPPED], Cause.ENDED),
    "again and again": ([Cause.DROPPED, Cause.ENDED, Cause.DROPPED, Cause.ENDED], Cause.ENDED),
}


@pytest.mark.parametrize(("causes", "final"), _DISMISSALS.values(), ids=_DISMISSALS)
def test_a_dismissal_repeated_or_reordered_leaves_the_same(
    causes: list[Cause], final: Cause
) -> None:
    agent = agent_in(AgentPhase.PULLING)
    assert [agent.receive(dismissal_of(cause)) for cause in causes] == [()] * len(causes)
    assert (agent.state.phase, agent.state.cause) == (AgentPhase.DISMISSED, final)
    assert agent.receive(request_of(3)) == ()
    assert agent.wanted == 0


# -- saved states ---------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [CODE, *NARROW, Raw()], ids=lambda code: str(code.name))
@pytest.mark.parametrize("phase", list(AgentPhase))
def test_a_state_survives_json(phase: AgentPhase, code: Code) -> None:
    assert agent_state_through_json(AgentState()) == AgentState()
    agent = agent_in(phase)
    assert agent_state_through_json(agent.state) == agent.state
    if phase is not AgentPhase.DISMISSED:
        agent.receive(request_of(5, code=code))
        assert agent_state_through_json(agent.state) == agent.state


@settings(deadline=None, max_examples=60)
@given(problem=problems(), arm=st.integers(0, 4), step=st.integers(0, 2**16))
def test_an_agent_goes_on_from_its_state(problem: Problem, arm: int, step: int) -> None:
    arm %= len(problem.spec.arms)
    run = drive_problem(problem)
    requests = [
        request
        for event in run.events
        if isinstance(event, RoundOpened)
        for request in event.requests
        if request.arm == arm
    ]
    name = run.learner.run
    answers, states = _life(problem, Agent(name, arm), requests)
    at = step % len(states)
    saved = agent_state_through_json(states[at])
    again, _ = _life(problem, Agent(name, arm, saved), requests)
    from_the_last = answers[max(saved.message - 1, 0) :]
    assert list(dict.fromkeys(again)) == from_the_last  # the last one perhaps twice


def _life(
    problem: Problem, agent: Agent, requests: list[Request]
) -> tuple[list[Answer], list[AgentState]]:
    """An agent that is asked all this, with half of what it wants at a time."""
    answers, states = list[Answer](), [agent.state]
    for request in requests:
        answers.extend(agent.receive(request))
        states.append(agent.state)
        while agent.wanted or agent.is_looking:
            if agent.is_looking:
                answers.extend(agent.look())
            else:
                part = (agent.wanted + 1) // 2
                answers.extend(observed(agent, problem.tape.total, part))
            states.append(agent.state)
    return answers, states


_any_request = st.builds(
    request_of,
    st.integers(0, 6),
    st.integers(1, 40),
    epoch=st.sampled_from([0, 1, 2, 3, 200]),
    code=st.sampled_from([CODE, Raw(), *NARROW]),
)
_any_message = st.one_of(
    _any_request,
    st.builds(dismissal_of, st.sampled_from(Cause), epoch=st.sampled_from([1, 2, 3])),
    _any_request.map(lambda request: replace(request, arm=0)),
    _any_request.map(lambda request: replace(request, run=_OTHER_RUN)),
)
_any_rewards = st.tuples(
    st.integers(-1, 30), st.floats(-3, 3) | st.sampled_from([math.nan, 1e300, -math.inf])
)


@settings(deadline=None, max_examples=300)
@given(steps=st.lists(st.one_of(_any_message, _any_message, _any_rewards), max_size=40))
def test_every_step_answers_once_or_not_or_raises_and_changes_nothing(
    steps: list[Request | Dismiss | tuple[int, float]],
) -> None:
    agent = Agent(RUN, ARM, most_pulls=25)
    told: dict[tuple[int, int], Answer] = {}
    for step in steps:
        before = agent.state
        try:
            answers = agent.observe(*step) if isinstance(step, tuple) else agent.receive(step)
        except (PeerProtocolError, LocalProtocolError, RewardError):
            assert agent.state == before
            continue
        state = agent.state
        assert len(answers) <= 1
        assert state.pulls >= before.pulls
        assert agent.wanted <= 25
        assert (agent.wanted > 0) == (state.phase is AgentPhase.PULLING)
        for answer in answers:
            # in one epoch a number has one answer for ever
            assert told.setdefault((answer.run, answer.message), answer) == answer
            assert state.question is not None
            if isinstance(answer, Position):
                assert answer.pulls == state.pulls > state.question.until
            else:
                assert state.pulls == state.question.until
                assert answer.symbol == state.question.answer(state.mean)


def test_an_epoch_half_a_turn_away_is_not_served() -> None:
    agent = agent_in(AgentPhase.IDLE)
    before = agent.state
    assert before.epoch == 1
    for epoch in (129, 130, 200, 0):
        request = replace(request_of(2), run=run_field(RUN, epoch))
        assert agent.receive(request) == ()
        assert agent.state == before
        assert agent.knows_later(request.run)
