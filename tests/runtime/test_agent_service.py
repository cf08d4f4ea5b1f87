"""The agent's service: joining, live rewards and their crashes, and requests from anybody."""

import random
from collections.abc import Sequence

from fuzzing import frames, texts
from tapes import make_spec
from wires import RUN, MemoryKeeper

from bitarm import wire
from bitarm.core.messages import Cause, Dismiss, Report, Request
from bitarm.core.quantizers import Icq
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError, RewardError
from bitarm.runtime.agent_service import AgentService
from bitarm.runtime.announcement import Ended, Opened, dump_announcement
from bitarm.runtime.feeds import Feed
from bitarm.runtime.service import Publication
from bitarm.runtime.status import Presence, Status, load_status
from bitarm.runtime.topics import Kind, Topics

_SPEC = make_spec(arms=3, quantizer=Icq(bits=3, prior="midpoint"))
_TOPICS = Topics(RUN)
_REQUESTS = _TOPICS.of("gw", Kind.REQUEST)


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

    def __init__(self, keeper: MemoryKeeper | None = None, *, clip: bool = False) -> None:
        self.keeper = keeper or MemoryKeeper()
        self.feed = LiveFeed()
        self.service = AgentService(
            run=RUN, agent="gw", supply=self._supply, keeper=self.keeper, clip=clip
        )
        self.now = 0.0
        self.service.connected(0.0)

    def _supply(self, spec: RunSpec, arm: int) -> Feed:
        return self.feed

    def hear(self, topic: str, payload: bytes) -> list[Publication]:
        self.service.received(topic, payload)
        return self.step()

    def step(self) -> list[Publication]:
        self.now += 1.0
        return list(self.service.step(self.now))

    def join(self, opening: str = "first", arms: tuple[int, ...] = (1,)) -> list[Publication]:
        opened = Opened(opening=opening, spec=_SPEC, agents={"gw": arms})
        return self.hear(_TOPICS.spec, dump_announcement(opened))

    def ask(self, message: int = 1, until: int = 4) -> list[Publication]:
        request = Request(run=_SPEC.fingerprint, arm=1, message=message, until=until)
        return self.hear(_REQUESTS, wire.encode(request))


def _status(said: list[Publication]) -> Status:
    (status,) = [it for it in said if it.topic == _TOPICS.of("gw", Kind.STATUS)]
    return load_status(status.payload)


def test_it_says_that_it_is_there_and_then_for_which_run() -> None:
    desk = Desk()
    assert _status(desk.step()) == Status(presence=Presence.ONLINE)
    assert _status(desk.join()).opening == "first"


def test_a_report_is_in_the_memory_before_it_is_said() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.5] * 4
    (said,) = desk.step()
    (report,) = wire.decode(said.payload)
    assert isinstance(report, Report)
    assert desk.keeper.memory is not None
    assert desk.keeper.memory.arms[1].symbol == report.symbol


def test_a_report_that_the_link_does_not_carry_ends_the_agent() -> None:
    desk = Desk()
    opened = Opened(opening="first", spec=_SPEC, agents={"gw": (1,)}, report_bytes=10)
    desk.hear(_TOPICS.spec, dump_announcement(opened))
    desk.ask()
    desk.feed.there = [0.5] * 4
    status = _status(desk.step())
    assert status.presence is Presence.FAILED
    assert "the run's link does not carry a report: a frame must have at most 10" in status.reason
    assert isinstance(desk.service.failure, ConfigError)


def test_a_restart_says_the_same_symbol_again() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.9] * 4
    (said,) = desk.step()
    again = Desk(desk.keeper)
    again.join()
    assert said.payload in [it.payload for it in again.ask()]


def test_a_live_batch_that_a_crash_cut_short_is_counted() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.5] * 2
    desk.step()
    again = Desk(desk.keeper)  # without a farewell
    assert _status(again.join()) == Status(
        presence=Presence.ONLINE, opening="first", restarts=1, discarded=1
    )


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
    said = again.step()
    assert len(wire.decode(said[-1].payload)) == 1  # four rewards in all


def test_another_opening_begins_afresh_even_with_the_same_settings() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.5] * 4
    desk.step()
    assert _status(desk.join("second")).restarts == 0
    desk.ask()
    desk.feed.there = [0.5] * 4
    assert desk.step()


def test_asked_again_while_it_pulls_it_says_that_it_is_at_it() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    assert _status(desk.ask()).presence is Presence.PULLING


def test_dismissed_it_stops_pulling_says_so_and_is_finished() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    dismiss = Dismiss(run=_SPEC.fingerprint, arm=1, cause=Cause.DROPPED)
    done, cleared = desk.hear(_REQUESTS, wire.encode(dismiss))
    assert load_status(done.payload).presence is Presence.DONE
    assert (cleared.payload, cleared.retain) == (b"", True)
    assert desk.service.finished
    assert desk.feed.resting
    assert desk.service.causes_by_name == {"arm-1": Cause.DROPPED}


def test_the_end_of_its_run_is_an_end_and_that_of_another_is_not() -> None:
    desk = Desk()
    desk.join()
    desk.hear(_TOPICS.spec, dump_announcement(Ended(opening="other")))
    assert not desk.service.finished
    desk.hear(_TOPICS.spec, dump_announcement(Ended(opening="first")))
    assert desk.service.finished


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


def test_a_run_that_does_not_know_it_is_refused() -> None:
    desk = Desk()
    opened = Opened(opening="first", spec=_SPEC, agents={"other": (0,)})
    desk.hear(_TOPICS.spec, dump_announcement(opened))
    assert isinstance(desk.service.failure, ConfigError)
    assert "this run has no agent 'gw'; it has other" in str(desk.service.failure)


def test_another_run_than_expected_is_refused_with_both_shown() -> None:
    service = AgentService(
        run=RUN, agent="gw", supply=lambda *_: LiveFeed(), keeper=MemoryKeeper(), fingerprint=1
    )
    opened = Opened(opening="first", spec=_SPEC, agents={"gw": (0,)})
    service.received(_TOPICS.spec, dump_announcement(opened))
    list(service.step(0.0))
    assert f"the learner runs {_SPEC.fingerprint:08x}" in str(service.failure)
    assert "00000001" in str(service.failure)


def test_whatever_comes_as_a_request_it_neither_fails_nor_forgets() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    for payload in frames(random.Random(1), 3000, _SPEC):
        desk.hear(_REQUESTS, payload)
    assert (desk.service.failure, desk.service.finished) == (None, False)
    desk.feed.there = [0.5] * 4
    assert any(it.topic == _TOPICS.of("gw", Kind.REPORT) for it in desk.step())


def test_whatever_comes_as_an_announcement_ends_in_a_refusal_at_worst() -> None:
    desk = Desk()
    for payload in texts(random.Random(1), 1000, _SPEC):
        desk.hear(_TOPICS.spec, payload)
        if desk.service.finished:  # a sound one in which this agent is not named
            assert isinstance(desk.service.failure, ConfigError)
            desk = Desk()
