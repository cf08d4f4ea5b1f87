"""Epochs and message numbers of a run: which question each answer met, as its frame spelt it.

A journal counts an arm's reports through the whole run. A frame counts questions within an epoch,
and a learner that goes on with a run asks again, under new numbers, for what is missing.
"""

from dataclasses import replace
from typing import final

from bitarm.core.epochs import FIRST_EPOCH, run_field, run_of_opening
from bitarm.core.events import (
    ArmsLost,
    EpochBegan,
    PositionTold,
    ReportAccepted,
    RoundOpened,
    RunEnded,
    RunOpened,
)
from bitarm.core.journal import Entry
from bitarm.core.messages import Request


@final
class Numbering:
    """Run fields and numbers, entry by entry."""

    def __init__(self, opened: RunOpened) -> None:
        self._run = run_of_opening(opened.opening)
        self._fields = [(0, run_field(self._run, FIRST_EPOCH))]  # from which entry on
        self._unanswered: dict[int, Request] = {}
        self._answered: dict[int, int] = {}  # entry of an answer, number of its question
        self._asked_again: dict[int, tuple[Request, ...]] = {}  # by the entry of an epoch

    def add(self, entry: Entry) -> None:
        """Take in the next entry."""
        match entry.event:
            case RoundOpened() as event:
                self._unanswered.update((request.arm, request) for request in event.requests)
            case EpochBegan() as event:
                field = run_field(self._run, event.epoch)
                self._fields.append((entry.sequence, field))
                for arm, request in self._unanswered.items():
                    self._unanswered[arm] = replace(request, run=field, message=1)
                self._asked_again[entry.sequence] = tuple(self._unanswered.values())
            case ReportAccepted() | PositionTold() as event:
                asked = self._unanswered.pop(event.arm, None)
                if asked is not None:  # else the round was left out, as for a run's row
                    self._answered[entry.sequence] = asked.message
            case ArmsLost() as event:
                for arm in event.arms:
                    self._unanswered.pop(arm, None)
            case RunEnded():
                self._unanswered.clear()

    def field(self, sequence: int) -> int:
        """The run field of what was said at an entry."""
        return next(field for since, field in reversed(self._fields) if since <= sequence)

    def answered(self, sequence: int) -> int:
        """The number of the question that an entry's answer met."""
        return self._answered[sequence]

    def asked_again(self, sequence: int) -> tuple[Request, ...]:
        """What the learner that began an epoch asked at once."""
        return self._asked_again.get(sequence, ())
