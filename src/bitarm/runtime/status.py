"""What an agent says of itself: there or not, for which run, and what went wrong on its side."""

import json
from dataclasses import asdict, dataclass, fields
from enum import Enum
from typing import Any, final

from bitarm.errors import PeerProtocolError

_MOST_BYTES = 4096
_MOST_TEXT = 500


class Presence(Enum):
    """Whether an agent is there."""

    ONLINE = "online"  # just (re)connected or joined: ask again for what is missing
    PULLING = "pulling"  # there, and at it: the answer to a request that came again
    OFFLINE = "offline"  # stopped in order, or the broker says so in its name
    FAILED = "failed"  # its rewards failed; it needs a person
    DONE = "done"  # all its arms are dismissed: it stops for good


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An agent at a glance."""

    presence: Presence
    opening: str | None = None  # the run that it serves; None before it has heard of one
    restarts: int = 0  # how often it went on from its file
    discarded: int = 0  # unfinished batches of a live source that a crash cut short
    clipped: int = 0  # rewards that were moved to the bounds
    reason: str = ""


def dump_status(status: Status) -> bytes:
    """The status as JSON."""
    plain = asdict(status) | {
        "presence": status.presence.value,
        "reason": status.reason[:_MOST_TEXT],
    }
    return json.dumps(plain, ensure_ascii=True).encode()


def load_status(payload: bytes) -> Status:
    """What an agent said; PeerProtocolError for anything else."""
    if len(payload) > _MOST_BYTES:
        raise PeerProtocolError(f"a status has at most {_MOST_BYTES} bytes, got {len(payload)}")
    try:
        plain = json.loads(payload)
    except (ValueError, RecursionError):
        raise PeerProtocolError(f"a status must be JSON, got {payload[:40]!r}") from None
    if not isinstance(plain, dict):
        raise PeerProtocolError(f"a status must be an object, got {payload[:40]!r}")
    try:
        presence = Presence(plain.get("presence"))
    except ValueError:
        allowed = ", ".join(member.value for member in Presence)
        found = str(plain.get("presence"))[:40]
        raise PeerProtocolError(f"presence must be one of {allowed}, got {found!r}") from None
    # Fields of a later version are left out, not refused: a status decides nothing by itself.
    return Status(
        presence=presence,
        opening=_text(plain.get("opening")),
        reason=_text(plain.get("reason")) or "",
        **{name: _count(plain.get(name, 0), name) for name in _COUNTS},
    )


_COUNTS = tuple(field.name for field in fields(Status) if field.type == "int" or field.type is int)


def _text(value: Any) -> str | None:
    return value[:_MOST_TEXT] if isinstance(value, str) else None


def _count(value: Any, name: str) -> int:
    if type(value) is not int or value < 0:
        raise PeerProtocolError(f"{name} must be a whole number, 0 or more, got {value!r:.40}")
    return value
