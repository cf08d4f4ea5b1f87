"""What an agent refuses: rewards, settings, questions, announcements, another's memory."""

import logging
import random

import pytest
from fuzzing.frames import frames
from fuzzing.texts import texts
from runtime.agent.desk import (
    REQUESTS,
    RUNS,
    Desk,
    announced,
    answers_in,
    status_in,
)
from wires.memories import MemoryKeeper
from wires.runs import RUN

from bitarm import wire
from bitarm.core.agent import AgentState
from bitarm.core.bounds import Bounds
from bitarm.core.codes import Bins, Nearest
from bitarm.core.epochs import run_of_opening
from bitarm.core.messages import Request
from bitarm.core.question import Question
from bitarm.errors import ConfigError, RewardError, StoreError
from bitarm.rewards.feeds import RewardFeed
from bitarm.runtime.agent.memory import AgentMemory
from bitarm.runtime.agent.service import AgentService
from bitarm.wire.announcement import MOST_BYTES, Announcement, dump_announcement
from bitarm.wire.frames.envelope import seal
from bitarm.wire.status import Presence, load_status


def test_rewards_outside_the_bounds_fail_or_are_clipped_and_counted() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [7.0] * 4
    (failed,) = desk.step()
    assert load_status(failed.payload).presence is Presence.FAILED
    assert isinstance(desk.service.failure, RewardError)
    clipping = Desk(clip=True)
    clipping.join()
    clipping.ask()
    clipping.feed.there = [7.0] * 4
    first, *_ = clipping.step()  # before the report that they went into
    assert load_status(first.payload).clipped == 4


def test_a_mean_that_the_asked_code_does_not_reach_ends_it_with_the_reason() -> None:
    desk = Desk()
    desk.join()
    code = Nearest(centre=0.0, step=1e-300, divisor=1)
    request = Request(
        run=desk.request().run, arm=1, message=1, question=Question(until=4, code=code)
    )
    desk.hear(REQUESTS, wire.encode(request))
    desk.feed.there = [0.5] * 4
    status = status_in(desk.step())
    assert status.presence is Presence.FAILED
    assert "too far from 0 to quantize in steps of 1e-300" in status.reason
    assert desk.state.pulls == 0  # of what it could not tell nothing is kept


def test_another_seed_than_its_own_is_refused_with_both_shown() -> None:
    desk = Desk(seed=8)
    desk.join()
    assert isinstance(desk.service.failure, ConfigError)
    assert "runs with seed 7, this agent was set up for 8" in str(desk.service.failure)


@pytest.mark.parametrize("own", [(0.0, 2.0), (-1.0, 1.0)])
def test_other_bounds_than_its_own_are_refused_with_both_shown(own: Bounds) -> None:
    desk = Desk(bounds=own)
    status = status_in(desk.join())
    assert status.presence is Presence.FAILED
    assert "the learner takes rewards to lie in [0, 1]" in status.reason
    assert f"the problem file here says [{own[0]:g}, {own[1]:g}]" in status.reason
    assert isinstance(desk.service.failure, ConfigError)


def test_bounds_where_the_learner_has_none_are_refused_and_the_same_ones_taken() -> None:
    desk = Desk(bounds=(0.0, 1.0))
    desk.hear(RUNS, announced("first", bounds=None))
    assert "takes rewards to lie in no bounds" in str(desk.service.failure)
    same = Desk(bounds=(0.0, 1.0))
    same.join()
    assert same.service.failure is None


def test_a_question_for_more_pulls_than_it_makes_is_refused_counted_and_told() -> None:
    desk = Desk(most_pulls=100)
    desk.join()
    desk.feed.there = [0.5] * 1000
    said = desk.ask(1, until=101)
    assert desk.service.refusals.by_offender[REQUESTS] == 1
    assert answers_in(said) == []
    assert "asks for 101 pulls, this agent makes at most 100" in status_in(said).reason
    assert status_in(said).presence is Presence.PULLING
    assert desk.feed.there == [0.5] * 1000
    answered = desk.ask(1, until=100)  # the number was not used up
    assert answers_in(answered)
    assert status_in(desk.ask(2, until=201)).reason
    assert answers_in(desk.ask(2, until=200))  # 100 more
    assert status_in(desk.join(epoch=2)).reason == ""


def test_another_question_under_the_same_number_is_refused_and_the_first_stands() -> None:
    desk = Desk()
    desk.join()
    desk.ask(1, until=4)
    said = desk.ask(1, until=8)
    assert "first asked" in status_in(said).reason
    assert desk.service.refusals.total == 1
    desk.feed.there = [0.5] * 8
    assert answers_in(desk.step())
    assert desk.state.pulls == 4


def test_a_request_for_an_arm_that_is_not_served_here_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.join()
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        assert desk.ask(arm=2) == []
    assert "arm 2 is not served here" in caplog.text
    assert desk.service.refusals.by_offender == {REQUESTS: 1}


