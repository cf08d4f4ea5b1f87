"""What a learner holds, and what a step of it puts out: frozen values."""

from dataclasses import dataclass
from enum import Enum
from typing import final

from bitarm.core.bits import Symbol
from bitarm.core.events import LearnerEvent, RunEnded
from bitarm.core.messages import Dismiss, Hint, Request
from bitarm.core.quantizer import Estimate


class LearnerPhase(Enum):
    """Where the run stands."""

    READY = "ready"
    RUNNING = "running"
    ENDED = "ended"


class ArmPhase(Enum):
    """Where one arm stands."""

    RESTING = "resting"  # in the race, nothing asked
    AWAITED = "awaited"  # in the race, a report is due
    OUT = "out"  # dropped, or the run is over


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRecord:
    """All that the learner holds of one arm."""

    phase: ArmPhase
    held: Estimate
    pulls: int
    message: int  # n, reports accepted
    symbol: Symbol | None  # the last one, to tell a repeat from a contradiction
    until: int  # pulls asked for, while awaited
    hint: Hint | None = None  # told with that request
    dropped_for: int | None = None  # the arm that was better
    lost: bool = False  # out because nobody could be heard


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerState:
    """All that a learner holds between two messages: save it, and restore from it."""

    phase: LearnerPhase
    arms: tuple[ArmRecord, ...]
    rounds: int
    samples: int
    payload_bits: int
    caveats: tuple[str, ...]
    ending: RunEnded | None


@final
@dataclass(frozen=True, slots=True)
class LearnerOutput:
    """What a step of the learner asks to be done: events to keep, then messages to send."""

    events: tuple[LearnerEvent, ...] = ()
    messages: tuple[Request | Dismiss, ...] = ()
