"""Two learners of one run: who goes on, and in which epoch?

A learner that was taken for dead may wake up, two operators may resume a run at once, and a broker
may keep the words of a learner that is gone. Only learners may write what a learner yields to; an
agent that knows of another epoch cannot make one yield, it is outbid.
"""

import math
from collections.abc import Mapping
from enum import Enum
from typing import final

from bitarm.core.epochs import is_later, is_near
from bitarm.errors import PeerProtocolError
from bitarm.runtime.learner.roster import Member
from bitarm.wire.status import Presence, Status

RETAINED_WITHIN = 0.3
"""Seconds for a broker to tell what it keeps."""
ANSWER_WITHIN = 3.0
"""Seconds for a learner that is asked to say that it is there."""


class Verdict(Enum):
    """What follows from a learner's status that is not our own."""

    NOTHING = "nothing"  # it is of another run, or says nothing of epochs
    YIELD = "yield"  # it has taken over
    TOLD = "told"  # it had taken over, and ended the run as we did: everybody knows
    OUTBID = "outbid"  # both began at once: the numbers of one epoch must be of one learner
    SAY_AGAIN = "say again"  # it is of one before us, and the broker keeps it in place of ours


def judge(
    status: Status, *, boot: str, opening: str, epoch: int, has_ended: bool = False
) -> Verdict:
    """Whether to go on, as the learner of `opening` whose process is `boot`, in `epoch`.

    One that `has_ended` the run tells its end, whoever else was there in that epoch.
    """
    if status.boot == boot or status.opening != opening or status.epoch is None:
        return Verdict.NOTHING
    if is_later(status.epoch, epoch):
        is_over = has_ended and status.presence is Presence.DONE
        return Verdict.TOLD if is_over else Verdict.YIELD
    if status.epoch == epoch and not has_ended:
        # Also if it is away: it may have asked in this epoch before.
        here = status.presence is Presence.ONLINE
        return Verdict.YIELD if here and status.boot > boot else Verdict.OUTBID
    return Verdict.SAY_AGAIN


@final
class Bids:
    """Epochs that agents know of and that are not ours: each is outbid, once, after a while.

    Either nobody speaks in it any more, and we take one after it; or a learner has taken over,
    which must not be pushed off: our status makes it say so, if it is given the time. Until then
    nothing that such an agent says is an answer to us.
    """

    def __init__(self) -> None:
        self._epochs: dict[str, int] = {}  # by agent
        self.due_at = math.inf

    def __bool__(self) -> bool:
        return bool(self._epochs)

    def clear(self) -> None:
        """Forget what agents said of other epochs."""
        self._epochs.clear()
        self.due_at = math.inf

    def note(
        self, member: Member, status: Status, *, epoch: int, is_in_race: bool, now: float
    ) -> bool:
        """Whether an agent heard of an epoch after ours, or of questions in ours that are not ours.

        An agent that does so again, though it was outbid, or that knows of an epoch which nobody
        can have taken, is refused.
        """
        told = status.epoch
        if told is None or status.presence is Presence.OFFLINE:
            return False
        dismissed = status.presence is Presence.DONE and is_in_race
        is_ours = told == epoch
        if is_ours and status.answered <= member.asked and not dismissed:
            return False
        if not is_ours and not is_later(told, epoch):
            return False
        if not is_ours and not is_near(told, epoch):
            raise PeerProtocolError(
                f"agent {member.name} knows of epoch {told}, this learner speaks in {epoch}: "
                "epochs do not jump"
            )
        if member.outbid:  # that was answered with an epoch above its own: it cannot be so again
            raise PeerProtocolError(
                f"agent {member.name} knows of question {status.answered} in epoch {told}, which "
                f"no learner has asked: this one asked {member.asked} in epoch {epoch}"
            )
        if not self._epochs:
            self.due_at = now + ANSWER_WITHIN
        self._epochs[member.name] = told
        return True

    def take(self, members: Mapping[str, Member], epoch: int) -> list[int]:
        """The epochs to outbid, if any of them still is: no learner has claimed them."""
        told = list(self._epochs.values())
        for name in self._epochs:
            members[name].outbid = True
        self.clear()
        return told if any(known == epoch or is_later(known, epoch) for known in told) else []
