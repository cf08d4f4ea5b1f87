"""Who speaks: the run that a frame belongs to, and which of its learner's starts.

The run field of a frame has four bytes: 24 bits that name the run, and 8 of the *epoch*. Every
opening, every resume and every restore of a run takes an epoch above all that were heard of.
Within an epoch a message number stands for one question for ever; what is said in another epoch
is never read. So a report that comes hours late cannot meet a question that it does not answer,
and a learner that was taken for dead cannot speak for its successor.

Epochs are compared in serial arithmetic (RFC 1982): of two, the later one is less than half a turn
ahead. A run would have to be resumed 127 times without one agent hearing of it to confuse them.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeGuard, final

from bitarm.core.messages import Answer, Cause, Dismiss, Request
from bitarm.core.question import Question

FIRST_EPOCH = 1
_EPOCHS = 1 << 8
_RUN_BYTES = 3
_MOST_AHEAD = 64


def run_of_opening(opening: str) -> int:
    """The 24 bits that name a run on the wire."""
    return int.from_bytes(hashlib.blake2b(opening.encode(), digest_size=_RUN_BYTES).digest())


def run_field(run: int, epoch: int) -> int:
    """The four bytes of a frame, as a number."""
    return run * _EPOCHS + epoch


def split_field(field: int) -> tuple[int, int]:
    """Run and epoch of a run field."""
    return divmod(field, _EPOCHS)


def is_later(epoch: int, than: int) -> bool:
    """Whether `epoch` was taken after `than`."""
    return 0 < (epoch - than) % _EPOCHS < _EPOCHS // 2


def is_near(epoch: int, known: int) -> bool:
    """Whether `epoch` can have been taken since `known`: epochs rise one by one, they do not jump.

    What is farther ahead is somebody's error, or an epoch of long ago: believing it could bring
    the next one round to before `known`.
    """
    return 0 < (epoch - known) % _EPOCHS <= _MOST_AHEAD


def after(known: int, heard: Iterable[int] = ()) -> int:
    """The epoch to take: one above `known` and above all near ones that were `heard` of."""
    ahead = [(epoch - known) % _EPOCHS for epoch in heard if is_near(epoch, known)]
    return (known + max(ahead, default=0) + 1) % _EPOCHS


def is_epoch(value: object) -> TypeGuard[int]:
    """Whether this is the number of an epoch."""
    return type(value) is int and 0 <= value < _EPOCHS


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The run and the epoch in which a learner speaks: all that it says carries them."""

    run: int  # 24 bits
    epoch: int

    @property
    def field(self) -> int:
        """Both as the run field of a frame."""
        return run_field(self.run, self.epoch)

    def request(self, arm: int, number: int, question: Question) -> Request:
        """Question number `number` of this epoch to an arm."""
        return Request(run=self.field, arm=arm, message=number, question=question)

    def dismissal(self, arm: int, cause: Cause) -> Dismiss:
        """What ends an arm's part in the run."""
        return Dismiss(run=self.field, arm=arm, cause=cause)

    def misfit(self, answer: Answer) -> str | None:
        """Why an answer is of another run or another epoch; None if it is of this one."""
        run, epoch = split_field(answer.run)
        if run != self.run:
            return f"is for run {run:06x}, this is run {self.run:06x}"
        if epoch != self.epoch:
            return f"is of epoch {epoch}, this is epoch {self.epoch}"
        return None
