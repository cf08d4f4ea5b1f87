"""Ends, epochs and positions, as an agent hears and tells of them."""

from runtime.agent.desk import LEARNER_STATUS, REQUESTS, RUNS, Desk, answers_in, status_in

from bitarm import wire
from bitarm.core.messages import Cause, Position, Report
from bitarm.wire.announcement import Announcement, dump_announcement
from bitarm.wire.status import Presence, Status, dump_status, load_status


def _learner_is(presence: Presence, opening: str = "first", epoch: int = 1) -> bytes:
    return dump_status(Status(presence=presence, opening=opening, epoch=epoch, boot="learner"))


def test_the_end_of_its_run_is_an_end_and_that_of_another_is_not() -> None:
    desk = Desk()
    desk.join()
    desk.hear(LEARNER_STATUS, _learner_is(Presence.DONE, "other"))
    desk.hear(LEARNER_STATUS, _learner_is(Presence.ONLINE))
    desk.hear(LEARNER_STATUS, _learner_is(Presence.OFFLINE))
    desk.hear(LEARNER_STATUS, b"")
    assert not desk.service.finished
    desk.hear(LEARNER_STATUS, _learner_is(Presence.DONE))
    assert desk.service.finished
    assert desk.service.causes_by_name == {"arm-1": Cause.ENDED}


def test_one_that_comes_back_after_the_end_learns_of_it() -> None:
    desk = Desk()
    desk.join()
    again = Desk(desk.keeper)
    done, cleared = again.hear(LEARNER_STATUS, _learner_is(Presence.DONE))
    assert load_status(done.payload).presence is Presence.DONE
    assert (cleared.payload, cleared.retain) == (b"", True)
    assert again.service.finished


def test_the_end_that_a_learner_of_an_earlier_epoch_tells_is_none() -> None:
    """A learner that was taken for dead ends its run; its successor goes on with it."""
    desk = Desk()
    desk.join(epoch=2)
    desk.hear(LEARNER_STATUS, _learner_is(Presence.DONE, epoch=1))
    assert not desk.service.finished
    again = Desk(desk.keeper)
    again.hear(LEARNER_STATUS, _learner_is(Presence.DONE, epoch=1))
    assert not again.service.finished
    desk.hear(LEARNER_STATUS, _learner_is(Presence.DONE, epoch=2))
    assert desk.service.finished


# -- epochs ---------------------------------------------------------------------------------------


def test_a_later_epoch_voids_numbers_and_answers_and_keeps_the_rewards() -> None:
    desk = Desk()
    desk.join()
    desk.ask(1)
    desk.feed.there = [0.5] * 4
    desk.step()
    assert status_in(desk.join(epoch=2)).answered == 0
    assert (desk.state.epoch, desk.state.pulls, desk.state.message) == (2, 4, 0)
    (answer,) = answers_in(desk.ask(1, epoch=2))  # until 4 again, and 4 were made
    assert isinstance(answer, Report)
    assert desk.ask(2, epoch=1) != []  # of an epoch that is over: it is told of the later one
    assert desk.state.message == 1


def test_who_speaks_in_an_epoch_that_is_over_is_told_and_not_obeyed() -> None:
    desk = Desk()
    desk.join(epoch=3)
    said = desk.ask(1, epoch=2)
    assert answers_in(said) == []
    assert status_in(said).epoch == 3
    assert desk.dismiss(epoch=2) != []
    assert not desk.service.finished


def test_an_answer_of_an_epoch_that_is_over_is_not_sent_any_more() -> None:
    desk = Desk()
    desk.join(arms=(1, 2))
    desk.feed.there = [0.5] * 4
    desk.ask(1)  # answered, but arm 2 is asked too
    desk.service.received(REQUESTS, wire.encode(desk.request(2)))
    desk.service.received(REQUESTS, wire.encode(desk.request(1, arm=2)))
    desk.service.received(RUNS, _both_arms(epoch=2))
    assert answers_in(desk.step()) == []


def _both_arms(epoch: int) -> bytes:
    arms = {1: "arm-1", 2: "arm-2"}
    announcement = Announcement(opening="first", epoch=epoch, arms=arms, bounds=(0.0, 1.0), seed=7)
    return dump_announcement(announcement)


def test_an_epoch_that_jumps_is_taken_if_it_is_ahead_and_not_if_it_is_behind() -> None:
    desk = Desk()
    desk.join(epoch=1)
    desk.feed.there = [0.5] * 4
    assert answers_in(desk.ask(1, epoch=128))  # the farthest that is still ahead
    assert desk.state.epoch == 128
    assert answers_in(desk.ask(1, until=8, epoch=1)) == []  # 129 ahead is 127 behind
    assert desk.state.epoch == 128


def test_asked_for_less_than_it_has_it_says_how_much_that_is() -> None:
    desk = Desk()
    desk.join()
    desk.ask(1, until=8)
    desk.feed.there = [0.5] * 8
    desk.step()
    desk.join(epoch=2)
    (answer,) = answers_in(desk.ask(1, until=4, epoch=2))
    assert isinstance(answer, Position)
    assert answer.pulls == 8
    assert answers_in(Desk(desk.keeper).join(epoch=2)) == []  # nobody asked that process yet


# -- what it refuses ------------------------------------------------------------------------------


def test_a_process_that_is_set_back_says_so_before_it_answers() -> None:
    """As a machine is that goes on from an earlier snapshot: no file was lost, and none restarted.

    It answered questions that it knows nothing of. From then on it is another process.
    """
    desk = Desk()
    first = status_in(desk.join())
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
    status = status_in(said[:1])
    assert status.boot != first.boot
    assert status.life == first.life
    assert [start.boot for start in status.before] == [first.boot]
    assert status.pulls == {1: 4}
    assert [answer.message for answer in answers_in(said[1:])] == [3]


def test_a_gateway_admits_once_what_one_frame_shows() -> None:
    desk = Desk()
    first = status_in(desk.join(arms=(0, 1, 2)))
    asked = [desk.request(5, 4, arm=arm) for arm in (0, 1, 2)]
    desk.feed.there = [1.0] * 12
    said = desk.hear(REQUESTS, wire.pack(asked))
    status = status_in([publication for publication in said if publication.retain])
    assert [start.boot for start in status.before] == [first.boot]
    assert status.pulls == {0: 0, 1: 0, 2: 0}
    assert len(answers_in(said)) == 3
