"""The learner tells agents what makes their answers short, and takes those answers in."""

import math

import pytest
from drives import drive, served
from networks import learner_state_through_json
from tapes import agents_of, make_spec

from bitarm.core.agent import Agent
from bitarm.core.bits import Symbol
from bitarm.core.codes import Nearest
from bitarm.core.events import (
    ArmDropped,
    LearnerEvent,
    ReportAccepted,
    RoundOpened,
    dump_event,
    load_event,
)
from bitarm.core.learner import Learner
from bitarm.core.messages import Report
from bitarm.core.policies import QuietElimination
from bitarm.core.policy import Outcome
from bitarm.core.quantizers import Dicq, Exact, FedSel, Icq, QuBan
from bitarm.core.replay import replay
from bitarm.core.setup import Setup
from bitarm.errors import PeerProtocolError

_HINTED = make_spec(quantizer=Dicq(), sigma=0.1)
_CONCEDED = Symbol(0, 1)


def _quiet(*, upto: str, agents: list[Agent] | None = None) -> tuple[Learner, list[LearnerEvent]]:
    """Means of 0.9, 0.2 and 0.8: the pilot, those that follow it, the leader, its challengers."""
    learner = Learner(Setup(spec=_HINTED, policy=QuietElimination()))
    agents = agents or agents_of(learner)
    events = list(learner.start().events)
    for stage in ("pilot", "followers", "leader", "challengers"):
        if stage == upto:
            break
        for request in learner.pending:
            report = served(agents[request.arm], request, (0.9, 0.2, 0.8)[request.arm])
            events.extend(learner.receive(report).events)
    return learner, events


def _told(learner: Learner) -> list[tuple[int, str]]:
    """Who is asked, and what the question says of others; μ̃_0 is the middle of the bounds."""
    told = []
    for request in learner.pending:
        code, held = request.question.code, learner.arms[request.arm].held
        assert isinstance(code, Nearest)
        if request.question.cut is not None:
            told.append((request.arm, "cut"))
        else:
            told.append((request.arm, "nothing" if code.centre == held.mean else "centre"))
    return told


@pytest.mark.parametrize(
    ("stage", "asked"),
    [
        ("pilot", [(1, "nothing")]),
        ("followers", [(0, "centre"), (2, "centre")]),
        ("leader", [(0, "nothing")]),
        ("challengers", [(1, "cut"), (2, "nothing")]),
    ],
)
def test_requests_carry_the_policys_hints_and_a_restart_repeats_them(
    stage: str, asked: list[tuple[int, str]]
) -> None:
    learner, events = _quiet(upto=stage)
    assert _told(learner) == asked
    state = learner.save()
    assert learner_state_through_json(state) == state
    replayed = replay(load_event(dump_event(event)) for event in events)
    assert replayed.pending == learner.pending
    assert replayed.save() == state
    opened = [event for event in events if isinstance(event, RoundOpened)][-1]
    assert opened.requests == learner.pending


def test_the_centre_is_the_pilots_mean_and_the_cut_a_margin_below_the_leaders_cell() -> None:
    learner, _ = _quiet(upto="followers")
    codes = [request.question.code for request in learner.pending]
    assert all(isinstance(code, Nearest) for code in codes)
    assert {getattr(code, "centre", None) for code in codes} == {learner.arms[1].held.mean}
    learner, _ = _quiet(upto="challengers")
    view = learner.view(0)
    margin = _HINTED.sampling.confidence(learner.policy.stride).margin(view, view)
    assert learner.pending[0].question.cut == view.mean - view.error - margin


def test_a_concession_is_an_event_with_a_ceiling_and_drops_the_arm() -> None:
    agents = agents_of(Learner(Setup(spec=_HINTED, policy=QuietElimination())))
    learner, _ = _quiet(upto="challengers", agents=agents)
    before, request = learner.arms[1].held, learner.pending[0]
    cut = request.question.cut
    assert cut is not None
    report = Report(run=request.run, arm=1, message=request.message, symbol=_CONCEDED)
    (accepted,) = learner.receive(report).events
    assert isinstance(accepted, ReportAccepted)
    assert accepted.ceiling == cut
    assert (accepted.mean, accepted.error, accepted.radius) == (
        before.mean,
        before.error,
        before.radius,
    )  # of the mean that it told before
    assert accepted.pulls == request.question.until
    assert load_event(dump_event(accepted)) == accepted
    view = learner.view(1)
    assert (view.low, view.high) == (-math.inf, cut)
    output = learner.receive(served(agents[2], learner.pending[0], 0.8))
    assert ArmDropped(round=4, arm=1, because=0) in output.events


def test_a_mean_is_an_event_without_a_ceiling() -> None:
    _, events = _quiet(upto="challengers")
    accepted = [event for event in events if isinstance(event, ReportAccepted)]
    assert [event.ceiling for event in accepted] == [None] * 4


@pytest.mark.parametrize(
    ("arm", "symbol", "why"),
    [
        (1, Symbol(0, 2), "goes on after it said"),
        (1, Symbol(0, 0), "ends early"),
        (1, Symbol(1, 1), "ends early"),
        (2, Symbol(0b111, 3), "ends early"),
    ],
)
def test_an_answer_that_does_not_fit_the_hint_is_refused(
    arm: int, symbol: Symbol, why: str
) -> None:
    learner, _ = _quiet(upto="challengers")
    before = learner.save()
    report = Report(run=learner.pending[0].run, arm=arm, message=2, symbol=symbol)
    with pytest.raises(PeerProtocolError, match=f"arm {arm}, message 2: .*{why}"):
        learner.receive(report)
    assert learner.save() == before


def test_a_learner_rebuilt_amid_the_challengers_ends_the_same() -> None:
    learner, events = _quiet(upto="challengers")
    request = learner.pending[0]
    output = learner.receive(Report(run=request.run, arm=1, message=2, symbol=_CONCEDED))
    again = replay([*events, *output.events])
    assert again.pending == learner.pending
    for one in (learner, again):
        one.lose((2,))
    assert again.save() == learner.save()
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.DECIDED, 0)


def test_quantizers_that_take_no_hints_are_given_none() -> None:
    for quantizer in (Exact(), Icq(bits=3), QuBan(), FedSel()):
        spec = make_spec(quantizer=quantizer, sigma=0.1)
        learner = Learner(Setup(spec=spec, policy=QuietElimination()))
        run = drive(
            learner, agents_of(learner), lambda arm, done, count: (0.9, 0.2, 0.8)[arm] * count
        )
        opened = [event for event in run.events if isinstance(event, RoundOpened)]
        assert len(opened[0].requests) == 3  # no pilot
        questions = [request.question for event in opened for request in event.requests]
        assert {question.cut for question in questions} == {None}
        assert {question.code.name for question in questions} <= set(quantizer.codes)
        assert run.ending.best_arm == 0
