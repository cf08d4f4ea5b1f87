"""What a policy tells a quantizer of the other arms, so that the question makes answers shorter."""

from dataclasses import dataclass
from enum import Enum
from typing import final

from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Task


class HintKind(Enum):
    """What an arm is asked for, and what `value` says of the others."""

    CENTRE = "centre"  # another arm's mean: ask how far this one is from it
    PILOT = "pilot"  # the first arm of all: nothing is known, `value` is the middle of what may be
    LEADER = "leader"  # the arm that all others will be held against; `value` is its mean so far
    CHALLENGE = "challenge"  # an arm that may give up; it is hardly ever at or below `value`
    PLACE = "place"  # an arm that may be the next leader; `value` is its mean so far


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What is known of other arms when an arm is asked."""

    kind: HintKind
    value: float  # finite
    deviation: float | None = None  # of the mean that is asked for; None: σ/√t
    moved: float = 0.0  # deviation by which that mean has moved since one was told last
    scale: Scale | None = None  # on which the arm is to keep evidence
    task: Task | None = None  # what it is to make of that
    rival: int | None = None  # the arm that it is challenged by
