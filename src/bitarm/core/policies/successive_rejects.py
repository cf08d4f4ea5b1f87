"""Successive Rejects (Audibert, Bubeck and Munos 2010): every phase the worst arm falls."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, final

from bitarm.core.budget import PULL_BUDGET, BudgetPolicy, check_pull_budget
from bitarm.core.phases import Phase, pulls

_BELOW = 1 - 1e-12  # no rounding of a float may add a pull to a phase


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessiveRejects(BudgetPolicy):
    """Drops the arm of the lowest mean after each of K − 1 phases; answers with the last one.

    Every arm of phase k has n_k = ⌈(T − K)/(L·(K + 1 − k))⌉ pulls by its end, with
    L = ½ + Σ_{i=2}^K 1/i; means are over all pulls so far, as published. Where two phases end at
    the same n_k nothing new is heard between them, so they are one here, and two arms fall at once.

    Two departures, both at the edges: n_k is at least 1, so that a budget of K pulls already
    answers; and what rounding left over goes to the last two arms.
    """

    name: ClassVar[str] = "successive-rejects"

    pull_budget: Annotated[int, PULL_BUDGET]  # T

    def phases(self, arms: int) -> tuple[Phase, ...]:
        """At most K − 1 phases; refuses a budget below K."""
        return _phases(arms, self.pull_budget)


@lru_cache(maxsize=64)
def _phases(arms: int, budget: int) -> tuple[Phase, ...]:
    check_pull_budget(SuccessiveRejects.name, budget, arms, arms)
    log = 0.5 + math.fsum(1 / i for i in range(2, arms + 1))  # L
    phases: list[Phase] = []
    for active in range(arms, 1, -1):  # K + 1 − k
        until = max(1, math.ceil((budget - arms) / (log * active) * _BELOW))
        if not phases or until > phases[-1].until:
            phases.append(Phase(arms=active, until=until))
    spare = (budget - pulls(phases)) // 2
    last = phases[-1]
    if spare and last.arms == 2:
        phases[-1] = Phase(arms=2, until=last.until + spare)
    elif spare:
        phases.append(Phase(arms=2, until=last.until + spare))
    return tuple(phases)
