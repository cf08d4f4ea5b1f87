"""The agent's service: joining, live rewards and their crashes, and requests from anybody."""

import logging
import math
import random
import struct
from collections.abc import Sequence

import pytest
from fuzzing import frames, texts
from wires import RUN, MemoryKeeper

from bitarm import wire
from bitarm.core.agent import AgentState
from bitarm.core.codes import Bins, Nearest
from bitarm.core.epochs import run_field, run_of_opening
from bitarm.core.messages import Cause, Dismiss, Position, Report, Request
from bitarm.core.quantizer import Bounds
from bitarm.core.question import Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import ConfigError, RewardError, StoreError
from bitarm.rewards.feeds import RewardFeed
from bitarm.runtime.agent.memory import AgentMemory
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.service import Publication
from bitarm.wire.announcement import MOST_BYTES, Announcement, dump_announcement
from bitarm.wire.frames.envelope import seal
from bitarm.wire.status import Presence, Status, dump_status, load_status
from bitarm.wire.topics import LEARNER, Subject, Topics

_TOPICS = Topics(RUN)
_REQUESTS = _TOPICS.of("gw", Subject.REQUEST)
_RUNS = _TOPICS.of("gw", Subject.RUN)
_LEARNER = _TOPICS.of(LEARNER, Subject.STATUS)
_BINS = Bins(low=0.0, step=0.125, bins=8)
_NAMES = {0: "arm-0", 1: "arm-1", 2: "arm-2"}


class LiveFeed:
    """Rewards that come when the test says so, and never again."""

    live = True

    def __init__(self) -> None:
        self.there: list[float] = []
        self.resting = 0

    def skip(self, count: int) -> None:
        """What is past cannot be had again."""

    def take(self, most: int) -> Sequence[float]:
        taken, self.there = self.there[:most], self.there[most:]
        return taken

    def rest(self) -> None:
        self.resting += 1


class Desk:
    """An agent and its wire, by hand."""

    def __init__(
        self,
        keeper: MemoryKeeper | None = None,
        *,
        clip: bool = False,
        bounds: Bounds | None = None,
        seed: int | None = None,
        most_pulls: int = MAX_PULLS,
    ) -> None:
        self.keeper = keeper or MemoryKeeper()
        self.feed = LiveFeed()
        self.service = AgentService(
            run=RUN,
            agent="gw",
            supply=self._supply,
            keeper=self.keeper,
            clip=clip,
            bounds=bounds,
            seed=seed,
            most_pulls=most_pulls,
        )
        self.now = 0.0
        self.opening = "first"
        self.service.connected(0.0)

    def _supply(self, name: str, arm: int, seed: int) -> RewardFeed:
        if _NAMES.get(arm) != name:
            raise ConfigError(f"there is no {name} here")
        return self.feed

    def hear(self, topic: str, payload: bytes) -> list[Publication]:
        self.service.received(topic, payload)
        return self.step()

    def step(self) -> list[Publication]:
        self.now += 1.0
        return list(self.service.step(self.now))

    def join(
        self,
        opening: str = "first",
        arms: tuple[int, ...] = (1,),
        epoch: int = 1,
        report_bytes: int = 51,
    ) -> list[Publication]:
        self.opening = opening
        announcement = Announcement(
            opening=opening,
            epoch=epoch,
            arms={arm: _NAMES[arm] for arm in arms},
            bounds=(0.0, 1.0),
            seed=7,
            report_bytes=report_bytes,
        )
        return self.hear(_RUNS, dump_announcement(announcement))

    def request(
        self, message: int = 1, until: int = 4, *, epoch: int = 1, arm: int = 1, code: Bins = _BINS
    ) -> Request:
        field = run_field(run_of_opening(self.opening), epoch)
        question = Question(until=until, code=code)
        return Request(run=field, arm=arm, message=message, question=question)

    def ask(
        self, message: int = 1, until: int = 4, *, epoch: int = 1, arm: int = 1
    ) -> list[Publication]:
        request = self.request(message, until, epoch=epoch, arm=arm)
        return self.hear(_REQUESTS, wire.encode(request))

    def dismiss(self, cause: Cause = Cause.DROPPED, epoch: int = 1) -> list[Publication]:
        field = run_field(run_of_opening(self.opening), epoch)
        return self.hear(_REQUESTS, wire.encode(Dismiss(run=field, arm=1, cause=cause)))

    @property
    def state(self) -> AgentState:
        """Of arm 1, as the memory has it."""
        assert self.keeper.memory is not None
        return self.keeper.memory.arms[1]


