"""What an agent says of itself: its status, when one is due, and how long it may be silent."""

import math
from typing import final

from bitarm.runtime.agent.memory import AgentMemory
from bitarm.runtime.agent.part import Part
from bitarm.runtime.service import Publication
from bitarm.wire.status import Presence, Status, dump_status

_SAY_AGAIN = (30.0, 600.0)  # seconds of silence after which an idle agent says that it is there


@final
class OwnStatus:
    """Makes the statuses of one agent, and knows which is due.

    `boot` names the process that speaks, `reason` says what it refused last.
    """

    def __init__(self, topic: str, *, boot: str) -> None:
        self._topic = topic
        self._due: Presence | None = None
        self._patience = _SAY_AGAIN[0]
        self.boot = boot
        self.reason = ""
        self.again_at = math.inf  # when to say again that it is there: perhaps nobody heard it

    def say(self, presence: Presence) -> None:
        """A status is due, in place of any that was."""
        self._due = presence

    def mention(self, presence: Presence) -> None:
        """A status is due, unless one is already: any would tell what has changed."""
        self._due = self._due or presence

    def spoken_to(self, now: float) -> None:
        """Somebody knows that this agent is there."""
        self._patience = _SAY_AGAIN[0]
        self.again_at = now + self._patience

    def say_again(self, now: float) -> None:
        """Say after a silence that the agent is there, and wait twice as long the next time."""
        self._due = Presence.ONLINE
        self._patience = min(2 * self._patience, _SAY_AGAIN[1])
        self.again_at = now + self._patience

    def disconnected(self) -> None:
        """Say nothing while the broker is away: nobody could hear."""
        self.again_at = math.inf

    def take_due(self, part: Part | None, over: AgentMemory | None) -> list[Publication]:
        """The status that is due, if one is."""
        due, self._due = self._due, None
        return [] if due is None else [self.message(due, part, over)]

    def message(
        self, presence: Presence, part: Part | None, over: AgentMemory | None, reason: str = ""
    ) -> Publication:
        """A status as it would be said now, in the run of which the agent has a `part`.

        Without one, `over` is what it remembers of a run that ended while it was away.
        """
        memory = over if part is None else part.memory
        starts = memory.starts if memory else ()
        status = Status(
            presence=presence,
            opening=memory.opening if memory else None,
            epoch=None if part is None else part.epoch,
            answered=0 if part is None else part.answered,
            boot=self.boot,
            life=memory.life if memory else "",
            pulls=starts[-1].pulls if starts else {},
            made=_made(memory) if presence is Presence.DONE else {},
            before=starts[:-1],
            restarts=memory.restarts if memory else 0,
            discarded=memory.discarded if memory else 0,
            clipped=memory.clipped if memory else 0,
            refused=memory.refused if memory else 0,
            reason=reason or self.reason,
        )
        return Publication(topic=self._topic, payload=dump_status(status), retain=True)


def _made(memory: AgentMemory | None) -> dict[int, int]:
    return {} if memory is None else {arm: state.pulls for arm, state in memory.arms.items()}
