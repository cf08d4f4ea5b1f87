"""The agent's machine: every entry of its table, its refusals, epochs, positions and dismissals."""

import math
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tapes import (
    BOUNDED,
    UNBOUNDED,
    Problem,
    agent_state_through_json,
    drive_problem,
    make_spec,
    problems,
)

from bitarm.core.agent import Agent, AgentPhase, AgentState
from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins, Code, Levels, Nearest, Raw
from bitarm.core.epochs import run_field
from bitarm.core.events import RoundOpened
from bitarm.core.messages import Answer, Cause, Dismiss, Fit, Position, Report, Request, fit
from bitarm.core.quantizers import Quantizer
from bitarm.core.question import Question
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

_RUN, _ARM = 0xABCDEF, 1
_CODE = Bins(low=0.0, step=0.125, bins=8)
_UNTIL = {1: 2, 2: 4, 3: 8, 4: 16, 5: 32}


def _request(
    message: int,
    until: int | None = None,
    *,
    epoch: int = 1,
    code: Code = _CODE,
    cut: float | None = None,
) -> Request:
    until = _UNTIL[message] if until is None else until
    question = Question(until=until, code=code, cut=cut)
    return Request(run=run_field(_RUN, epoch), arm=_ARM, message=message, question=question)


def _dismissal(cause: Cause, *, epoch: int = 1) -> Dismiss:
    return Dismiss(run=run_field(_RUN, epoch), arm=_ARM, cause=cause)


def _report(message: int, symbol: Symbol, *, epoch: int = 1) -> Report:
    return Report(run=run_field(_RUN, epoch), arm=_ARM, message=message, symbol=symbol)


def _position(message: int, pulls: int, *, epoch: int = 1) -> Position:
    return Position(run=run_field(_RUN, epoch), arm=_ARM, message=message, pulls=pulls)


def _agent(phase: AgentPhase, *, most_pulls: int = 10**12) -> Agent:
    """An agent that has answered two questions, with a mean of 0.75, and is now in `phase`."""
    agent = Agent(_RUN, _ARM, most_pulls=most_pulls)
    for message in (1, 2):
        agent.receive(_request(message))
        agent.observe(agent.wanted, 0.75 * agent.wanted)
    if phase is AgentPhase.PULLING:
        agent.receive(_request(3))
        agent.observe(1, 0.5)
    if phase is AgentPhase.DISMISSED:
        agent.receive(_dismissal(Cause.DROPPED))
    assert agent.state.phase is phase
    return agent


_ANSWERED = _report(2, Symbol(6, 3))  # 0.75 is at the lower end of the seventh bin

# -- the table ------------------------------------------------------------------------------------

_TABLE = {
    (AgentPhase.IDLE, Fit.LATE): "nothing",
    (AgentPhase.IDLE, Fit.REPEAT): "the answer again",
    (AgentPhase.IDLE, Fit.NEXT): "pulling",
    (AgentPhase.IDLE, Fit.AHEAD): "pulling",
    (AgentPhase.PULLING, Fit.LATE): "nothing",
    (AgentPhase.PULLING, Fit.REPEAT): "nothing",
    (AgentPhase.PULLING, Fit.NEXT): "pulling",
    (AgentPhase.PULLING, Fit.AHEAD): "pulling",
    (AgentPhase.DISMISSED, Fit.LATE): "nothing",
    (AgentPhase.DISMISSED, Fit.REPEAT): "nothing",
    (AgentPhase.DISMISSED, Fit.NEXT): "nothing",
    (AgentPhase.DISMISSED, Fit.AHEAD): "nothing",
}
_DISTANCE = {Fit.LATE: -1, Fit.REPEAT: 0, Fit.NEXT: 1, Fit.AHEAD: 2}


def test_the_table_has_every_phase_and_fit() -> None:
    assert set(_TABLE) == set(product(AgentPhase, Fit))
    assert {how: fit(2 + distance, 2) for how, distance in _DISTANCE.items()} == {
        how: how for how in Fit
    }


@pytest.mark.parametrize(
    ("phase", "how", "expected"), [(*entry, expected) for entry, expected in _TABLE.items()]
)
def test_what_becomes_of_a_request(phase: AgentPhase, how: Fit, expected: str) -> None:
    agent = _agent(phase)
    before = agent.state
    request = _request(before.message + _DISTANCE[how])
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
    assert answers == ((_ANSWERED,) if expected == "the answer again" else ())


