"""How an agent's run ended, as far as the agent has heard."""

import contextlib
import math
from typing import final

from bitarm.core.epochs import is_later
from bitarm.core.outcome import Outcome
from bitarm.errors import PeerProtocolError
from bitarm.runtime.agent.memory import AgentMemory
from bitarm.wire.status import Presence, Status, load_status

_TOLD_WITHIN = 2.0  # seconds for the learner to say how the run ended: it does so at once


@final
class Ending:
    """Whether the run is over, how it ended, and how long to wait for that word.

    `over` is what the agent remembers of the run. An agent whose last arm is dismissed because the
    run has ended says goodbye at once, and stays a moment to hear whether there was an answer.
    """

    def __init__(self) -> None:
        self.over: AgentMemory | None = None
        self.has_come = False  # the learner said so; all arms dismissed as ended says the same
        self.outcome: Outcome | None = None  # None if it was not told
        self.leaves_at = math.inf  # finite once it has said goodbye

    @property
    def is_leaving(self) -> bool:
        """Whether the agent has said goodbye."""
        return not math.isinf(self.leaves_at)

    def came(self, memory: AgentMemory, status: Status) -> None:
        """The learner says that the run of this memory is over."""
        self.over, self.has_come = memory, True
        self.note(status)

    def note(self, status: Status) -> None:
        """How the run ended, if the learner says so."""
        if status.reason in {outcome.value for outcome in Outcome}:
            self.outcome = Outcome(status.reason)

    def hear_out(self, payload: bytes, opening: str) -> None:
        """A learner's status that came after goodbye: how our run ended, or nothing of ours."""
        with contextlib.suppress(PeerProtocolError):
            status = told_end(payload)
            if status is not None and status.opening == opening:
                self.note(status)

    def begin_again(self) -> None:
        """A run begins, or goes on after all: how another one ended is not how it ends."""
        self.over, self.has_come, self.outcome = None, False, None

    def leave(self, now: float, *, is_over: bool) -> None:
        """Goodbye was said; whoever was dropped while the run goes on has nothing to wait for."""
        waits = is_over and not self.has_come and self.outcome is None
        self.leaves_at = now + (_TOLD_WITHIN if waits else 0.0)

    def is_past(self, now: float) -> bool:
        """Whether there is nothing left to wait for."""
        return self.is_leaving and (now >= self.leaves_at or self.outcome is not None)


def told_end(payload: bytes) -> Status | None:
    """A learner's status, if it says that a run is over, and which."""
    status = load_status(payload) if payload else None
    if status is None or status.presence is not Presence.DONE or status.opening is None:
        return None
    return status


def is_outdated(status: Status, known: int | None) -> bool:
    """Whether a learner that was taken for dead says it: its successor goes on with the run."""
    return known is not None and status.epoch is not None and is_later(known, status.epoch)
