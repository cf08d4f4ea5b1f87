"""What the learner tells each agent once: that there is a run, and which arms are the agent's.

Retained by the broker, so that an agent that comes late, or again, finds it. It holds what an agent
cannot know otherwise, and nothing of how the run is decided: it does not grow with the fleet.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from bitarm.core.bounds import check_bounds
from bitarm.errors import BitarmError, PeerProtocolError
from bitarm.wire import MAX_BYTES
from bitarm.wire.peer_json import is_arm, is_text, read_epoch, read_json

VERSION = 2
MOST_BYTES = 1 << 20
"""Bytes of an announcement, at most: brokers carry a mebibyte or more."""

_MOST_ARM = 1 << 32


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """A run is going on, and this is one agent's part in it."""

    opening: str  # names the run among all others, those with equal settings included
    epoch: int
    arms: Mapping[int, str]  # that this agent serves, by number: their names
    bounds: tuple[float, float] | None  # in which rewards must lie
    seed: int  # of simulated rewards
    report_bytes: int = MAX_BYTES  # that a frame of reports may have: what the link carries


def dump_announcement(announcement: Announcement) -> bytes:
    """The announcement as JSON."""
    plain = {
        "version": VERSION,
        "opening": announcement.opening,
        "epoch": announcement.epoch,
        "arms": {str(arm): name for arm, name in announcement.arms.items()},
        "bounds": announcement.bounds,
        "seed": announcement.seed,
        "report_bytes": announcement.report_bytes,
    }
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def load_announcement(payload: bytes) -> Announcement:
    """What a learner announced; PeerProtocolError for anything else."""
    plain = read_json(payload, what="an announcement", most_bytes=MOST_BYTES)
    if not isinstance(plain, dict) or plain.get("version") != VERSION:
        found = plain.get("version") if isinstance(plain, dict) else plain
        raise PeerProtocolError(
            f"an announcement must have version {VERSION}, got {found!r:.40}: bring learner and "
            "agents to the same version of bitarm"
        )
    opening, seed = plain.get("opening"), plain.get("seed")
    if not isinstance(opening, str) or not 1 <= len(opening) <= 64 or not is_text(opening):
        raise PeerProtocolError(f"an announcement must name its opening, got {opening!r:.40}")
    if type(seed) is not int or not 0 <= seed < 2**64:
        raise PeerProtocolError(f"seed must lie between 0 and 2^64 − 1, got {seed!r:.40}")
    return Announcement(
        opening=opening,
        epoch=read_epoch(plain.get("epoch")),
        arms=_arms(plain.get("arms")),
        bounds=_bounds(plain.get("bounds")),
        seed=seed,
        report_bytes=_report_bytes(plain.get("report_bytes", MAX_BYTES)),
    )


def _report_bytes(plain: Any) -> int:
    if type(plain) is not int or not 1 <= plain <= MAX_BYTES:
        raise PeerProtocolError(f"report_bytes must lie in [1, {MAX_BYTES}], got {plain!r:.40}")
    return plain


def _arms(plain: Any) -> dict[int, str]:
    if not isinstance(plain, dict) or not plain:
        raise PeerProtocolError(f"an announcement must name the agent's arms, got {plain!r:.40}")
    arms: dict[int, str] = {}
    for number, name in plain.items():
        if not is_arm(number):
            raise PeerProtocolError(f"an arm has a number, got {number!r:.40}")
        if not isinstance(name, str) or not is_text(name) or int(number) >= _MOST_ARM:
            raise PeerProtocolError(f"arm {number} must have a name, got {name!r:.40}")
        arms[int(number)] = name
    return arms


def _bounds(plain: Any) -> tuple[float, float] | None:
    if plain is None:
        return None
    if not isinstance(plain, list) or len(plain) != 2 or not all(type(x) is float for x in plain):
        raise PeerProtocolError(f"bounds must be two numbers or null, got {plain!r:.60}")
    try:
        check_bounds((plain[0], plain[1]))
    except BitarmError as error:
        raise PeerProtocolError(str(error)) from None
    return plain[0], plain[1]
