"""Where recorded rewards end, for arms that are challenged at a leader's count.

Only who is asked, and until when, follows from it: what may be claimed does not, since evidence
holds whoever is asked. An end is known before the run and is no result of it, and the claim says
that it must not depend on the rewards: else who is asked would follow from rewards still to come.

A challenged agent takes the count until which it is asked for the leader's own. So an arm whose
rewards end before that cannot be asked for less: it is challenged past its end, where it gives up
on the way, or the run ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.confidence import ArmView
from bitarm.core.policy import PolicyContext
from bitarm.core.schedule import MAX_PULLS


@final
@dataclass(frozen=True, slots=True)
class RecordedEnds:
    """How far each arm can go; nobody meets an end where rewards are not recorded."""

    context: PolicyContext

    def of(self, view: ArmView) -> int:
        """The last pull that can be made of an arm."""
        return self.context.end(view.arm)

    def last_look(self, view: ArmView, held_back: int = 0) -> int:
        """The last look that an arm's rewards reach, or so many looks before it.

        First words hold one back: they are coarse, and only an arm with a pull to make can be asked
        again. Without that, the best guess is the highest mean of few rows less often.
        """
        if not self.context.ends:
            return MAX_PULLS
        schedule = self.context.schedule
        index = schedule.index_at(self.of(view)) - held_back
        return schedule.pulls_at(max(index, 1)) or MAX_PULLS

    def within(self, until: int, leader: ArmView, active: Sequence[ArmView], most: int) -> int:
        """How far a leader goes that wants to get to `until`; nobody has made more than `most`.

        As far as its rewards reach, and in one leap not to the end of another's: that one is
        challenged one look before. So it has rewards left for a last challenge, by a leader that
        has gone on.
        """
        looks = (self.last_look(view, 1) for view in active if self.of(view) < until)
        return min(until, self.last_look(leader), *(look for look in looks if look > most))
