"""The learner asks what its policy wants to know of each arm, and takes the answers in."""

import math

import pytest
from drives import answered, served
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
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.learner import Learner
from bitarm.core.messages import Report
from bitarm.core.outcome import Outcome
from bitarm.core.policies import ChallengeElimination
from bitarm.core.quantizers import Dyadic
from bitarm.core.question import BEATEN
from bitarm.core.replay import replay
from bitarm.core.schedule import LooksSchedule
from bitarm.core.setup import Setup
from bitarm.errors import PeerProtocolError

_SPEC = make_spec(quantizer=Dyadic(), sigma=0.1, width="sub-gaussian", schedule=LooksSchedule())
_SETUP = Setup(spec=_SPEC, policy=ChallengeElimination())


def _at(stage: str, agents: list[Agent] | None = None) -> tuple[Learner, list[LearnerEvent]]:
    """Means of 0.9, 0.65 and 0.7: the pilot, those that follow it, the leader, its challenges."""
    learner = Learner(_SETUP)
    agents = agents or agents_of(learner)
    events = list(learner.start().events)
    for name in ("pilot", "followers", "leader", "challenges"):
        if name == stage:
            break
        for request in learner.pending:
            report = served(agents[request.arm], request, (0.9, 0.65, 0.7)[request.arm])
            events.extend(learner.receive(report).events)
    return learner, events


def _told(learner: Learner) -> list[tuple[int, str]]:
    """Who is asked, and what the question says of others; μ̃_0 is the middle of the bounds."""
    told = []
    for request in learner.pending:
        question, held = request.question, learner.arms[request.arm].held
        if isinstance(question.task, Challenge):
            told.append((request.arm, "challenge"))
        else:
            assert isinstance(question.code, Nearest)
            near = abs(question.code.centre - held.mean) <= question.code.step / 8  # rounded
            told.append((request.arm, "nothing" if near else "centre"))
    return told


@pytest.mark.parametrize(
    ("stage", "asked"),
    [
        ("pilot", [(1, "centre")]),  # 0, and not the middle
        ("followers", [(0, "centre"), (2, "centre")]),
        ("leader", [(0, "nothing")]),
        ("challenges", [(1, "challenge"), (2, "challenge")]),
    ],
)
def test_requests_carry_the_policys_hints_and_a_restart_repeats_them(
    stage: str, asked: list[tuple[int, str]]
) -> None:
    learner, events = _at(stage)
    assert _told(learner) == asked
    state = learner.save()
    assert learner_state_through_json(state) == state
    replayed = replay(load_event(dump_event(event)) for event in events)
    assert replayed.pending == learner.pending
    assert replayed.save() == state
    opened = [event for event in events if isinstance(event, RoundOpened)][-1]
    assert opened.requests == learner.pending


def test_an_arm_that_gives_up_is_an_event_that_says_for_whom_and_is_dropped() -> None:
    agents = agents_of(Learner(_SETUP))
    learner, events = _at("challenges", agents)
    told = [event.beaten_by for event in events if isinstance(event, ReportAccepted)]
    assert told == [None] * 4
    before, request = learner.arms[1].held, learner.pending[0]
    report = Report(run=request.run, arm=1, message=request.message, symbol=BEATEN)
    (accepted,) = learner.receive(report).events
    assert isinstance(accepted, ReportAccepted)
    assert accepted.beaten_by == 0
    assert (accepted.mean, accepted.error) == (before.mean, before.error)  # as it told before
    assert accepted.pulls == request.question.until
    assert load_event(dump_event(accepted)) == accepted
    assert (learner.view(1).low, learner.view(1).high) == (-math.inf, math.inf)
    (answer,) = answered(agents[2], learner.pending[0], lambda arm, done, count: 0.7 * count)
    output = learner.receive(answer)
    assert ArmDropped(round=4, arm=1, because=0) in output.events


@pytest.mark.parametrize(
    ("symbol", "why"),
    [
        (Symbol(0, 2), "goes on after it gave up"),
        (Symbol(0, 0), "ends early"),
        (Symbol(0b11, 2), "ends early"),
    ],
)
def test_an_answer_that_does_not_fit_a_challenge_is_refused(symbol: Symbol, why: str) -> None:
    learner, _ = _at("challenges")
    before = learner.save()
    report = Report(run=learner.pending[0].run, arm=1, message=2, symbol=symbol)
    with pytest.raises(PeerProtocolError, match=f"arm 1, message 2: .*{why}"):
        learner.receive(report)
    assert learner.save() == before


def test_a_learner_rebuilt_amid_the_challenges_ends_the_same() -> None:
    learner, events = _at("challenges")
    request = learner.pending[0]
    output = learner.receive(Report(run=request.run, arm=1, message=2, symbol=BEATEN))
    again = replay([*events, *output.events])
    assert again.pending == learner.pending
    for one in (learner, again):
        one.lose((2,))
    assert again.save() == learner.save()
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.DECIDED, 0)
