"""Sequential Halving (Karnin, Koren and Somekh 2013): every phase the worse half of the arms falls.

A fixed budget is shared equally among ⌈log2 K⌉ phases, and in a phase among the arms that are left.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, final

from bitarm.core.budget import PULL_BUDGET, BudgetPolicy, check_pull_budget
from bitarm.core.phases import Phase


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialHalving(BudgetPolicy):
    """Keeps the ⌈K_r/2⌉ arms of the highest means after phase r; answers with the last one.

    Two departures from the published algorithm. It compares the means of one phase; here an arm's
    mean is over all its pulls so far, which wastes none of them (an agent has but one mean to
    send). And it rounds every phase down to T/(K_r·⌈log2 K⌉) pulls an arm; here what rounding left
    of a phase is shared among those that follow, so at most one pull is left in the end.
    """

    name: ClassVar[str] = "sequential-halving"

    pull_budget: Annotated[int, PULL_BUDGET]  # T

    def phases(self, arms: int) -> tuple[Phase, ...]:
        """⌈log2 K⌉ phases; refuses a budget below K·⌈log2 K⌉."""
        return _phases(arms, self.pull_budget)


@lru_cache(maxsize=64)
def _phases(arms: int, budget: int) -> tuple[Phase, ...]:
    count = (arms - 1).bit_length()  # ⌈log2 K⌉
    check_pull_budget(SequentialHalving.name, budget, arms, arms * count)
    phases: list[Phase] = []
    until, left = 0, budget
    for ahead in range(count, 0, -1):
        each = left // (arms * ahead)
        until, left = until + each, left - arms * each
        phases.append(Phase(arms=arms, until=until))
        arms = -(-arms // 2)
    return tuple(phases)
