"""The agent's service: joining, live rewards and their crashes, what is said before what."""

from runtime.agent.desk import REQUESTS, RUNS, Desk, announced, answers_in, status_in

from bitarm import wire
from bitarm.core.messages import Cause, Report
from bitarm.errors import ConfigError
from bitarm.wire.status import Presence, Status, load_status


def test_it_says_that_it_is_there_and_then_for_which_run() -> None:
    desk = Desk()
    first = status_in(desk.step())
    assert first == Status(presence=Presence.ONLINE, boot=first.boot)
    assert first.boot
    joined = status_in(desk.join(epoch=5))
    assert (joined.opening, joined.epoch, joined.pulls) == ("first", 5, {1: 0})
    assert joined.boot == first.boot
    assert joined.life


def test_two_processes_have_two_names_and_one_memory_has_one_life() -> None:
    desk = Desk()
    first = status_in(desk.join())
    second = status_in(Desk(desk.keeper).join())
    assert first.boot != second.boot
    assert first.life == second.life
    assert status_in(Desk().join()).life != first.life


def test_a_report_is_in_the_memory_before_it_is_said() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    desk.feed.there = [0.5] * 4
    (report,) = answers_in(desk.step())
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
    again.service.received(RUNS, announced("first"))
    again.service.received(REQUESTS, wire.encode(again.request()))
    first, second = again.step()
    assert load_status(first.payload).pulls == {1: 4}
    assert answers_in([second])


def test_a_report_that_the_link_does_not_carry_ends_the_agent() -> None:
    desk = Desk()
    desk.join(report_bytes=10)
    desk.ask()
    desk.feed.there = [0.5] * 4
    status = status_in(desk.step())
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
    again = status_in(Desk(desk.keeper).join())  # without a farewell
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
    assert status_in(again.join()).discarded == 0
    again.feed.there = [0.5, 0.5]
    assert len(answers_in(again.step())) == 1  # four rewards in all


def test_another_opening_begins_afresh_even_with_the_same_settings() -> None:
    desk = Desk()
    before = status_in(desk.join())
    desk.ask()
    desk.feed.there = [0.5] * 4
    desk.step()
    status = status_in(desk.join("second"))
    assert (status.restarts, status.pulls) == (0, {1: 0})
    assert status.life != before.life
    desk.ask()
    desk.feed.there = [0.5] * 4
    assert answers_in(desk.step())


def test_asked_again_while_it_pulls_it_says_that_it_is_at_it() -> None:
    desk = Desk()
    desk.join()
    desk.ask()
    assert status_in(desk.ask()).presence is Presence.PULLING


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
