"""Statuses: read back as written, and nothing else is one."""

import json

import pytest

from bitarm.core.codes import CODES, Above
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import PeerProtocolError
from bitarm.wire.status import Presence, Status, dump_status, load_status


def test_a_status_is_read_back() -> None:
    status = Status(
        presence=Presence.FAILED,
        opening="ab",
        epoch=255,
        answered=7,
        boot="b",
        life="l",
        pulls={0: 0, 3: MAX_PULLS},
        made={0: 17, 3: MAX_PULLS},
        codes=("bins", "of a later version"),
        restarts=2,
        discarded=1,
        clipped=9,
        reason="ö\n",
    )
    assert load_status(dump_status(status)) == status
    assert load_status(dump_status(Status(presence=Presence.DONE))).codes == tuple(CODES)


def test_who_names_no_codes_cannot_be_challenged() -> None:
    codes = load_status(b'{"presence": "online"}').codes
    assert codes == ("bins", "nearest", "levels", "raw")  # whatever else there is by now
    assert Above.name not in codes


def test_fields_of_a_later_version_are_left_out() -> None:
    assert load_status(b'{"presence": "online", "mood": "good"}').presence is Presence.ONLINE


@pytest.mark.parametrize(
    "payload",
    [b"", b"[]", b"{}", b"\xff", b'{"presence": 1}', b'{"presence": "online", "restarts": -1}',
     b'{"presence": "online", "clipped": true}', b'{"presence": "online", "discarded": 1.5}',
     b'{"presence": "online", "answered": -1}', b'{"presence": "online", "answered": "1"}',
     b'{"presence": ' + b"[" * 3000],
)  # fmt: skip
def test_anything_else_is_refused(payload: bytes) -> None:
    with pytest.raises(PeerProtocolError):
        load_status(payload)


@pytest.mark.parametrize(
    ("word", "value", "why"),
    [
        ("epoch", 256, "epoch must lie in"),
        ("epoch", -1, "epoch must lie in"),
        ("epoch", True, "epoch must lie in"),
        ("epoch", "1", "epoch must lie in"),
        ("made", {"1": -1}, "arm 1 cannot have made -1 pulls"),
        ("pulls", [1], "pulls must be counts by arm"),
        ("pulls", {"x": 1}, "pulls must be counts by arm"),
        ("pulls", {"-1": 1}, "pulls must be counts by arm"),
        ("pulls", {"1": -1}, "arm 1 cannot have made -1 pulls"),
        ("pulls", {"1": MAX_PULLS + 1}, "cannot have made"),
        ("pulls", {"1": 2.0}, "cannot have made"),
        ("pulls", {"1": True}, "cannot have made"),
        ("codes", "bins", "codes must be a list of names"),
        ("codes", [1], "codes must be a list of names"),
    ],
)
def test_every_word_must_make_sense(word: str, value: object, why: str) -> None:
    with pytest.raises(PeerProtocolError, match=why):
        load_status(json.dumps({"presence": "online", word: value}).encode())


def test_a_long_reason_is_cut_so_that_the_status_is_still_one() -> None:
    payload = dump_status(Status(presence=Presence.FAILED, reason="ü" * 10_000))
    assert load_status(payload).reason == "ü" * 500
    with pytest.raises(PeerProtocolError, match="at most 1048576 bytes"):
        load_status(payload + b" " * (1 << 20))
