"""What an agent may be asked beside its mean: how its rewards spread, how sure it may be of being
good, or whether it is beaten.

Three tasks of a question. Each adds bits to the word of the question's code:

    pilot       the word, then how far the rewards' spread is below a coin's, unary in powers of ¼
    edge        0, or 1 and how the spread has changed; then the word of the edge
    challenge   0 if it is beaten; else 1 and the word

An **edge** is what the leader's evidence certifies, at three neighbouring rungs (`edge.py`). A
**challenge** tells a leader's edge to another arm, and for each of the three rungs a *hurdle*: the
nats that are still to be reached there, rounded up into a byte. The arm weighs its own rewards
against that (`verdict.py`). The test is the agent's own: nobody has to agree with it on the last
bit of a formula.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.codes.checks import require_finite, require_within
from bitarm.core.evidence.ladder import FOLLOWING, RUNGS
from bitarm.core.evidence.spread import LEAST_SPREAD, MOST_SPREAD

BAND = 3
"""Neighbouring rungs at which a leader's evidence is told."""

MOST_BELOW = 15
"""Steps, at most, below the leader's edge from which a challenged arm counts how far up it is."""

SHARES = tuple(math.log(share) for share in FOLLOWING)
"""Logarithms of the shares of losers 0 to 3 rungs above the winner's."""

ROUNDING = 2.0**-44
"""A share of what is added up for an edge or a hurdle: all roundings of floats are less."""

_FINE, _MEDIUM = 128, 192  # hurdles below these bytes are in eighths, and in halves of a nat
NO_HURDLE = 255
"""The byte of a rung at which the leader's evidence is worth nothing."""


@final
@dataclass(frozen=True, slots=True)
class Pilot:
    """Tell the mean, and how the rewards spread."""

    name: ClassVar[str] = "pilot"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """Tell where the mean is at least, as far as the evidence at three rungs goes."""

    name: ClassVar[str] = "edge"
    first: int  # the highest of the rungs
    spread: int  # 2^spread times a coin's variance, as was told last

    def __post_init__(self) -> None:
        require_within("rung", self.first, 0, RUNGS - BAND)
        require_within("spread", self.spread, LEAST_SPREAD, MOST_SPREAD)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """Say whether the leader, which has as many pulls as the question asks for, beats this arm."""

    name: ClassVar[str] = "challenge"
    edge: float  # the leader's
    first: int  # the highest of the rungs at which it holds
    hurdles: tuple[int, int, int]  # bytes, see `hurdle`

    def __post_init__(self) -> None:
        require_finite("edge", self.edge)
        require_within("rung", self.first, 0, RUNGS - BAND)
        for byte in self.hurdles:
            require_within("hurdle", byte, 0, NO_HURDLE)


Task = Pilot | Edge | Challenge
TASKS: dict[str, type[Task]] = {task.name: task for task in (Pilot, Edge, Challenge)}


# -- hurdles ------------------------------------------------------------------------------------


def hurdle(byte: float) -> float:
    """The nats that a byte stands for."""
    if byte < _FINE:
        return byte / 8.0
    if byte < _MEDIUM:
        return 16.0 + (byte - _FINE) / 2.0
    return 48.0 + (byte - _MEDIUM) * 4.0 if byte < NO_HURDLE else math.inf


def hurdle_byte(nats: float) -> int:
    """The least byte that stands for at least so many nats."""
    if nats <= 15.875:
        return max(math.ceil(nats * 8.0), 0)
    if nats <= 47.5:
        return _FINE + max(math.ceil((nats - 16.0) * 2.0), 0)
    if nats <= 296.0:
        return _MEDIUM + max(math.ceil((nats - 48.0) / 4.0), 0)
    return NO_HURDLE
