"""A learner that goes on in another epoch, and agents that tell it how far they are."""

from dataclasses import replace

import pytest
from core.resuming import after_rounds, ahead_of, answer_of, asked_of, problem_of
from networks import Network, learner_state_through_json

from bitarm.core.epochs import run_field
from bitarm.core.events import EpochBegan, PositionTold, ReportAccepted, ReportIgnored
from bitarm.core.guarantee import Incidents
from bitarm.core.learner_state import ArmPhase, LearnerOutput
from bitarm.core.limits import Limits
from bitarm.core.messages import Cause, Dismiss, Position, Request
from bitarm.core.replay import replay
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import LocalProtocolError, PeerProtocolError

# -- epochs ---------------------------------------------------------------------------------------


def test_a_learner_starts_in_the_first_epoch_and_was_never_resumed() -> None:
    learner = problem_of().learner()
    assert (learner.epoch, learner.resumed) == (1, False)
    output = learner.start()
    assert {message.run for message in output.messages} == {run_field(learner.run, 1)}


def test_a_new_epoch_asks_the_open_questions_again_under_new_numbers() -> None:
    learner = after_rounds(problem_of(), 3).learner
    learner.receive(answer_of(learner, 1))
    before, pending = learner.save(), learner.pending
    assert [(request.arm, request.message) for request in pending] == [(0, 4), (2, 4)]
    output = learner.begin(7)
    assert output.events == (EpochBegan(epoch=7),)
    assert (
        output.messages
        == learner.pending
        == tuple(replace(request, run=run_field(learner.run, 7), message=1) for request in pending)
    )
    after = learner.save()
    assert (after.epoch, after.incidents) == (7, Incidents(resumed=True))
    for old, new in zip(before.arms, after.arms, strict=True):
        awaited = old.phase is ArmPhase.AWAITED
        assert new == replace(old, asked=int(awaited), symbol=new.symbol)
    assert replace(after, epoch=1, incidents=Incidents(), arms=()) == replace(before, arms=())
    assert learner_state_through_json(after) == after


@pytest.mark.parametrize("epoch", [1, 0, 129, 200])
def test_an_epoch_that_is_not_later_is_refused(epoch: int) -> None:
    learner = after_rounds(problem_of(), 1).learner
    before = learner.save()
    with pytest.raises(LocalProtocolError, match=f"epoch {epoch} must be later than 1"):
        learner.begin(epoch)
    assert learner.save() == before


def test_numbers_count_from_1_in_every_epoch_and_reports_over_all() -> None:
    network = after_rounds(problem_of(), 2)
    for epoch in (2, 3):
        network.resume_learner()
        assert {request.message for request in network.learner.pending} == {1}
        network.turn()
        assert {request.message for request in network.learner.pending} == {2}
        network.turn()
        assert network.learner.epoch == epoch
    accepted = [event for event in network.events if isinstance(event, ReportAccepted)]
    assert [event.message for event in accepted if event.arm == 0] == [1, 2, 3, 4, 5, 6]
    assert [event.pulls for event in accepted if event.arm == 0] == [2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize("epoch", [1, 3, 200])
def test_answers_of_another_epoch_are_refused_whatever_they_say(epoch: int) -> None:
    learner = after_rounds(problem_of(), 2).learner
    learner.begin(2)
    before = learner.save()
    for message in (0, 1, 2, 3, 4):
        for answer in (
            replace(answer_of(learner, 0), run=run_field(learner.run, epoch), message=message),
            replace(ahead_of(learner, 0, 99), run=run_field(learner.run, epoch), message=message),
        ):
            with pytest.raises(PeerProtocolError, match=f"is of epoch {epoch}, this is epoch 2"):
                learner.receive(answer)
    assert learner.save() == before


def test_a_late_answer_can_no_longer_be_read_but_its_agent_is_asked_again() -> None:
    network = after_rounds(problem_of(), 2)
    late = network.down[0]
    assert isinstance(late, Request)
    while network.down:
        network.carry_down(0, keep=False)
    network.pull(0, network.agents[0].wanted)
    assert len(network.up) == 1  # an answer of epoch 1, on its way
    network.resume_learner()
    network.carry_up(0, keep=False)
    assert network.learner.arms[0].phase is ArmPhase.AWAITED
    network.turn()
    assert network.learner.rounds == 4
    before = network.agents[0].state
    assert network.agents[0].receive(late) == ()
    assert network.agents[0].state == before


def test_a_run_that_is_over_has_nobody_to_ask_in_a_new_epoch() -> None:
    network = Network(problem_of(means=(900, 100, 200)))
    network.settle()
    output = network.learner.begin(2)
    assert output == LearnerOutput(events=(EpochBegan(epoch=2),))
    assert network.learner.pending == ()


def test_dismissals_are_of_the_present_epoch() -> None:
    learner = after_rounds(problem_of(), 1).learner
    learner.begin(2)
    output = learner.interrupt()
    assert output.messages == tuple(
        Dismiss(run=run_field(learner.run, 2), arm=arm, cause=Cause.ENDED) for arm in range(3)
    )


# -- positions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("pulls", [5, 16, 10**6])
def test_a_position_is_believed_in_a_resumed_epoch(pulls: int) -> None:
    learner = after_rounds(problem_of(), 1).learner
    learner.begin(2)
    samples = learner.samples
    output = learner.receive(ahead_of(learner, 0, pulls))
    assert output == LearnerOutput(events=(PositionTold(round=2, arm=0, pulls=pulls),))
    record = learner.arms[0]
    assert (record.phase, record.ahead, record.pulls) == (ArmPhase.RESTING, pulls, 2)
    assert (learner.samples, asked_of(learner)) == (samples, {1: 4, 2: 4})
    again = Position(run=run_field(learner.run, 2), arm=0, message=1, pulls=pulls)
    assert learner.receive(again).events == (ReportIgnored(arm=0, message=1),)


@pytest.mark.parametrize(
    ("limits", "pulls"),
    [
        (Limits(), 4),  # what it was asked for: then it could have answered
        (Limits(), 3),
        (Limits(), 0),
        (Limits(samples=100), 101),
        (Limits(samples=100), MAX_PULLS),
        (Limits(), MAX_PULLS + 1),
    ],
)
def test_a_position_that_this_run_cannot_have_is_refused(limits: Limits, pulls: int) -> None:
    learner = after_rounds(problem_of(limits=limits), 1).learner
    learner.begin(2)
    before = learner.save()
    with pytest.raises(PeerProtocolError, match=rf"arm 0, message 1: says that {pulls} pulls"):
        learner.receive(ahead_of(learner, 0, pulls))
    assert learner.save() == before


def test_a_position_in_a_run_that_was_never_resumed_is_refused() -> None:
    learner = after_rounds(problem_of(), 1).learner
    before = learner.save()
    with pytest.raises(PeerProtocolError, match="nobody else ever asked in this run"):
        learner.receive(ahead_of(learner, 0, 8))
    assert learner.save() == before
    assert replay(after_rounds(problem_of(), 1).events).resumed is False
