"""Peers write no lines of their own into a log, and do not fill it with ours."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.peer_log import PeerLog, in_short, printable

FORGED = "out of paper\n2026-01-01 00:00:00 INFO agent gw-1 is here\x1b[2K\x1b[1A\x9b31m\u202egnp"


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@given(st.text())
def test_a_text_stays_on_its_line_and_moves_nothing(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert len(shown) == len(text)
    assert printable(shown) == shown
    if text.isprintable():
        assert shown == text


def test_what_is_shown_of_a_forgery() -> None:
    assert printable(FORGED) == (
        "out of paper 2026-01-01 00:00:00 INFO agent gw-1 is here?[2K?[1A?31m?gnp"
    )


def test_a_long_text_is_shown_in_short() -> None:
    assert in_short("x" * 300) == "x" * 300
    assert in_short("x" * 10_000) == "x" * 300 + "…"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log(clock: Clock, caplog: pytest.LogCaptureFixture) -> PeerLog:
    caplog.set_level(logging.INFO, logger="bitarm.test")
    return PeerLog("bitarm.test", peers="agent", about={"run": "lab"}, clock=clock)


def test_a_peer_gets_a_few_lines_at_once_and_then_few(
    log: PeerLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(1_000):
        log.warning("agent %s failed: %s", "gw-1", "no paper", peer="gw-1")
    assert caplog.messages == ["agent gw-1 failed: no paper"] * 20
    caplog.clear()
    for quarter in range(1, 41):
        clock.now = 2.5 * quarter
        log.warning("agent %s failed: %s", "gw-1", "no paper", peer="gw-1")
    assert len(caplog.messages) == 10
    assert caplog.messages[0] == "agent gw-1 failed: no paper (983 more like it were left out)"
    assert caplog.messages[1] == "agent gw-1 failed: no paper (3 more like it were left out)"


def test_other_peers_and_other_kinds_are_not_silenced(
    log: PeerLog, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(50):
        log.info("agent %s is here", "gw-1", peer="gw-1")
    caplog.clear()
    log.info("agent %s is here", "gw-2", peer="gw-2")
    log.info("agent %s is away", "gw-1", peer="gw-1")
    assert caplog.messages == ["agent gw-2 is here", "agent gw-1 is away"]


def test_many_names_do_not_buy_many_lines(log: PeerLog, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(20_000):
        log.warning("refused %s", str(number), peer=str(number))
    assert len(caplog.messages) == 1_020


def test_what_a_peer_says_is_made_printable(log: PeerLog, caplog: pytest.LogCaptureFixture) -> None:
    log.warning("agent %s failed: %s", "gw-1", FORGED, peer="gw-1\n")
    (record,) = caplog.records
    assert record.getMessage() == f"agent gw-1 failed: {printable(FORGED)}"
    assert record.__dict__["fields"] == {"run": "lab", "agent": "gw-1 "}
