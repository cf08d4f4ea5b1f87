"""What a learner holds, and what a step of it puts out: frozen values."""

from dataclasses import dataclass
from enum import Enum
from typing import final

from bitarm.core.bits import Symbol
from bitarm.core.events import LearnerEvent, RunEnded
from bitarm.core.messages import Answer, Dismiss, Position, Report, Request
from bitarm.core.quantizer import Estimate
from bitarm.core.question import Question


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
    pulls: int = 0  # at the last report
    message: int = 0  # n, reports accepted
    symbol: Symbol | None = None  # the last one, to tell a repeat from a contradiction
    asked: int = 0  # number of the last question in this epoch
    question: Question | None = None  # while awaited
    ahead: int | None = None  # pulls that the agent says it made, more than it was asked for
    lives: int = 1  # sequences of rewards that its reports are about
    counted: int = 0  # pulls of the present one that are in `samples`
    sure: int = 0  # pulls that it made for sure: who gave up made no more than were counted
    rival: int | None = None  # the arm that its question challenges it by
    beaten_by: int | None = None  # the arm whose challenge it lost, if its last answer was that
    dropped_for: int | None = None  # the arm that was better
    lost: bool = False  # out because nobody could be heard

    # Spelt out: a round makes both for every arm, and `replace` takes twice as long.

    def awaiting(self, question: Question, rival: int | None = None) -> "ArmRecord":
        """After it was asked one more question, maybe on behalf of a rival."""
        return ArmRecord(
            phase=ArmPhase.AWAITED,
            held=self.held,
            pulls=self.pulls,
            message=self.message,
            symbol=self.symbol,
            asked=self.asked + 1,
            question=question,
            lives=self.lives,
            counted=self.counted,
            sure=self.sure,
            rival=rival,
        )

    def after(
        self, held: Estimate, pulls: int, symbol: Symbol, *, beaten: bool = False
    ) -> "ArmRecord":
        """After a report of so many pulls was read; `beaten` if it said no more than that."""
        return ArmRecord(
            phase=ArmPhase.RESTING,
            held=held,
            pulls=pulls,
            message=self.message + 1,
            symbol=symbol,
            asked=self.asked,
            lives=self.lives,
            counted=pulls,
            sure=self.sure if beaten else pulls,
            beaten_by=self.rival if beaten else None,
        )

    def contradicts(self, answer: Answer) -> bool:
        """Whether an answer says other than the first one to the same question did."""
        if self.ahead is not None:
            return not isinstance(answer, Position) or answer.pulls != self.ahead
        if self.symbol is None:
            return False  # the question before it was answered in another epoch, or not in a symbol
        return not isinstance(answer, Report) or answer.symbol != self.symbol


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerState:
    """All that a learner holds between two messages, to be compared with another's.

    Nothing is restored from it: a learner is rebuilt from its events (`core/replay.py`).
    """

    phase: LearnerPhase
    arms: tuple[ArmRecord, ...]
    epoch: int
    resumed: bool
    restores: int  # epochs in which its journal turned out to be older than what agents remember
    rounds: int
    samples: int
    payload_bits: int
    caveats: tuple[str, ...]
    rewards_lost: bool  # that were never told, with an agent's process or its memory
    files_read: bool  # whether an agent went on with live rewards, from its file
    silent: bool  # whether an agent does not say what it remembers
    ending: RunEnded | None


@final
@dataclass(frozen=True, slots=True)
class LearnerOutput:
    """What a step of the learner asks to be done: events to keep, then messages to send."""

    events: tuple[LearnerEvent, ...] = ()
    messages: tuple[Request | Dismiss, ...] = ()