def test_a_number_far_ahead_is_taken_and_the_numbers_between_are_then_late() -> None:
    agent = _agent(AgentPhase.IDLE)
    agent.receive(_request(900, 8))
    (answer,) = agent.observe(4, 1.0)
    assert answer == _report(900, Symbol(4, 3))
    before = agent.state
    for message in (3, 899):
        assert agent.receive(_request(message, 16)) == ()
    assert agent.state == before


def test_a_new_question_takes_the_place_of_the_one_in_service_and_rewards_are_kept() -> None:
    agent = _agent(AgentPhase.PULLING)  # five pulls of eight
    assert agent.receive(_request(4, 7)) == ()
    assert agent.wanted == 2
    (answer,) = agent.observe(2, 1.0)
    assert answer == _report(4, _CODE.write((3.0 + 0.5 + 1.0) / 7))


# -- refusals -------------------------------------------------------------------------------------

_OTHER_RUN = run_field(0x123456, 1)
_REFUSED = {
    "the repeat asks for more": (AgentPhase.IDLE, _request(2, 5), "message 2: first asked"),
    "the repeat asks for less": (AgentPhase.IDLE, _request(2, 3), "message 2: first asked"),
    "the repeat has another code": (AgentPhase.IDLE, _request(2, code=Raw()), "first asked"),
    "the repeat has a cut": (AgentPhase.IDLE, _request(2, cut=0.5), "message 2: first asked"),
    "the question in service changes": (
        AgentPhase.PULLING,
        _request(3, 9),
        r"message 3: first asked Question\(until=8.*now Question\(until=9",
    ),
    "another run": (AgentPhase.IDLE, replace(_request(3), run=_OTHER_RUN), "for run 123456"),
    "another run's dismissal": (
        AgentPhase.IDLE,
        replace(_dismissal(Cause.ENDED), run=_OTHER_RUN),
        "for run 123456, this agent serves abcdef",
    ),
    "another run, dismissed": (
        AgentPhase.DISMISSED,
        replace(_request(3), run=_OTHER_RUN),
        "for run 123456",
    ),
    "another run, a later epoch": (
        AgentPhase.IDLE,
        replace(_request(3), run=run_field(0x123456, 9)),
        "for run 123456",
    ),
    "another arm": (AgentPhase.IDLE, replace(_request(3), arm=0), "message is for arm 0"),
    "another arm's dismissal": (
        AgentPhase.PULLING,
        replace(_dismissal(Cause.DROPPED), arm=2),
        "message is for arm 2",
    ),
    "too many pulls": (AgentPhase.IDLE, _request(3, 105), "asks for 101 pulls, .* at most 100"),
    "too many pulls, in service": (AgentPhase.PULLING, _request(4, 106), "asks for 101 pulls"),
    "too many pulls, a later epoch": (
        AgentPhase.DISMISSED,
        _request(1, 105, epoch=2),
        "message 1: asks for 101 pulls",
    ),
}


@pytest.mark.parametrize(("phase", "message", "why"), _REFUSED.values(), ids=_REFUSED)
def test_a_message_that_does_not_fit_is_refused_and_changes_nothing(
    phase: AgentPhase, message: Request | Dismiss, why: str
) -> None:
    agent = _agent(phase, most_pulls=100)
    before = agent.state
    with pytest.raises(PeerProtocolError, match=why) as refusal:
        agent.receive(message)
    assert str(refusal.value).startswith(f"arm {_ARM}")
    assert agent.state == before


def test_messages_are_numbered_from_1() -> None:
    agent = Agent(_RUN, _ARM)
    with pytest.raises(PeerProtocolError, match="message 0"):
        agent.receive(_request(0, 2))
    assert agent.state == AgentState()


def test_the_most_pulls_are_those_of_one_question() -> None:
    agent = _agent(AgentPhase.IDLE, most_pulls=4)
    for message, until in ((3, 8), (4, 12), (5, 14)):
        agent.receive(_request(message, until))
        agent.observe(agent.wanted, 1.0)
    assert agent.state.pulls == 14
    with pytest.raises(PeerProtocolError, match="asks for 5 pulls, this agent makes at most 4"):
        agent.receive(_request(6, 19))
    assert agent.receive(_request(6, 18)) == ()