def _status(said: list[Publication]) -> Status:
    (status,) = [
        publication for publication in said if publication.topic == _TOPICS.of("gw", Subject.STATUS)
    ]
    return load_status(status.payload)


def _answers(said: list[Publication]) -> list[Report | Position]:
    return [
        message
        for publication in said
        if publication.topic == _TOPICS.of("gw", Subject.REPORT)
        for message in wire.decode(publication.payload)
        if isinstance(message, Report | Position)
    ]


def test_it_says_that_it_is_there_and_then_for_which_run() -> None:
    desk = Desk()
    first = _status(desk.step())
    assert first == Status(presence=Presence.ONLINE, boot=first.boot)
    assert first.boot
    joined = _status(desk.join(epoch=5))
    assert (joined.opening, joined.epoch, joined.pulls) == ("first", 5, {1: 0})
    assert joined.boot == first.boot
    assert joined.life


def test_two_processes_have_two_names_and_one_memory_has_one_life() -> None:
    desk = Desk()
    first = _status(desk.join())
    second = _status(Desk(desk.keeper).join())
    assert first.boot != second.boot
    assert first.life == second.life
    assert _status(Desk().join()).life != first.life


def test_a_report_is_in_the_memory_before_it_is_said() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.5] * 4
    (report,) = _answers(desk.step())
    assert isinstance(report, Report)
    assert desk.state.symbol == report.symbol


def test_the_status_that_tells_the_count_comes_before_the_answer() -> None:
    """A new process: what it remembers must be known before what it says can count."""
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.5] * 4
    desk.step()
    again = Desk(desk.keeper)
    again.service.received(_RUNS, _announced("first"))
    again.service.received(_REQUESTS, wire.encode(again.request()))
    first, second = again.step()
    assert load_status(first.payload).pulls == {1: 4}
    assert _answers([second])


def _announced(opening: str, epoch: int = 1, bounds: Bounds | None = (0.0, 1.0)) -> bytes:
    announcement = Announcement(
        opening=opening, epoch=epoch, arms={1: "arm-1"}, bounds=bounds, seed=7
    )
    return dump_announcement(announcement)


def test_a_report_that_the_link_does_not_carry_ends_the_agent() -> None:
    desk = Desk()
    desk.join(report_bytes=10)
    desk.ask()
    desk.feed.there = [0.5] * 4
    status = _status(desk.step())
    assert status.presence is Presence.FAILED
    assert "the run's link does not carry an answer: a frame must have at most 10" in status.reason
    assert isinstance(desk.service.failure, ConfigError)


def test_a_restart_says_the_same_symbol_again() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.9] * 4
    (said,) = desk.step()
    again = Desk(desk.keeper)
    again.join()
    assert said.payload in [publication.payload for publication in again.ask()]


def test_a_live_batch_that_a_crash_cut_short_is_counted() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.5] * 2
    desk.step()
    again = _status(Desk(desk.keeper).join())  # without a farewell
    assert (again.presence, again.opening) == (Presence.ONLINE, "first")
    assert (again.restarts, again.discarded) == (1, 1)


def test_one_that_was_stopped_in_order_loses_nothing() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.25, 0.75]
    desk.step()
    (farewell,) = desk.service.stop()
    assert load_status(farewell.payload).presence is Presence.OFFLINE
    again = Desk(desk.keeper)
    assert _status(again.join()).discarded == 0
    again.feed.there = [0.5, 0.5]
    assert len(_answers(again.step())) == 1  # four rewards in all


def test_another_opening_begins_afresh_even_with_the_same_settings() -> None:
    desk = Desk()
    before = _status(desk.join())
    desk.ask()
    desk.feed.there = [0.5] * 4
    desk.step()
    status = _status(desk.join("second"))
    assert (status.restarts, status.pulls) == (0, {1: 0})
    assert status.life != before.life
    desk.ask()
    desk.feed.there = [0.5] * 4
    assert _answers(desk.step())


