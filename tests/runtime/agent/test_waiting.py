"""What an agent waits for, and how its run ended: it says both, to people and by its end."""

import logging

import pytest
from runtime.agent.desk import LEARNER_STATUS, NAMES, Desk
from wires.memories import MemoryKeeper
from wires.runs import RUN

from bitarm.core.messages import Cause
from bitarm.core.outcome import Outcome
from bitarm.rewards.sensors import SensorFeed
from bitarm.runtime.agent.service import AgentService
from bitarm.wire.status import Presence, Status, dump_status

_TOPIC = "sensors/cellar"


def _learner(presence: Presence, *, opening: str = "first", reason: str = "") -> bytes:
    return dump_status(Status(presence=presence, opening=opening, epoch=1, reason=reason))


def _lines(desk: Desk, caplog: pytest.LogCaptureFixture, seconds: int = 7) -> list[str]:
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="bitarm.agent"):
        for _ in range(seconds):
            desk.step()
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize(
    ("presence", "why"),
    [
        (None, "no learner has announced it here. Start one with --run lab on this broker"),
        (Presence.ONLINE, "it has a learner, which has announced nothing to gw"),
        (Presence.OFFLINE, "its learner is away. bitarm learner --resume goes on with it"),
        (Presence.DONE, "the last run of that name is over"),
    ],
)
def test_an_agent_without_a_run_says_why(
    presence: Presence | None, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk()
    if presence is not None:
        desk.hear(LEARNER_STATUS, _learner(presence))
    (line,) = _lines(desk, caplog)
    assert line.startswith("gw has waited 5 s for run lab: ")
    assert why in line
    assert len(_lines(desk, caplog, 60)) == 2  # after 15 and 35 s


def test_the_service_wakes_to_say_it() -> None:
    desk = Desk()
    desk.step()
    assert desk.service.wake_at(desk.now) == desk.now + 5


def test_without_a_connection_the_wire_says_what_is_wrong(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.step()
    desk.service.disconnected(desk.now)
    assert _lines(desk, caplog, 100) == []
    assert desk.service.wake_at(desk.now) > desk.now  # and it does not run in circles


def test_an_agent_whose_learner_is_away_says_so(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.join()
    assert _lines(desk, caplog, 50) == []
    desk.hear(LEARNER_STATUS, _learner(Presence.OFFLINE))
    (line,) = _lines(desk, caplog)
    assert "the learner of run lab, which is away" in line
    desk.hear(LEARNER_STATUS, _learner(Presence.ONLINE))
    assert _lines(desk, caplog, 50) == []


def test_an_agent_that_is_not_asked_says_so_after_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.join()
    (line,) = _lines(desk, caplog, 70)
    assert "waits for the learner's next question since 60 s" in line
    desk.ask()
    assert _lines(desk, caplog, 70) == []  # it is at it


def _sensing() -> tuple[Desk, SensorFeed]:
    """An agent of one arm whose rewards come on a topic."""
    desk, feed = Desk(), SensorFeed("", label=NAMES[1])
    desk.service = AgentService(
        run=RUN,
        agent="gw",
        supply=lambda name, arm, seed: feed,
        keeper=MemoryKeeper(),
        sensors={_TOPIC: [feed]},
    )
    desk.service.connected(0.0)
    desk.join()
    return desk, feed


def test_a_topic_that_stays_silent_is_named_with_the_right_that_may_be_missing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk, _ = _sensing()
    assert _lines(desk, caplog) == []  # nothing is wanted of it yet
    desk.ask()
    (line,) = _lines(desk, caplog)
    assert f"rewards of arm-1: nothing has come on {_TOPIC} yet" in line
    assert f"bitarm broker grant DIR gw --read {_TOPIC}" in line


def test_a_topic_that_was_heard_may_take_its_time(caplog: pytest.LogCaptureFixture) -> None:
    desk, _ = _sensing()
    desk.ask()
    desk.hear(_TOPIC, b"0.5")
    assert _lines(desk, caplog, 50) == []


# -- how the run ended -----------------------------------------------------------------------


def test_an_agent_that_was_dropped_leaves_at_once() -> None:
    desk = Desk()
    desk.join()
    assert len(desk.dismiss(Cause.DROPPED)) == 2
    assert desk.service.finished
    assert desk.service.outcome is None


@pytest.mark.parametrize("outcome", Outcome)
def test_an_agent_says_goodbye_and_then_hears_how_the_run_ended(outcome: Outcome) -> None:
    desk = Desk()
    desk.join()
    assert len(desk.dismiss(Cause.ENDED)) == 2  # done, and cleared
    assert not desk.service.finished
    assert desk.hear(LEARNER_STATUS, _learner(Presence.DONE, reason=outcome.value)) == []
    assert desk.service.finished
    assert desk.service.outcome is outcome


def test_nobody_says_how_it_ended() -> None:
    desk = Desk()
    desk.join()
    desk.dismiss(Cause.ENDED)
    for status in (b"", b"{", _learner(Presence.DONE, opening="other", reason="decided")):
        assert desk.hear(LEARNER_STATUS, status) == [] or desk.service.finished
    assert desk.service.finished  # after two seconds
    assert desk.service.outcome is None


def test_a_word_that_is_no_outcome_is_none() -> None:
    desk = Desk()
    desk.join()
    desk.hear(LEARNER_STATUS, _learner(Presence.DONE, reason="\x1b[2J"))
    assert desk.service.finished
    assert desk.service.outcome is None


def test_one_that_is_stopped_after_goodbye_says_nothing_more() -> None:
    desk = Desk()
    desk.join()
    desk.dismiss(Cause.ENDED)
    assert list(desk.service.stop()) == []
    assert desk.service.finished