# -- rewards --------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [AgentPhase.IDLE, AgentPhase.DISMISSED])
def test_rewards_out_of_turn_are_refused(phase: AgentPhase) -> None:
    agent = _agent(phase)
    before = agent.state
    with pytest.raises(LocalProtocolError, match=r"1 rewards offered, 0 are wanted"):
        agent.observe(1, 0.5)
    assert agent.state == before


@pytest.mark.parametrize("count", [-1, 0, 4, 100])
def test_more_rewards_than_wanted_or_none_are_refused(count: int) -> None:
    agent = _agent(AgentPhase.PULLING)
    before = agent.state
    assert agent.wanted == 3
    with pytest.raises(LocalProtocolError, match=f"arm 1: {count} rewards offered, 3 are wanted"):
        agent.observe(count, 0.5)
    assert agent.state == before


@pytest.mark.parametrize("total", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("count", [1, 3])
def test_sums_that_are_no_numbers_are_refused(count: int, total: float) -> None:
    agent = _agent(AgentPhase.PULLING)
    before = agent.state
    with pytest.raises(RewardError, match="arm 1: the rewards add up to"):
        agent.observe(count, total)
    assert agent.state == before


def test_a_running_sum_that_overflows_is_refused() -> None:
    agent = _agent(AgentPhase.PULLING)
    agent.observe(1, 1.7e308)
    before = agent.state
    with pytest.raises(RewardError, match="add up to inf"):
        agent.observe(1, 1.7e308)
    assert agent.state == before


_NARROW: tuple[Code, ...] = (
    Levels(step=1e-9, centre=0, dither=0.5),
    Nearest(centre=0.0, step=1e-9, divisor=1),
)


@pytest.mark.parametrize("cut", [None, 2e8])
@pytest.mark.parametrize("code", _NARROW, ids=lambda code: str(code.name))
def test_a_mean_that_the_code_does_not_reach_is_refused_and_changes_nothing(
    code: Code, cut: float | None
) -> None:
    agent = _agent(AgentPhase.PULLING)
    agent.receive(_request(4, 6, code=code, cut=cut))
    before = agent.state
    with pytest.raises(RewardError, match="too far from 0"):
        agent.observe(1, 1e9)
    assert agent.state == before
    agent.receive(_request(5, 6))  # another question can be answered
    assert agent.observe(1, 1e9) == (_report(5, Symbol(7, 3)),)
    before = agent.state
    with pytest.raises(RewardError, match="too far from 0"):  # at once, and in a later epoch
        agent.receive(_request(1, 6, code=code, cut=cut, epoch=2))
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
    agent = Agent(_RUN, _ARM)
    question = quantizer.question(spec.start(0), spec.occasion(1, 2), 0.5)
    agent.receive(replace(_request(1), question=question))
    agent.observe(1, 0.5)
    before = agent.state
    try:
        answers = agent.observe(1, total)
    except RewardError:
        assert agent.state == before
    else:
        assert len(answers) == 1


def test_a_batch_in_parts_answers_once_and_only_when_whole() -> None:
    agent = _agent(AgentPhase.PULLING)  # one of four rewards is in
    for left in (2, 1):
        assert agent.observe(1, 0.5) == ()
        assert agent.wanted == left
    assert agent.observe(1, 0.5) == (_report(3, _CODE.write(0.625)),)
    assert agent.state.phase is AgentPhase.IDLE
    assert (agent.state.pulls, agent.state.total) == (8, 0.75 * 4 + 0.5 * 4)


@pytest.mark.parametrize("count", [1, 3])  # amid a batch, and at its end
def test_a_total_that_is_a_whole_number_gives_a_state_that_can_be_read_back(count: int) -> None:
    agent = _agent(AgentPhase.PULLING)
    agent.observe(count, 2)
    assert type(agent.state.total) is float
    assert agent_state_through_json(agent.state) == agent.state


def test_the_running_sum_adds_batch_totals_in_order() -> None:
    totals = [0.1, 0.2, 0.3, 1e16, -1e16]  # not associative: order and grouping show
    agent = Agent(_RUN, _ARM)
    running = 0.0
    for number, total in enumerate(totals, start=1):
        agent.receive(_request(number, number, code=Raw()))
        (answer,) = agent.observe(1, total)
        running += total
        assert agent.state.total == running
        assert answer == _report(number, Raw().write(running / number))


@pytest.mark.parametrize("cut", [None, 0.5, 0.6875])
@pytest.mark.parametrize("code", [_CODE, Raw(), Nearest(centre=0.5, step=0.125, divisor=2)])
def test_the_mean_is_over_all_pulls_and_the_symbol_is_the_questions(
    code: Code, cut: float | None
) -> None:
    agent = _agent(AgentPhase.IDLE)
    request = _request(3, code=code, cut=cut)
    agent.receive(request)
    (answer,) = agent.observe(4, 2.5)
    assert answer == _report(3, request.question.answer((0.75 * 4 + 2.5) / 8))
    assert agent.receive(request) == (answer,)


# -- positions ------------------------------------------------------------------------------------


def test_pulls_that_are_made_already_are_answered_at_once() -> None:
    agent = _agent(AgentPhase.IDLE)
    assert agent.receive(_request(3, 4, code=Raw())) == (_report(3, Raw().write(0.75)),)
    assert agent.state.phase is AgentPhase.IDLE
    assert agent.state.pulls == 4


@pytest.mark.parametrize("until", [1, 3])
def test_an_agent_that_is_ahead_tells_its_position(until: int) -> None:
    agent = _agent(AgentPhase.IDLE)
    request, before = _request(3, until), agent.state
    assert agent.receive(request) == (_position(3, 4),)
    assert (agent.state.pulls, agent.state.total) == (before.pulls, before.total)
    assert (agent.state.ahead, agent.state.symbol) == (4, None)
    assert agent_state_through_json(agent.state) == agent.state
    assert agent.receive(request) == (_position(3, 4),)  # asked again
    with pytest.raises(PeerProtocolError, match="first asked"):
        agent.receive(_request(3, 4))
    assert agent.receive(_request(4, 4)) == (_report(4, Symbol(6, 3)),)
    assert agent.state.ahead is None


def test_a_position_amid_a_batch_counts_what_was_pulled_of_it() -> None:
    agent = _agent(AgentPhase.PULLING)
    assert agent.receive(_request(1, 4, epoch=2)) == (_position(1, 5, epoch=2),)
    assert agent.wanted == 0


# -- epochs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("epoch", [0, 1, 77, 255])
def test_the_first_epoch_that_an_agent_hears_of_is_its_own(epoch: int) -> None:
    agent = Agent(_RUN, _ARM)
    assert not agent.knows_later(run_field(_RUN, epoch))
    agent.receive(_request(5, 2, epoch=epoch))
    assert (agent.state.epoch, agent.wanted) == (epoch, 2)
    assert agent.observe(2, 1.5) == (_report(5, Symbol(6, 3), epoch=epoch),)


@pytest.mark.parametrize("later", [2, 3, 128])
@pytest.mark.parametrize("phase", list(AgentPhase))
def test_a_later_epoch_voids_numbers_and_dismissals_and_keeps_rewards(
    phase: AgentPhase, later: int
) -> None:
    agent = _agent(phase)
    before = agent.state
    request = _request(1, 8, epoch=later, code=Raw())  # a number that was asked in epoch 1 too
    assert agent.receive(request) == ()
    assert agent.state == AgentState(
        phase=AgentPhase.PULLING,
        pulls=before.pulls,
        total=before.total,
        epoch=later,
        message=1,
        question=request.question,
    )
    (answer,) = agent.observe(agent.wanted, 1.0)
    mean = (before.total + 1.0) / 8
    assert answer == _report(1, Raw().write(mean), epoch=later)


@pytest.mark.parametrize("earlier", [1, 0, 255, 140])  # in serial arithmetic, before 2
@pytest.mark.parametrize("phase", list(AgentPhase))
def test_what_is_said_in_an_earlier_epoch_is_ignored(phase: AgentPhase, earlier: int) -> None:
    agent = _agent(phase)
    if phase is AgentPhase.DISMISSED:
        agent.receive(_dismissal(Cause.DROPPED, epoch=2))
    else:
        agent.receive(_request(7, 16 if phase is AgentPhase.PULLING else 4, epoch=2))
    assert (agent.state.phase, agent.state.epoch) == (phase, 2)
    before = agent.state
    messages: list[Request | Dismiss] = [
        *(_request(message, 8, epoch=earlier) for message in (1, 3, 7, 8, 9)),
        _request(8, 10**12, epoch=earlier),
        _dismissal(Cause.ENDED, epoch=earlier),
    ]
    for message in messages:
        assert agent.knows_later(message.run)
        assert agent.receive(message) == ()
        assert agent.state == before


def test_a_later_dismissal_takes_the_epoch_over() -> None:
    agent = _agent(AgentPhase.PULLING)
    before = agent.state
    assert agent.receive(_dismissal(Cause.ENDED, epoch=4)) == ()
    assert agent.state == AgentState(
        phase=AgentPhase.DISMISSED,
        pulls=before.pulls,
        total=before.total,
        epoch=4,
        cause=Cause.ENDED,
    )


def test_epochs_come_round() -> None:
    agent = Agent(_RUN, _ARM)
    for number in range(600):
        epoch = number % 256
        until = number + 1
        agent.receive(_request(1, until, epoch=epoch))
        assert len(agent.observe(1, 0.5)) == 1
        assert agent.knows_later(run_field(_RUN, (epoch - 100) % 256))
    assert agent.state.pulls == 600


def test_an_epoch_can_be_taken_over_before_anything_is_asked() -> None:
    agent = _agent(AgentPhase.DISMISSED)
    before = agent.state
    for epoch in (1, 0, 129):
        assert agent.enter(epoch) is False
        assert agent.state == before
    assert agent.enter(2) is True
    assert agent.state == AgentState(pulls=before.pulls, total=before.total, epoch=2)
    assert agent.receive(_request(2)) == ()  # of epoch 1
    assert agent.knows_later(run_field(_RUN, 1))
    assert not agent.knows_later(run_field(_RUN, 2))
    assert not agent.knows_later(run_field(0x123456, 1))


# -- dismissal ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("phase", [AgentPhase.IDLE, AgentPhase.PULLING])
def test_a_dismissed_agent_wants_nothing_more(phase: AgentPhase, cause: Cause) -> None:
    agent = _agent(phase)
    before = agent.state
    assert agent.receive(_dismissal(cause)) == ()
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
    agent = _agent(AgentPhase.PULLING)
    assert [agent.receive(_dismissal(cause)) for cause in causes] == [()] * len(causes)
    assert (agent.state.phase, agent.state.cause) == (AgentPhase.DISMISSED, final)
    assert agent.receive(_request(3)) == ()
    assert agent.wanted == 0


# -- saved states ---------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [_CODE, *_NARROW, Raw()], ids=lambda code: str(code.name))
@pytest.mark.parametrize("phase", list(AgentPhase))
def test_a_state_survives_json(phase: AgentPhase, code: Code) -> None:
    assert agent_state_through_json(AgentState()) == AgentState()
    agent = _agent(phase)
    assert agent_state_through_json(agent.state) == agent.state
    if phase is not AgentPhase.DISMISSED:
        agent.receive(_request(5, code=code, cut=0.25))
        assert agent_state_through_json(agent.state) == agent.state


@settings(deadline=None, max_examples=60)
@given(problem=problems(), arm=st.integers(0, 4), cut=st.integers(0, 2**16))
def test_an_agent_goes_on_from_its_state(problem: Problem, arm: int, cut: int) -> None:
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
    at = cut % len(states)
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
        while agent.wanted:
            part = (agent.wanted + 1) // 2
            total = problem.tape.total(agent.arm, agent.state.pulls, part)
            answers.extend(agent.observe(part, total))
            states.append(agent.state)
    return answers, states


_any_request = st.builds(
    _request,
    st.integers(0, 6),
    st.integers(1, 40),
    epoch=st.sampled_from([0, 1, 2, 3, 200]),
    code=st.sampled_from([_CODE, Raw(), *_NARROW]),
    cut=st.none() | st.floats(-1, 1),
)
_any_message = st.one_of(
    _any_request,
    st.builds(_dismissal, st.sampled_from(Cause), epoch=st.sampled_from([1, 2, 3])),
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
    agent = Agent(_RUN, _ARM, most_pulls=25)
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
                assert answer.symbol == state.question.answer(state.total / state.pulls)


def test_an_epoch_half_a_turn_away_is_not_served() -> None:
    agent = _agent(AgentPhase.IDLE)
    before = agent.state
    assert before.epoch == 1
    for epoch in (129, 130, 200, 0):
        request = replace(_request(2), run=run_field(_RUN, epoch))
        assert agent.receive(request) == ()
        assert agent.state == before
        assert agent.knows_later(request.run)
