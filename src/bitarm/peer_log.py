"""What others made us log: their words made printable, and not more lines than a person reads.

A peer is whoever speaks to this process from elsewhere: an agent, a learner, a visitor of the page.
It must neither write lines of its own into our log or onto our terminal (`printable`), nor fill the
disk with ours (`PeerLog`).
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import final

_BLANKS = "\n\r\t"
_LONGEST = 300  # characters of a peer's text that are shown
_AT_ONCE = 20  # lines of one peer and kind that are logged as they come
_EVERY = 10.0  # seconds after which one more of them is due
_MOST_KEPT = 1_000  # peers and kinds that are told apart; those beyond share one allowance


def printable(text: str) -> str:
    """Anybody's text on one line and without control characters, as it may go to a terminal.

    Line ends and tabs become blanks. What would move a cursor, colour a terminal or turn the
    direction of writing is shown as a question mark.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " if char in _BLANKS else "?" for char in text)


def in_short(text: str) -> str:
    """The beginning of a peer's text, printable: enough to know what it was about."""
    return printable(text) if len(text) <= _LONGEST else f"{printable(text[:_LONGEST])}…"


def is_milestone(count: int, first: int = 1) -> bool:
    """Whether something that goes on is worth a line again: at 1, 10, 100 … times `first`."""
    return str(count).rstrip("0") == str(first)


@final
@dataclass(slots=True)
class _Allowance:
    """How many more lines one peer may cause, and how many were left out."""

    lines: float
    counted_at: float
    left_out: int = 0


@final
class Allowances:
    """How many lines each peer may cause, of each kind: so many at once, then one in ten seconds.

    `clock` gives seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, at_once: int = _AT_ONCE
    ) -> None:
        self._clock = clock
        self._at_once = at_once
        self._allowances: dict[tuple[str, str], _Allowance] = {}

    def take(self, peer: str, kind: str = "") -> str | None:
        """None if one more line is too many; else what it must end with: how many were left out."""
        allowance = self._of(peer, kind)
        if allowance.lines < 1:
            allowance.left_out += 1
            return None
        allowance.lines -= 1
        left_out, allowance.left_out = allowance.left_out, 0
        return f" ({left_out:,} more like it were left out)" if left_out else ""

    def _of(self, peer: str, kind: str) -> _Allowance:
        key, now = (peer, kind), self._clock()
        if key not in self._allowances and len(self._allowances) >= _MOST_KEPT:
            key = ("others", "of any kind")
        fresh = _Allowance(lines=self._at_once, counted_at=now)
        allowance = self._allowances.setdefault(key, fresh)
        earned = (now - allowance.counted_at) / _EVERY
        allowance.lines = min(self._at_once, allowance.lines + earned)
        allowance.counted_at = now
        return allowance


@final
class PeerLog:
    """Writes to the logger `name`, a few lines of one kind at once for each peer, then few.

    A kind is the text with its places still open. A line that follows others that were left out
    says how many those were. `peers` says what they are, and `about` what else all lines are
    about: both are fields of a line that is written as JSON. `clock` gives seconds.
    """

    def __init__(
        self,
        name: str,
        *,
        peers: str,
        about: Mapping[str, str] = MappingProxyType({}),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._logger = logging.getLogger(name)
        self._peers = peers
        self._about = dict(about)
        self._allowances = Allowances(clock)

    def info(self, kind: str, *about: object, peer: str) -> None:
        """Log what happens to `peer` in the course of things."""
        self._log(logging.INFO, kind, *about, peer=peer)

    def warning(self, kind: str, *about: object, peer: str) -> None:
        """Log what the operator should know of `peer`."""
        self._log(logging.WARNING, kind, *about, peer=peer)

    def _log(self, level: int, kind: str, *about: object, peer: str) -> None:
        if not self._logger.isEnabledFor(level):
            return
        more = self._allowances.take(peer, kind)
        if more is None:
            return
        texts = [in_short(text) if isinstance(text, str) else text for text in about]
        fields = self._about | {self._peers: in_short(peer)}
        self._logger.log(level, kind + "%s", *texts, more, extra={"fields": fields})
