"""What learner and agents say to each other, and how a message's number fits what came before.

`run` is the run field of a frame: the run's name and the epoch in which it is said
(`bitarm.core.epochs`). `message` counts the questions to an arm within that epoch, from 1.
"""

from dataclasses import dataclass
from enum import Enum
from typing import final

from bitarm.core.bits import Symbol
from bitarm.core.question import Question


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Learner to agent: question number `message`."""

    run: int
    arm: int
    message: int  # from 1
    question: Question


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Agent to learner: the answer to question number `message`, the paper's s_{j,i}."""

    run: int
    arm: int
    message: int
    symbol: Symbol


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Agent to learner, in place of an answer: more pulls were made than the question asks for.

    It happens to a learner that was restored from an older journal than its agents remember.
    """

    run: int
    arm: int
    message: int
    pulls: int  # more than the question's `until`


class Cause(Enum):
    """Why an agent may stop pulling."""

    DROPPED = "dropped"  # its arm is out of the race
    ENDED = "ended"  # the run is over


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Dismiss:
    """Learner to agent: stop pulling this arm."""

    run: int
    arm: int
    cause: Cause


Answer = Report | Position
Message = Request | Report | Position | Dismiss


class Fit(Enum):
    """Where a message's number stands against the last question that the machine knows of."""

    LATE = "late"  # an older one: its content can no longer matter
    REPEAT = "repeat"  # the last one again
    NEXT = "next"  # the one that is due
    SKIPS = "skips"  # one after a gap: it cannot exist yet, or those before it were forgotten


def fit(message: int, last: int) -> Fit:
    """How number `message` fits after question `last`."""
    if message == last + 1:
        return Fit.NEXT
    if message > last:
        return Fit.SKIPS
    return Fit.REPEAT if message == last else Fit.LATE
