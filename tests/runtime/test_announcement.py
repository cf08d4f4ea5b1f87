"""Announcements: the same run on both sides, and repetitions of it told apart."""

import pytest
from tapes import make_spec

from bitarm.core.quantizers import Icq
from bitarm.errors import PeerProtocolError
from bitarm.runtime.announcement import (
    Ended,
    Opened,
    dump_announcement,
    load_announcement,
    opening_of,
)


def test_an_announcement_is_read_back() -> None:
    spec = make_spec(quantizer=Icq(bits=2, prior="uniform"))
    agents = {"gw-1": (0, 2), "gw-2": (1,)}
    opened = Opened(opening="ab", spec=spec, agents=agents, report_bytes=51)
    assert load_announcement(dump_announcement(opened)) == opened
    assert load_announcement(dump_announcement(Ended(opening="ab"))) == Ended(opening="ab")


def test_openings_differ_where_anything_does() -> None:
    openings = {opening_of(1, 1, 2.0), opening_of(1, 2, 2.0), opening_of(1, 1, 2.5)}
    assert len(openings) == 3
    assert opening_of(1, 1, 2.0) in openings


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"\xff", "must be JSON"),
        (b"[]", "must have version 1"),
        (b'{"version": 2}', "must have version 1, got 2"),
        (b'{"version": 1}', "must name its opening"),
        (b'{"version": 1, "opening": "x", "spec": "{}"}', "cannot be run"),
    ],
)
def test_anything_else_is_refused(payload: bytes, why: str) -> None:
    with pytest.raises(PeerProtocolError, match=why):
        load_announcement(payload)


@pytest.mark.parametrize("agents", ["[]", '{"a": 1}', '{"a": [3]}', '{"a": [true]}', '{"a": [-1]}'])
def test_agents_serve_arms_that_exist(agents: str) -> None:
    text = dump_announcement(Opened(opening="x", spec=make_spec(), agents={})).decode()
    with pytest.raises(PeerProtocolError):
        load_announcement(text.replace('"agents": {}', f'"agents": {agents}').encode())


@pytest.mark.parametrize("size", ["0", "-1", "32768", "1.5", "true", '"51"', "null"])
def test_frames_have_a_size_that_frames_can_have(size: str) -> None:
    text = dump_announcement(Opened(opening="x", spec=make_spec(), agents={}, report_bytes=51))
    with pytest.raises(PeerProtocolError, match="report_bytes must lie in"):
        load_announcement(text.replace(b'"report_bytes": 51', f'"report_bytes": {size}'.encode()))


def test_a_learner_that_names_no_size_has_no_link_to_spare() -> None:
    opened = Opened(opening="x", spec=make_spec(), agents={})
    text = dump_announcement(opened).replace(b', "report_bytes": 32767', b"")
    assert b"report_bytes" not in text
    assert load_announcement(text) == opened
