"""lil'UCB's sampling rule (Jamieson et al. 2014) with a stopping rule by comparisons."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, final

from bitarm.core.confidence import ArmView, Confidence
from bitarm.core.policies.leader import Contest, LeaderPolicy
from bitarm.core.policy import TOLERANCE, highest
from bitarm.core.words import check_words

BETA = 1.0
"""β: how far an index looks beyond the interval."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LilUcb(LeaderPolicy):
    """Advances argmax of μ̃ + (1 + β)·radius; stops when argmax μ̃ beats every other arm (less ε).

    Departure from the published algorithm, whose own stopping rule counts pulls: that rule is
    proven for single pulls of exact means only (see `lil-ucb-count`), this one for any batches.
    The (1 + β) matters: with the bare UCB a challenger stays just below the leader, which then
    doubles almost without end.
    """

    name: ClassVar[str] = "lil-ucb"

    epsilon: Annotated[float, TOLERANCE] = 0.0

    def __post_init__(self) -> None:
        check_words(self)

    def due(self, contest: Contest) -> Sequence[ArmView]:
        """The arm of the highest index."""
        return [highest(contest.views, lil_index(contest.context.confidence))]


def lil_index(confidence: Confidence) -> Callable[[ArmView], float]:
    """The score by which lil'UCB samples: μ̃ + (1 + β)·radius, β = 1."""
    return lambda view: view.mean + (1 + BETA) * confidence.radius(view)
