"""The log: every event has its line, its level, and itself as JSON."""

import json
import logging
from collections.abc import Iterator

import pytest

from bitarm.api.scheme import build
from bitarm.cli.logs import EventLog, LogLevel, configure
from bitarm.core.events import (
    AgentJoined,
    CaveatNoted,
    EpochBegan,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    ReportIgnored,
    RunOpened,
    load_event,
)
from bitarm.core.learner import Learner
from bitarm.errors import StoreError

_SETUP = build(("north", "south"), seed=1, problem={"bounds": (0.0, 1.0)}, scheme={}, limits={})
_OPENED = RunOpened(setup=_SETUP, opening="roofs")
_CASES: list[tuple[LearnerEvent, str, str]] = [
    (EpochBegan(epoch=2), "info", "a learner went on with the run, epoch 2"),
    (
        PositionTold(round=3, arm=1, pulls=4096),
        "warning",
        "south has made 4,096 pulls, more than it was asked for: "
        "this journal is older than what it remembers",
    ),
    (
        LivesBegan(arms=(0, 1), pulls=(0, 0)),
        "warning",
        "north, south: earlier live rewards are lost, counted anew",
    ),
    (AgentJoined(agent="gw-1", boot="b", life="l"), "info", "agent gw-1 joined"),
    (
        AgentJoined(agent="gw-1", boot="c", life="l", restarts=2, discarded=1),
        "warning",
        "agent gw-1 restarted, 2 times by now; "
        "1 batch of live rewards, cut short by a crash, discarded so far",
    ),
    (ReportIgnored(arm=1, message=3), "debug", "south sent message 3 again: ignored"),
    (CaveatNoted(text="clipped"), "warning", "caveat: clipped"),
]


@pytest.fixture
def quiet_again() -> Iterator[None]:
    """Give the logger back as it was."""
    logger = logging.getLogger("bitarm")
    before = logger.handlers, logger.propagate, logger.level
    yield
    logger.handlers, logger.propagate = before[:2]
    logger.setLevel(before[2])


@pytest.mark.usefixtures("quiet_again")
@pytest.mark.parametrize(("event", "level", "text"), _CASES, ids=lambda value: str(value)[:20])
def test_an_event_as_a_line(
    event: LearnerEvent, level: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(LogLevel.DEBUG, as_json=True)
    log = EventLog()
    log.watch([_OPENED])
    capsys.readouterr()
    log.watch([event])
    line = json.loads(capsys.readouterr().err)
    assert (line["level"], line["text"]) == (level, text)
    assert load_event(json.dumps(line["event"])) == event


@pytest.mark.usefixtures("quiet_again")
def test_a_round_says_how_many_are_asked(capsys: pytest.CaptureFixture[str]) -> None:
    configure(LogLevel.DEBUG, as_json=False)
    EventLog().watch(Learner(_SETUP).start().events)
    said = capsys.readouterr().err
    assert "opened: 2 arms" in said
    assert "round 1 opened: 1 arm asked to advance" in said  # the pilot


@pytest.mark.usefixtures("quiet_again")
def test_a_run_is_logged_from_its_opening_on() -> None:
    with pytest.raises(StoreError, match="from its opening on"):
        EventLog().watch([CaveatNoted(text="clipped")])
