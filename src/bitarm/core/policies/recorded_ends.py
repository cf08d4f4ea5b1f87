"""Where recorded rewards end, for arms that are challenged at a leader's count.

A challenged agent takes the count until which it is asked for the leader's: so an arm can only be
challenged past its end, where it gives up on the way or not at all, never short of the leader.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.confidence import ArmView
from bitarm.core.policy import PolicyContext
from bitarm.core.schedule import MAX_PULLS

AHEAD = 3
"""How far a leader goes past the ends of all others' rewards, as a factor: evidence weighs arms
against each other whose pulls differ by up to four."""


@final
@dataclass(frozen=True, slots=True)
class RecordedEnds:
    """How far each arm can go; nobody meets an end where rewards are not recorded."""

    context: PolicyContext

    def of(self, view: ArmView) -> int:
        """The last pull that can be made of an arm."""
        return self.context.end(view.arm)

    def last_look(self, view: ArmView, held_back: int = 0) -> int:
        """The last look that an arm's rewards reach; or so many looks before it."""
        schedule = self.context.schedule
        if not self.context.ends:
            return MAX_PULLS
        index = schedule.index_at(self.of(view)) - held_back
        return schedule.pulls_at(max(index, 1)) or MAX_PULLS

    def is_short(self, view: ArmView, until: int) -> bool:
        """Whether its rewards end before so many pulls."""
        return self.of(view) < until

    def within(self, until: int, leader: ArmView, active: Sequence[ArmView], most: int) -> int:
        """No farther than the leader's rewards reach, and past the end of another's only after that
        one was challenged near its end: it may fall there, or tell where it is.

        Nobody has made more than `most` pulls. One look is held back: an arm is only asked with a
        pull to make, and the last word on it may come from a leader that has gone on.
        """
        until = min(until, self.last_look(leader))
        short = [self.last_look(view, 1) for view in active if self.is_short(view, until)]
        return min((until, *(end for end in short if end > most)))