def test_asked_again_while_it_pulls_it_says_that_it_is_at_it() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    assert _status(desk.ask()).presence is Presence.PULLING


def test_dismissed_it_stops_pulling_says_so_and_is_finished() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    done, cleared = desk.dismiss()
    assert load_status(done.payload).presence is Presence.DONE
    assert (cleared.payload, cleared.retain) == (b"", True)
    assert desk.service.finished
    assert desk.feed.resting
    assert desk.service.causes_by_name == {"arm-1": Cause.DROPPED}


def _learner_is(presence: Presence, opening: str = "first", epoch: int = 1) -> bytes:
    return dump_status(Status(presence=presence, opening=opening, epoch=epoch, boot="learner"))


def test_the_end_of_its_run_is_an_end_and_that_of_another_is_not() -> None:
    desk = Desk()
    desk.join()
    desk.hear(_LEARNER, _learner_is(Presence.DONE, "other"))
    desk.hear(_LEARNER, _learner_is(Presence.ONLINE))
    desk.hear(_LEARNER, _learner_is(Presence.OFFLINE))
    desk.hear(_LEARNER, b"")
    assert not desk.service.finished
    desk.hear(_LEARNER, _learner_is(Presence.DONE))
    assert desk.service.finished
    assert desk.service.causes_by_name == {"arm-1": Cause.ENDED}


def test_one_that_comes_back_after_the_end_learns_of_it() -> None:
    desk = Desk()
    desk.join()
    again = Desk(desk.keeper)
    done, cleared = again.hear(_LEARNER, _learner_is(Presence.DONE))
    assert load_status(done.payload).presence is Presence.DONE
    assert (cleared.payload, cleared.retain) == (b"", True)
    assert again.service.finished


def test_the_end_that_a_learner_of_an_earlier_epoch_tells_is_none() -> None:
    """A learner that was taken for dead ends its run; its successor goes on with it."""
    desk = Desk()
    desk.join(epoch=2)
    desk.hear(_LEARNER, _learner_is(Presence.DONE, epoch=1))
    assert not desk.service.finished
    again = Desk(desk.keeper)
    again.hear(_LEARNER, _learner_is(Presence.DONE, epoch=1))
    assert not again.service.finished
    desk.hear(_LEARNER, _learner_is(Presence.DONE, epoch=2))
    assert desk.service.finished


# -- epochs ---------------------------------------------------------------------------------------


def test_a_later_epoch_voids_numbers_and_answers_and_keeps_the_rewards() -> None:
    desk = Desk()
    desk.join()
    desk.ask(1)
    desk.feed.there = [0.5] * 4
    desk.step()
    assert _status(desk.join(epoch=2)).answered == 0
    assert (desk.state.epoch, desk.state.pulls, desk.state.message) == (2, 4, 0)
    (answer,) = _answers(desk.ask(1, epoch=2))  # until 4 again, and 4 were made
    assert isinstance(answer, Report)
    assert desk.ask(2, epoch=1) != []  # of an epoch that is over: it is told of the later one
    assert desk.state.message == 1


def test_who_speaks_in_an_epoch_that_is_over_is_told_and_not_obeyed() -> None:
    desk = Desk()
    desk.join(epoch=3)
    said = desk.ask(1, epoch=2)
    assert _answers(said) == []
    assert _status(said).epoch == 3
    assert desk.dismiss(epoch=2) != []
    assert not desk.service.finished


def test_an_answer_of_an_epoch_that_is_over_is_not_sent_any_more() -> None:
    desk = Desk()
    desk.join(arms=(1, 2))
    desk.feed.there = [0.5] * 4
    desk.ask(1)  # answered, but arm 2 is asked too
    desk.service.received(_REQUESTS, wire.encode(desk.request(2)))
    desk.service.received(_REQUESTS, wire.encode(desk.request(1, arm=2)))
    desk.service.received(_RUNS, _both_arms(epoch=2))
    assert _answers(desk.step()) == []


def _both_arms(epoch: int) -> bytes:
    arms = {1: "arm-1", 2: "arm-2"}
    announcement = Announcement(opening="first", epoch=epoch, arms=arms, bounds=(0.0, 1.0), seed=7)
    return dump_announcement(announcement)


