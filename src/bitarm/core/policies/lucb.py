"""LUCB (Kalyanakrishnan et al. 2012): the leader and its strongest challenger are compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, final

from bitarm.core.confidence import ArmView
from bitarm.core.policies.leader import Contest, LeaderPolicy
from bitarm.core.policy import TOLERANCE, highest
from bitarm.core.words import check_words


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lucb(LeaderPolicy):
    """Advances h = argmax μ̃ and l = argmax UCB of those that h does not beat, until none is left.

    h beats m when its lead is what separates the two, less ε: with an interval an arm, LCB_h ≥
    UCB_m − ε, and l is the argmax over all arms but h.

    Departure from the published rule, which pulls both once: here a pull is a batch that grows,
    and a leader that moved with each of its challengers would double every round. Of the two, the
    one that lags behind advances; both do if they have made equally many pulls. The stopping rule
    is untouched. The leader is tested against every other arm, not only against l: under a width
    that judges pairs, the arm with the largest UCB need not be the last to be separated.
    """

    name: ClassVar[str] = "lucb"

    epsilon: Annotated[float, TOLERANCE] = 0.0

    def __post_init__(self) -> None:
        check_words(self)

    def due(self, contest: Contest) -> Sequence[ArmView]:
        """Of h and l the one with fewer pulls; both if they have as many."""
        leader, confidence = contest.leader, contest.context.confidence
        challenger = highest(contest.rest, lambda view: view.mean + confidence.radius(view))
        fewest = min(leader.pulls, challenger.pulls)
        return [view for view in (leader, challenger) if view.pulls == fewest]
