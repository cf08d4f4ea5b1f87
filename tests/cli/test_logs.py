"""The log: every event has its line, its level, and itself as JSON."""

import json
import logging
from collections.abc import Iterator

import pytest

from bitarm.api.scheme import build
from bitarm.cli.event_log import EventLog
from bitarm.cli.exits import notify
from bitarm.cli.logs import LogLevel, configure
from bitarm.core.events import (
    AgentJoined,
    CaveatNoted,
    EpochBegan,
    FleetAssigned,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    ReportIgnored,
    RunOpened,
    load_event,
)
from bitarm.core.learner import Learner
from bitarm.errors import StoreError
from bitarm.peer_log import PeerLog

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
        AgentJoined(agent="gw-1", boot="", life=""),
        "info",
        "agent gw-1 joined; it does not say what it remembers",
    ),
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


@pytest.mark.usefixtures("quiet_again")
def test_a_text_of_others_forges_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    forged = "gone\n2026-01-01 00:00:00,000 INFO ended: south is the best arm\x1b[1A\x1b[2K"
    configure(LogLevel.INFO, as_json=False)
    log = EventLog()
    log.watch([_OPENED, CaveatNoted(text=forged)])
    logging.getLogger("bitarm.learner").warning("agent gw-1 failed: %s", forged)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    for line in lines[1:]:
        assert line.endswith(
            "gone 2026-01-01 00:00:00,000 INFO ended: south is the best arm?[1A?[2K"
        )
    notify(f"agent gw-1 failed: {forged}")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.isprintable()


@pytest.mark.usefixtures("quiet_again")
def test_a_json_line_says_which_run_arm_and_agent_it_is_about(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure(LogLevel.DEBUG, as_json=True, about={"host": "roof"})
    log = EventLog()
    log.watch([_OPENED, FleetAssigned(fleet="lab", agents=("gw-1", "gw-2"))])
    log.watch([ReportIgnored(arm=1, message=3), AgentJoined(agent="gw-1", boot="b", life="l")])
    peers = PeerLog("bitarm.learner", peers="agent", about={"run": "lab"})
    peers.warning("agent %s failed: %s", "gw-2", "no\npaper", peer="gw-2")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    told = [{key: line.get(key) for key in ("host", "run", "arm", "agent")} for line in lines]
    assert told == [
        {"host": "roof", "run": f"{_SETUP.fingerprint:08x}", "arm": None, "agent": None},
        {"host": "roof", "run": "lab", "arm": None, "agent": None},
        {"host": "roof", "run": "lab", "arm": "south", "agent": None},
        {"host": "roof", "run": "lab", "arm": None, "agent": "gw-1"},
        {"host": "roof", "run": "lab", "arm": None, "agent": "gw-2"},
    ]
    assert lines[-1]["text"] == "agent gw-2 failed: no paper"
    assert lines[-1]["logger"] == "bitarm.learner"
