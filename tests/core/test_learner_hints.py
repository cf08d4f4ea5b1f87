"""The learner tells agents what makes their answers short, and takes those answers in."""

import math

import pytest
from tapes import (
    drive,
    learner_state_through_json,
    make_spec,
    served,
)

from bitarm.core.agent import Agent
from bitarm.core.bits import Symbol
from bitarm.core.events import (
    ArmDropped,
    LearnerEvent,
    ReportAccepted,
    RoundOpened,
    dump_event,
    load_event,
)
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Hint, HintKind, Report
from bitarm.core.policies import QuietElimination
from bitarm.core.policy import Outcome
from bitarm.core.quantizers import Dicq, Exact, FedSel, Icq, QuBan
from bitarm.core.replay import replay
from bitarm.errors import PeerProtocolError

_HINTED = make_spec(quantizer=Dicq(), sigma=0.1)
_CONCEDED = Symbol(0, 1)


def _quiet(*, upto: str, agents: list[Agent] | None = None) -> tuple[Learner, list[LearnerEvent]]:
    """Means of 0.9, 0.2 and 0.8: the pilot, those that follow it, the leader, its challengers."""
    learner = Learner(_HINTED, QuietElimination(), Limits())
    agents = agents or [Agent(_HINTED, arm) for arm in range(3)]
    events = list(learner.start().events)
    for stage in ("pilot", "followers", "leader", "challengers"):
        if stage == upto:
            break
        for request in learner.pending:
            report = served(agents[request.arm], request, (0.9, 0.2, 0.8)[request.arm])
            events.extend(learner.receive(report).events)
    return learner, events


def _arms_and_kinds(learner: Learner) -> list[tuple[int, HintKind | None]]:
    return [(it.arm, it.hint.kind if it.hint else None) for it in learner.pending]


@pytest.mark.parametrize(
    ("stage", "asked"),
    [
        ("pilot", [(1, None)]),
        ("followers", [(0, HintKind.CENTRE), (2, HintKind.CENTRE)]),
        ("leader", [(0, None)]),
        ("challengers", [(1, HintKind.CUT), (2, None)]),
    ],
)
def test_requests_carry_the_policys_hints_and_a_restart_repeats_them(
    stage: str, asked: list[tuple[int, HintKind | None]]
) -> None:
    learner, events = _quiet(upto=stage)
    assert _arms_and_kinds(learner) == asked
    state = learner.save()
    assert learner_state_through_json(state) == state
    restored = Learner.restore(_HINTED, learner.policy, learner.limits, state)
    replayed = replay(load_event(dump_event(event)) for event in events)  # type: ignore[misc]
    assert restored.pending == replayed.pending == learner.pending
    assert replayed.save() == restored.save() == state
    opened = [event for event in events if isinstance(event, RoundOpened)][-1]
    assert [it.hint for it in opened.advances] == [it.hint for it in learner.pending]


def test_the_centre_is_the_pilots_mean_and_the_cut_a_margin_below_the_leaders_cell() -> None:
    learner, _ = _quiet(upto="followers")
    centre = Hint(kind=HintKind.CENTRE, value=learner.arms[1].held.mean)
    assert {request.hint for request in learner.pending} == {centre}
    learner, _ = _quiet(upto="challengers")
    view = learner.view(0)
    margin = _HINTED.sampling.confidence(learner.policy.stride).margin(view, view)
    cut = Hint(kind=HintKind.CUT, value=view.mean - view.error - margin)
    assert learner.pending[0].hint == cut


def test_a_concession_is_an_event_with_a_ceiling_and_drops_the_arm() -> None:
    agents = [Agent(_HINTED, arm) for arm in range(3)]
    learner, _ = _quiet(upto="challengers", agents=agents)
    before, request = learner.arms[1].held, learner.pending[0]
    assert request.hint is not None
    report = Report(run=request.run, arm=1, message=request.message, symbol=_CONCEDED)
    (accepted,) = learner.receive(report).events
    assert isinstance(accepted, ReportAccepted)
    assert accepted.ceiling == request.hint.value
    assert (accepted.mean, accepted.error, accepted.radius) == (
        before.mean,
        before.error,
        before.radius,
    )  # of the mean that it told before
    assert accepted.pulls == request.until
    assert load_event(dump_event(accepted)) == accepted
    view = learner.view(1)
    assert (view.low, view.high) == (-math.inf, request.hint.value)
    output = learner.receive(served(agents[2], learner.pending[0], 0.8))
    assert ArmDropped(round=4, arm=1, because=0) in output.events


def test_a_mean_is_an_event_without_a_ceiling() -> None:
    _, events = _quiet(upto="challengers")
    accepted = [event for event in events if isinstance(event, ReportAccepted)]
    assert [event.ceiling for event in accepted] == [None] * 4


@pytest.mark.parametrize(
    ("arm", "symbol", "why"),
    [
        (1, Symbol(0, 2), "goes on after it conceded"),
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
    report = Report(run=_HINTED.fingerprint, arm=arm, message=2, symbol=symbol)
    with pytest.raises(PeerProtocolError, match=f"arm {arm}, message 2: .*{why}"):
        learner.receive(report)
    assert learner.save() == before


def test_a_learner_restored_amid_the_challengers_ends_the_same() -> None:
    learner, _ = _quiet(upto="challengers")
    request = learner.pending[0]
    learner.receive(Report(run=request.run, arm=1, message=2, symbol=_CONCEDED))
    again = Learner.restore(
        _HINTED, learner.policy, learner.limits, learner_state_through_json(learner.save())
    )
    assert again.pending == learner.pending
    for one in (learner, again):
        one.lose((2,))
    assert again.save() == learner.save()
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.DECIDED, 0)


def test_quantizers_that_take_no_hints_are_given_none() -> None:
    for quantizer in (Exact(), Icq(bits=3), QuBan(), FedSel()):
        spec = make_spec(quantizer=quantizer, sigma=0.1)
        learner = Learner(spec, QuietElimination(), Limits())
        agents = [Agent(spec, arm) for arm in range(3)]
        run = drive(learner, agents, lambda arm, done, count: (0.9, 0.2, 0.8)[arm] * count)
        opened = [event for event in run.events if isinstance(event, RoundOpened)]
        assert len(opened[0].advances) == 3  # no pilot
        assert {it.hint for event in opened for it in event.advances} == {None}
        assert run.ending.best_arm == 0