def test_an_epoch_that_jumps_is_taken_if_it_is_ahead_and_not_if_it_is_behind() -> None:
    desk = Desk()
    desk.join(epoch=1)
    desk.feed.there = [0.5] * 4
    assert _answers(desk.ask(1, epoch=128))  # the farthest that is still ahead
    assert desk.state.epoch == 128
    assert _answers(desk.ask(1, until=8, epoch=1)) == []  # 129 ahead is 127 behind
    assert desk.state.epoch == 128


def test_asked_for_less_than_it_has_it_says_how_much_that_is() -> None:
    desk = Desk()
    desk.join()
    desk.ask(1, until=8)
    desk.feed.there = [0.5] * 8
    desk.step()
    desk.join(epoch=2)
    (answer,) = _answers(desk.ask(1, until=4, epoch=2))
    assert isinstance(answer, Position)
    assert answer.pulls == 8
    assert _answers(Desk(desk.keeper).join(epoch=2)) == []  # nobody asked that process yet


# -- what it refuses ------------------------------------------------------------------------------


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
    desk.hear(_REQUESTS, wire.encode(request))
    desk.feed.there = [0.5] * 4
    status = _status(desk.step())
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
    status = _status(desk.join())
    assert status.presence is Presence.FAILED
    assert "the learner takes rewards to lie in [0, 1]" in status.reason
    assert f"the problem file here says [{own[0]:g}, {own[1]:g}]" in status.reason
    assert isinstance(desk.service.failure, ConfigError)


def test_bounds_where_the_learner_has_none_are_refused_and_the_same_ones_taken() -> None:
    desk = Desk(bounds=(0.0, 1.0))
    desk.hear(_RUNS, _announced("first", bounds=None))
    assert "takes rewards to lie in no bounds" in str(desk.service.failure)
    same = Desk(bounds=(0.0, 1.0))
    same.join()
    assert same.service.failure is None


def test_a_question_for_more_pulls_than_it_makes_is_refused_counted_and_told() -> None:
    desk = Desk(most_pulls=100)
    desk.join()
    desk.feed.there = [0.5] * 1000
    said = desk.ask(1, until=101)
    assert desk.service.refusals.by_offender[_REQUESTS] == 1
    assert _answers(said) == []
    assert "asks for 101 pulls, this agent makes at most 100" in _status(said).reason
    assert _status(said).presence is Presence.PULLING
    assert desk.feed.there == [0.5] * 1000
    answered = desk.ask(1, until=100)  # the number was not used up
    assert _answers(answered)
    assert _status(desk.ask(2, until=201)).reason
    assert _answers(desk.ask(2, until=200))  # 100 more
    assert _status(desk.join(epoch=2)).reason == ""


def test_another_question_under_the_same_number_is_refused_and_the_first_stands() -> None:
    desk = Desk()
    desk.join()
    desk.ask(1, until=4)
    said = desk.ask(1, until=8)
    assert "first asked" in _status(said).reason
    assert desk.service.refusals.total == 1
    desk.feed.there = [0.5] * 8
    assert _answers(desk.step())
    assert desk.state.pulls == 4


def test_a_request_for_an_arm_that_is_not_served_here_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.join()
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        assert desk.ask(arm=2) == []
    assert "arm 2 is not served here" in caplog.text
    assert desk.service.refusals.by_offender == {_REQUESTS: 1}


def test_a_request_of_another_run_is_refused() -> None:
    desk = Desk()
    desk.join()
    desk.opening = "other"
    assert _answers(desk.ask()) == []
    assert desk.service.refusals.total == 1


def _with_step(step: float, until: int = 4) -> bytes:
    """A sound frame but for the step, which no encoder writes."""
    frame = wire.encode(Desk().request(until=until, code=Bins(low=0.0, step=0.375, bins=8)))
    (sound, other) = (struct.pack(">d", 0.375), struct.pack(">d", step))
    assert frame.count(sound) == 1
    return seal(frame[:-2].replace(sound, other))


