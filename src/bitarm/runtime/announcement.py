"""What the learner says once for all: the run's settings and who serves which arm, or its end.

Retained by the broker, so that an agent that comes late, or again, finds it. `opening` tells one
run from another that repeats it with the same settings and seed, hence the same fingerprint.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from bitarm.core.spec import RunSpec
from bitarm.errors import BitarmError, PeerProtocolError
from bitarm.wire import MAX_BYTES

VERSION = 1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A run is going on."""

    opening: str
    spec: RunSpec
    agents: Mapping[str, tuple[int, ...]]  # the arms of each
    report_bytes: int = MAX_BYTES  # that a frame of reports may have: what the link carries


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The run of this opening is over."""

    opening: str


Announcement = Opened | Ended


def opening_of(fingerprint: int, run: int, opened_at: float) -> str:
    """What names a run for good; a learner that is rebuilt from its journal finds the same."""
    text = f"{fingerprint:08x}/{run}/{opened_at!r}"
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def dump_announcement(announcement: Announcement) -> bytes:
    """The announcement as JSON."""
    plain: dict[str, Any] = {"version": VERSION, "opening": announcement.opening}
    if isinstance(announcement, Ended):
        plain["ended"] = True
    else:
        plain["fingerprint"] = f"{announcement.spec.fingerprint:08x}"
        plain["spec"] = announcement.spec.canonical.decode()
        plain["agents"] = {name: list(arms) for name, arms in announcement.agents.items()}
        plain["report_bytes"] = announcement.report_bytes
    return json.dumps(plain, ensure_ascii=False).encode()


def load_announcement(payload: bytes) -> Announcement:
    """What a learner announced; PeerProtocolError for anything else."""
    try:
        plain = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise PeerProtocolError(f"an announcement must be JSON: {error}") from None
    if not isinstance(plain, dict) or plain.get("version") != VERSION:
        found = plain.get("version") if isinstance(plain, dict) else plain
        raise PeerProtocolError(f"an announcement must have version {VERSION}, got {found!r}")
    opening = plain.get("opening")
    if not isinstance(opening, str):
        raise PeerProtocolError(f"an announcement must name its opening, got {opening!r}")
    if plain.get("ended") is True:
        return Ended(opening=opening)
    try:
        spec = RunSpec.from_canonical(str(plain.get("spec")).encode())
    except (BitarmError, ValueError, TypeError, OverflowError) as error:
        raise PeerProtocolError(f"the announced settings cannot be run: {error}") from None
    return Opened(
        opening=opening,
        spec=spec,
        agents=_agents(plain.get("agents"), len(spec.arms)),
        report_bytes=_report_bytes(plain.get("report_bytes", MAX_BYTES)),
    )


def _report_bytes(plain: Any) -> int:
    if type(plain) is not int or not 1 <= plain <= MAX_BYTES:
        raise PeerProtocolError(f"report_bytes must lie in [1, {MAX_BYTES}], got {plain!r:.40}")
    return plain


def _agents(plain: Any, arms: int) -> dict[str, tuple[int, ...]]:
    if not isinstance(plain, dict):
        raise PeerProtocolError(f"an announcement must name the agents, got {plain!r}")
    for name, served in plain.items():
        if not isinstance(served, list) or not all(
            type(arm) is int and 0 <= arm < arms for arm in served
        ):
            raise PeerProtocolError(f"agent {name!r} must serve arms 0 to {arms - 1}: {served!r}")
    return {name: tuple(served) for name, served in plain.items()}
