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
    opened = Opened(opening="ab", spec=spec, agents={"gw-1": (0, 2), "gw-2": (1,)})
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
