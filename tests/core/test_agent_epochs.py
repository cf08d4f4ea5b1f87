"""An agent that is asked in another epoch: numbers begin anew, rewards are kept."""

from dataclasses import replace

import pytest
from core.agents import ARM, RUN, agent_in, challenge_of, dismissal_of, report_of, request_of

from bitarm.core.agent import Agent, AgentPhase, AgentState
from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.core.epochs import run_field
from bitarm.core.messages import Cause, Dismiss, Request


@pytest.mark.parametrize("epoch", [0, 1, 77, 255])
def test_the_first_epoch_that_an_agent_hears_of_is_its_own(epoch: int) -> None:
    agent = Agent(RUN, ARM)
    assert not agent.knows_later(run_field(RUN, epoch))
    agent.receive(request_of(5, 2, epoch=epoch))
    assert (agent.state.epoch, agent.wanted) == (epoch, 2)
    assert agent.observe(2, 1.5) == (report_of(5, Symbol(6, 3), epoch=epoch),)


@pytest.mark.parametrize("later", [2, 3, 128])
@pytest.mark.parametrize("phase", list(AgentPhase))
def test_a_later_epoch_voids_numbers_and_dismissals_and_keeps_rewards(
    phase: AgentPhase, later: int
) -> None:
    agent = agent_in(phase)
    before = agent.state
    request = request_of(1, 8, epoch=later, code=Raw())  # a number that was asked in epoch 1 too
    assert agent.receive(request) == ()
    assert agent.state == AgentState(
        phase=AgentPhase.PULLING,
        pulls=before.pulls,
        total=before.total,
        scale=before.scale,
        epoch=later,
        message=1,
        question=request.question,
    )
    (answer,) = agent.observe(agent.wanted, 1.0)
    mean = (before.total + 1.0) / 8
    assert answer == report_of(1, Raw().write(mean), epoch=later)


@pytest.mark.parametrize("earlier", [1, 0, 255, 140])  # in serial arithmetic, before 2
@pytest.mark.parametrize("phase", list(AgentPhase))
def test_what_is_said_in_an_earlier_epoch_is_ignored(phase: AgentPhase, earlier: int) -> None:
    agent = agent_in(phase)
    if phase is AgentPhase.DISMISSED:
        agent.receive(dismissal_of(Cause.DROPPED, epoch=2))
    else:
        request = request_of(7, 16 if phase is AgentPhase.PULLING else 4, epoch=2)
        if phase is AgentPhase.LOOKING:
            request = replace(challenge_of(7, 16), run=request.run)
        agent.receive(request)
    assert (agent.state.phase, agent.state.epoch) == (phase, 2)
    before = agent.state
    messages: list[Request | Dismiss] = [
        *(request_of(message, 8, epoch=earlier) for message in (1, 3, 7, 8, 9)),
        request_of(8, 10**12, epoch=earlier),
        dismissal_of(Cause.ENDED, epoch=earlier),
    ]
    for message in messages:
        assert agent.knows_later(message.run)
        assert agent.receive(message) == ()
        assert agent.state == before


def test_a_later_dismissal_takes_the_epoch_over() -> None:
    agent = agent_in(AgentPhase.PULLING)
    before = agent.state
    assert agent.receive(dismissal_of(Cause.ENDED, epoch=4)) == ()
    assert agent.state == AgentState(
        phase=AgentPhase.DISMISSED,
        pulls=before.pulls,
        total=before.total,
        epoch=4,
        cause=Cause.ENDED,
    )


def test_epochs_come_round() -> None:
    agent = Agent(RUN, ARM)
    for number in range(600):
        epoch = number % 256
        until = number + 1
        agent.receive(request_of(1, until, epoch=epoch))
        assert len(agent.observe(1, 0.5)) == 1
        assert agent.knows_later(run_field(RUN, (epoch - 100) % 256))
    assert agent.state.pulls == 600


def test_an_epoch_can_be_taken_over_before_anything_is_asked() -> None:
    agent = agent_in(AgentPhase.DISMISSED)
    before = agent.state
    for epoch in (1, 0, 129):
        assert agent.enter(epoch) is False
        assert agent.state == before
    assert agent.enter(2) is True
    assert agent.state == AgentState(pulls=before.pulls, total=before.total, epoch=2)
    assert agent.receive(request_of(2)) == ()  # of epoch 1
    assert agent.knows_later(run_field(RUN, 1))
    assert not agent.knows_later(run_field(RUN, 2))
    assert not agent.knows_later(run_field(0x123456, 1))
