"""What learner and agents say to each other, and how a message's number fits what came before."""

from dataclasses import dataclass
from enum import Enum
from typing import final

from bitarm.core.bits import Symbol


class HintKind(Enum):
    """What a hint says of the other arms."""

    CENTRE = "centre"  # another arm's mean: say how far yours is from it
    CUT = "cut"  # an arm whose mean is at or below this is out, and need not say more


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What the learner knows and the agent does not, told so that the agent can say less."""

    kind: HintKind
    value: float  # finite


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Learner to agent: pull until `until` pulls in all, then send message `message`."""

    run: int
    arm: int
    message: int  # n, from 1
    until: int  # t_i
    hint: Hint | None = None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Agent to learner: message `message` of the arm, the paper's s_{j,i}."""

    run: int
    arm: int
    message: int
    symbol: Symbol


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


Message = Request | Report | Dismiss


class Fit(Enum):
    """Where a message's number stands against the last one that the machine completed."""

    LATE = "late"  # an older one: it was completed long ago, its content can no longer matter
    REPEAT = "repeat"  # the last one again
    NEXT = "next"  # the one that is due
    AHEAD = "ahead"  # one that cannot exist yet


def fit(message: int, completed: int) -> Fit:
    """How number `message` fits after `completed` messages."""
    if message == completed + 1:
        return Fit.NEXT
    if message > completed:
        return Fit.AHEAD
    return Fit.REPEAT if message == completed else Fit.LATE