@pytest.mark.parametrize("step", [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf])
def test_a_step_that_divides_nothing_is_refused(
    step: float, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk()
    desk.join()
    desk.feed.there = [0.5] * 8
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        assert _answers(desk.hear(_REQUESTS, _with_step(step))) == []
    assert desk.service.refusals.total == 1
    assert "step must be a finite number" in caplog.text or "step of zero" in caplog.text
    assert _answers(desk.hear(_REQUESTS, _with_step(0.25)))  # the frame is sound but for the step


def test_a_question_in_a_code_that_nobody_knows_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.join()
    frame = bytearray(wire.encode(desk.request())[:-2])
    at = len(frame) - 1 - 8 - 8 - 1 - 1  # bins, step, low, until, then the question's byte
    assert frame[at] == 1
    frame[at] = 9
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        desk.hear(_REQUESTS, seal(bytes(frame)))
    assert "a question's code must be 1 to 4, got 09" in caplog.text
    assert desk.service.refusals.total == 1
    desk.feed.there = [0.5] * 4
    assert _answers(desk.ask())


def test_a_frame_of_the_first_version_is_refused_with_what_to_do(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.join()
    old = seal(bytes.fromhex("0002000e0000000701020408"))
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        desk.hear(_REQUESTS, old)
    assert "reads version 2, got version 1" in caplog.text
    assert "bring learner and agents to the same version" in caplog.text
    assert desk.service.refusals.total == 1


def test_an_announcement_that_is_too_large_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        said = desk.hear(_RUNS, _announced("first") + b" " * MOST_BYTES)
    assert _status(said).opening is None
    assert f"an announcement has at most {MOST_BYTES} bytes" in caplog.text
    assert _status(desk.join()).opening == "first"  # a sound one is taken afterwards


def test_an_arm_that_it_has_no_rewards_for_is_refused() -> None:
    def supply(name: str, arm: int, seed: int) -> RewardFeed:
        raise ConfigError(f"the problem file here knows no {name}")

    service = AgentService(run=RUN, agent="gw", supply=supply, keeper=MemoryKeeper())
    service.received(_RUNS, _announced("first"))
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
    status = _status(desk.join())
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
        desk.hear(_REQUESTS, payload)
    assert (desk.service.failure, desk.service.finished) == (None, False)
    assert desk.state.pulls == 0
    desk.join(epoch=2)  # forged questions may have used up all numbers: another epoch has its own
    desk.ask(epoch=2)
    desk.feed.there = [0.5] * 4
    assert len(_answers(desk.step())) == 1


def test_whatever_comes_as_an_announcement_ends_in_a_refusal_at_worst() -> None:
    desk = Desk()
    joined = 0
    for payload in texts(random.Random(1), 1000, {1: "arm-1"}):
        desk.hear(_RUNS, payload)
        joined += desk.keeper.memory is not None
        if desk.service.finished:  # another name for the arm, or another seed
            assert isinstance(desk.service.failure, ConfigError)
        if desk.service.finished or desk.keeper.memory is not None:
            desk = Desk()
    assert 0 < joined < 500


def test_a_process_that_is_set_back_says_so_before_it_answers() -> None:
    """As a machine is that goes on from an earlier snapshot: no file was lost, and none restarted.

    It answered questions that it knows nothing of. From then on it is another process.
    """
    desk = Desk()
    first = _status(desk.join())
    desk.feed.there = [1.0] * 4
    desk.ask(1, 4)
    part = desk.service._part
    assert part is not None
    earlier = part.machines[1].state
    desk.feed.there = [0.0] * 4
    desk.ask(2, 8)
    part.machines[1].state = earlier  # the snapshot
    desk.feed.there = [1.0] * 12
    said = desk.ask(3, 16)
    status = _status(said[:1])
    assert status.boot != first.boot
    assert status.life == first.life
    assert [start.boot for start in status.before] == [first.boot]
    assert status.pulls == {1: 4}
    assert [answer.message for answer in _answers(said[1:])] == [3]


def test_a_gateway_admits_once_what_one_frame_shows() -> None:
    desk = Desk()
    first = _status(desk.join(arms=(0, 1, 2)))
    asked = [desk.request(5, 4, arm=arm) for arm in (0, 1, 2)]
    desk.feed.there = [1.0] * 12
    said = desk.hear(_REQUESTS, wire.pack(asked))
    status = _status([publication for publication in said if publication.retain])
    assert [start.boot for start in status.before] == [first.boot]
    assert status.pulls == {0: 0, 1: 0, 2: 0}
    assert len(_answers(said)) == 3
