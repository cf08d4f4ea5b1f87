"""Statuses: read back as written, and nothing else is one."""

import pytest

from bitarm.errors import PeerProtocolError
from bitarm.runtime.status import Presence, Status, dump_status, load_status


def test_a_status_is_read_back() -> None:
    status = Status(
        presence=Presence.FAILED, opening="ab", restarts=2, discarded=1, clipped=9, reason="ö\n"
    )
    assert load_status(dump_status(status)) == status


def test_fields_of_a_later_version_are_left_out() -> None:
    assert load_status(b'{"presence": "online", "mood": "good"}').presence is Presence.ONLINE


@pytest.mark.parametrize(
    "payload",
    [b"", b"[]", b"{}", b"\xff", b'{"presence": 1}', b'{"presence": "online", "restarts": -1}',
     b'{"presence": "online", "clipped": true}', b'{"presence": "online", "discarded": 1.5}',
     b'{"presence": ' + b"[" * 3000],
)  # fmt: skip
def test_anything_else_is_refused(payload: bytes) -> None:
    with pytest.raises(PeerProtocolError):
        load_status(payload)


def test_a_long_reason_is_cut_so_that_the_status_is_still_one() -> None:
    payload = dump_status(Status(presence=Presence.FAILED, reason="ü" * 10_000))
    assert load_status(payload).reason == "ü" * 500
