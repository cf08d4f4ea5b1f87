"""How much one visitor of the page may take: of bytes, of time, of connections.

Whoever can reach the port can use what is theirs to use here, and no more: the page goes on for
everybody else.
"""

from dataclasses import dataclass
from typing import final

_KIB = 1 << 10
_MIB = 1 << 20


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VisitorLimits:
    """What a dashboard gives to all of its visitors together, or to one request."""

    header_bytes: int = 16 * _KIB
    """Bytes of a request's first line and headers."""
    body_bytes: int = 64 * _KIB
    """Bytes of a request's body, but for the comparison's."""
    compared_bytes: int = 4 * _MIB
    """Bytes of a comparison: what `bitarm simulate --json` prints has some kilobytes a setting."""
    bodies_bytes: int = 16 * _MIB
    """Bytes of all bodies that are held at once."""
    drained_bytes: int = 32 * _MIB
    """Bytes of a body that is too large and yet read to its end, and thrown away: a browser shows
    an answer only when it has sent all that it has to say."""
    request_seconds: float = 20.0
    """Seconds from a request's first byte to its last."""
    stalled_seconds: float = 20.0
    """Seconds that an answer may wait for a visitor who does not read it."""
    stalled: int = 32
    """Answers that may wait at once for visitors who do not read them."""
    connections: int = 256
    """Connections open at once; most programs may have 1,024 files and sockets."""
    streams: int = 192
    """Streams open at once, of the connections: the rest is for those who ask something else."""


VISITOR_LIMITS = VisitorLimits()
"""The limits of a dashboard that is not told otherwise."""
