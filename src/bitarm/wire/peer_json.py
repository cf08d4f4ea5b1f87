"""JSON that a peer sent: taken in without trust, and refused as the peer's fault."""

import json
from typing import Any

from bitarm.core.epochs import is_epoch
from bitarm.errors import PeerProtocolError

_ARM_DIGITS = 10  # of an arm's number, which has 32 bits


def read_json(payload: bytes, *, what: str, most_bytes: int) -> Any:
    """The value that a payload spells; PeerProtocolError if it is too long, or no JSON.

    `what` names it in errors, such as "a status".
    """
    if len(payload) > most_bytes:
        raise PeerProtocolError(f"{what} has at most {most_bytes} bytes, got {len(payload)}")
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        raise PeerProtocolError(f"{what} must be JSON, got {payload[:40]!r}") from None


def read_epoch(value: object) -> int:
    """The epoch that a field names; PeerProtocolError if it is no epoch's number."""
    if not is_epoch(value):
        raise PeerProtocolError(f"epoch must lie in [0, 255], got {value!r:.40}")
    return value


def is_text(value: str) -> bool:
    """Whether a string from JSON is one that can be written down: it may hold half a character."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_arm(key: str) -> bool:
    """Whether a key of a JSON object can be the number of an arm."""
    return key.isascii() and key.isdecimal() and len(key) <= _ARM_DIGITS