def test_a_request_of_another_run_is_refused() -> None:
    desk = Desk()
    desk.join()
    desk.opening = "other"
    assert answers_in(desk.ask()) == []
    assert desk.service.refusals.total == 1


def _with_step(step: bytes, until: int = 4) -> bytes:
    """A sound frame but for the step, which no encoder writes."""
    frame = wire.encode(Desk().request(until=until, code=Bins(low=0.0, step=0.375, bins=8)))
    sound = b"\x05\x06"  # 3 times 2^-3
    assert frame.count(sound) == 1
    return seal(frame[:-2].replace(sound, step))


@pytest.mark.parametrize("step", ["0000", "0200", "0300", "0002"])
def test_a_step_that_divides_nothing_is_refused(
    step: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk()
    desk.join()
    desk.feed.there = [0.5] * 8
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        assert answers_in(desk.hear(REQUESTS, _with_step(bytes.fromhex(step)))) == []
    assert desk.service.refusals.total == 1
    assert "step must be a finite number" in caplog.text or "no float is" in caplog.text
    # the frame is sound but for the step
    assert answers_in(desk.hear(REQUESTS, _with_step(b"\x01\x04")))


def test_a_question_in_a_code_that_nobody_knows_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.join()
    frame = bytearray(wire.encode(desk.request())[:-2])
    at = len(frame) - 1 - 2 - 2 - 1 - 1  # bins, step, low, until, then the question's byte
    assert frame[at] == 1
    frame[at] = 9
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        desk.hear(REQUESTS, seal(bytes(frame)))
    assert "no form of a question is called 09" in caplog.text
    assert desk.service.refusals.total == 1
    desk.feed.there = [0.5] * 4
    assert answers_in(desk.ask())


def test_a_frame_of_the_first_version_is_refused_with_what_to_do(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.join()
    old = seal(bytes.fromhex("0002000e0000000701020408"))
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        desk.hear(REQUESTS, old)
    assert "reads version 2, got version 1" in caplog.text
    assert "bring learner and agents to the same version" in caplog.text
    assert desk.service.refusals.total == 1


def test_an_announcement_that_is_too_large_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        said = desk.hear(RUNS, announced("first") + b" " * MOST_BYTES)
    assert status_in(said).opening is None
    assert f"an announcement has at most {MOST_BYTES} bytes" in caplog.text
    assert status_in(desk.join()).opening == "first"  # a sound one is taken afterwards


def test_an_arm_that_it_has_no_rewards_for_is_refused() -> None:
    def supply(name: str, arm: int, seed: int) -> RewardFeed:
        raise ConfigError(f"the problem file here knows no {name}")

    service = AgentService(run=RUN, agent="gw", supply=supply, keeper=MemoryKeeper())
    service.received(RUNS, announced("first"))
    (said,) = service.step(0.0)
    assert load_status(said.payload).presence is Presence.FAILED
    assert "knows no arm-1" in load_status(said.payload).reason
    assert isinstance(service.failure, ConfigError)


@pytest.mark.parametrize(
    ("memory", "why"),
    [
        (AgentMemory(opening="first", agent="other", life="x"), "the memory here is agent other's"),
        (
            AgentMemory(opening="first", agent="gw", life="x", arms={0: AgentState()}),
            r"of arms [0], and the learner asks agent gw to serve arms [1]",
        ),
    ],
)
def test_a_memory_that_is_not_its_own_is_refused_with_what_to_do(
    memory: AgentMemory, why: str
) -> None:
    keeper = MemoryKeeper()
    keeper.memory = memory
    desk = Desk(keeper)
    status = status_in(desk.join())
    assert status.presence is Presence.FAILED
    assert why in status.reason
    assert "or remove it, and the agent begins anew" in status.reason
    assert isinstance(desk.service.failure, StoreError)
    assert keeper.memory == memory


def test_whatever_comes_as_a_request_it_neither_fails_nor_forgets() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    for payload in frames(random.Random(1), 3000, run_of_opening("first")):
        desk.hear(REQUESTS, payload)
    assert (desk.service.failure, desk.service.finished) == (None, False)
    assert desk.state.pulls == 0
    desk.join(epoch=2)  # forged questions may have used up all numbers: another epoch has its own
    desk.ask(epoch=2)
    desk.feed.there = [0.5] * 4
    assert len(answers_in(desk.step())) == 1


def test_whatever_comes_as_an_announcement_ends_in_a_refusal_at_worst() -> None:
    desk = Desk()
    joined = 0
    announcement = Announcement(opening="x", epoch=1, arms={1: "arm-1"}, bounds=(0.0, 1.0), seed=7)
    for payload in texts(random.Random(1), 1000, [dump_announcement(announcement)]):
        desk.hear(RUNS, payload)
        joined += desk.keeper.memory is not None
        if desk.service.finished:  # another name for the arm, or another seed
            assert isinstance(desk.service.failure, ConfigError)
        if desk.service.finished or desk.keeper.memory is not None:
            desk = Desk()
    assert 0 < joined < 500
