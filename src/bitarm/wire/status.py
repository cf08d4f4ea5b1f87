"""What a process says of itself: there or not, for which run, and what it remembers.

An agent says it before it answers anything: the learner then knows whether the memory that the
answers come from is the one that it heard from before.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, final

from bitarm.core.codes import CODES
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import PeerProtocolError
from bitarm.wire.peer_json import is_arm, is_text, read_epoch, read_json

MOST_STARTS = 8
"""Starts of an agent that its memory goes back to: who was heard from before is taken for lost."""

_MOST_BYTES = 1 << 20  # a gateway tells the counts of all its arms
_MOST_TEXT = 500
_MOST_NAME = 64

FIRST_CODES = ("bins", "nearest", "levels", "raw")
"""The codes of an agent that lists none: there were no others when the list could be left out."""


class Presence(Enum):
    """Whether a process is there."""

    ONLINE = "online"  # just (re)connected or joined: ask again for what is missing
    PULLING = "pulling"  # there, and at it: the answer to a request that came again
    OFFLINE = "offline"  # stopped in order, or the broker says so in its name
    FAILED = "failed"  # its rewards or its memory failed; it needs a person
    DONE = "done"  # all its arms are dismissed: it stops for good; of a learner: the run is over


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A process that began to serve, and the pulls of live arms that it remembered then."""

    boot: str
    pulls: Mapping[int, int]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An agent, or the learner, at a glance."""

    presence: Presence
    opening: str | None = None  # the run that it serves; None before it has heard of one
    epoch: int | None = None  # the latest that it knows of
    answered: int = 0  # the highest number of a question in that epoch, answered or at hand
    boot: str = ""  # names the process
    life: str = ""  # names its sequences of live rewards
    pulls: Mapping[int, int] = field(default_factory=dict)
    """Pulls of each arm with live rewards that the process remembered when it began. What it made
    since would hide a loss: it may have pulled again as many as were forgotten."""
    made: Mapping[int, int] = field(default_factory=dict)
    """Pulls that each arm of an agent that is done made in all. Nothing is decided by this; of an
    arm that stopped by itself nobody else knows."""
    before: tuple[Start, ...] = ()  # earlier starts that the same memory went through, in order
    codes: tuple[str, ...] = tuple(CODES)  # in which it can answer
    restarts: int = 0  # how often it went on from its file
    discarded: int = 0  # unfinished batches of a live source that a crash cut short
    clipped: int = 0  # rewards that were moved to the bounds
    refused: int = 0  # times that live rewards were refused, and are missing since
    reason: str = ""  # what it refuses, or why it failed


def dump_status(status: Status) -> bytes:
    """The status as JSON."""
    plain = {
        "presence": status.presence.value,
        "opening": status.opening,
        "epoch": status.epoch,
        "answered": status.answered,
        "boot": status.boot,
        "life": status.life,
        "pulls": _by_name(status.pulls),
        "made": _by_name(status.made),
        "before": [dump_start(start) for start in status.before],
        "codes": list(status.codes),
        "restarts": status.restarts,
        "discarded": status.discarded,
        "clipped": status.clipped,
        "refused": status.refused,
        "reason": status.reason[:_MOST_TEXT],
    }
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":")).encode()


def load_status(payload: bytes) -> Status:
    """What a process said; PeerProtocolError for anything else."""
    plain = read_json(payload, what="a status", most_bytes=_MOST_BYTES)
    if not isinstance(plain, dict):
        raise PeerProtocolError(f"a status must be an object, got {payload[:40]!r}")
    try:
        presence = Presence(plain.get("presence"))
    except ValueError:
        allowed = ", ".join(member.value for member in Presence)
        found = str(plain.get("presence"))[:40]
        raise PeerProtocolError(f"presence must be one of {allowed}, got {found!r}") from None
    epoch = plain.get("epoch")
    # Fields of a later version are left out, not refused: a status decides nothing by itself.
    return Status(
        presence=presence,
        opening=_text(plain.get("opening"), _MOST_TEXT) or None,
        epoch=None if epoch is None else read_epoch(epoch),
        boot=_text(plain.get("boot"), _MOST_NAME),
        life=_text(plain.get("life"), _MOST_NAME),
        pulls=_pulls(plain.get("pulls", {})),
        made=_pulls(plain.get("made", {})),
        before=_before(plain.get("before", [])),
        codes=_codes(plain.get("codes", list(FIRST_CODES))),
        reason=_text(plain.get("reason"), _MOST_TEXT),
        answered=_count(plain, "answered"),
        restarts=_count(plain, "restarts"),
        discarded=_count(plain, "discarded"),
        clipped=_count(plain, "clipped"),
        refused=_count(plain, "refused"),
    )


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str):
        return ""
    if not is_text(value):
        raise PeerProtocolError("a status must be valid text")
    return value[:most]


def _count(plain: Mapping[str, Any], name: str) -> int:
    value = plain.get(name, 0)
    if type(value) is not int or not 0 <= value < 2**63:
        raise PeerProtocolError(f"{name} must be a whole number, 0 or more, got {value!r:.40}")
    return value


def _pulls(plain: Any) -> dict[int, int]:
    if not isinstance(plain, dict):
        raise PeerProtocolError(f"pulls must be counts by arm, got {plain!r:.40}")
    for arm, count in plain.items():
        if not is_arm(arm):
            raise PeerProtocolError(f"pulls must be counts by arm, got arm {arm!r:.40}")
        if type(count) is not int or not 0 <= count <= MAX_PULLS:
            raise PeerProtocolError(f"arm {arm} cannot have made {count!r:.40} pulls")
    return {int(arm): count for arm, count in plain.items()}


def dump_start(start: Start) -> list[Any]:
    """A start as plain JSON types."""
    return [start.boot, _by_name(start.pulls)]


def load_start(plain: Any) -> Start:
    """The start that `dump_start` wrote; PeerProtocolError for anything else."""
    if not (isinstance(plain, list) and len(plain) == 2 and isinstance(plain[0], str)):
        raise PeerProtocolError(f"a start must be a name and counts by arm, got {plain!r:.40}")
    return Start(boot=_text(plain[0], _MOST_NAME), pulls=_pulls(plain[1]))


def _by_name(pulls: Mapping[int, int]) -> dict[str, int]:
    return {str(arm): count for arm, count in pulls.items()}


def _before(plain: Any) -> tuple[Start, ...]:
    if not isinstance(plain, list) or len(plain) > MOST_STARTS:
        raise PeerProtocolError(f"before must be a list of starts, got {plain!r:.40}")
    return tuple(map(load_start, plain))


def _codes(plain: Any) -> tuple[str, ...]:
    if not isinstance(plain, list) or not all(isinstance(code, str) for code in plain):
        raise PeerProtocolError(f"codes must be a list of names, got {plain!r:.40}")
    return tuple(plain)
