"""Whom a learner waits for is said by name, a screenful at most."""

import logging

import pytest

from bitarm.runtime.learner.roster import Attendance, Member
from bitarm.runtime.learner.waiting import LearnerWaiting


def _member(name: str, *, present: bool = False, elsewhere: bool = False) -> Member:
    attendance = Attendance.PRESENT if present else Attendance.AWAY
    return Member(name=name, arms=(0,), attendance=attendance, heard_at=0.0, is_elsewhere=elsewhere)


def _lines(members: list[Member], caplog: pytest.LogCaptureFixture, until: int = 7) -> list[str]:
    waiting = LearnerWaiting("lab")
    with caplog.at_level(logging.INFO, logger="bitarm.learner"):
        for now in range(until):
            waiting.look(members, float(now))
    return [record.getMessage() for record in caplog.records]


def test_those_that_are_not_connected_are_named(caplog: pytest.LogCaptureFixture) -> None:
    (line,) = _lines([_member("south"), _member("north"), _member("here", present=True)], caplog)
    assert line.startswith("run lab has waited 5 s for agents")
    assert line.endswith("that are not connected: north, south")


def test_many_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    (line,) = _lines([_member(f"gw-{number:04}") for number in range(2000)], caplog)
    assert line.endswith("gw-0006, gw-0007 and 1,992 more")
    assert len(line) < 300


def test_those_that_serve_another_run_are_told_apart(caplog: pytest.LogCaptureFixture) -> None:
    absent, elsewhere = _lines([_member("north"), _member("south", elsewhere=True)], caplog)
    assert absent.endswith("not connected: north")
    assert "connected and have not joined it" in elsewhere
    assert elsewhere.endswith(": south")


def test_those_that_are_there_and_silent_are_named_later(caplog: pytest.LogCaptureFixture) -> None:
    (line,) = _lines([_member("north", present=True)], caplog, 67)
    assert line == (
        "run lab has heard nothing for 65 s of agents that are connected, and were asked: north"
    )


def test_nobody_is_named_who_owes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert _lines([], caplog, 1000) == []
