"""How a fixed budget of pulls is spent: in phases, each of which fewer arms reach."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Protocol, TypeGuard, final

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.outcome import Outcome
from bitarm.core.phases import Phase
from bitarm.core.policy import Action, Advance, Drop, Policy, PolicyContext, Stop, unheard
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.spec import LEAST_DELTA, RunSpec
from bitarm.core.words import Word
from bitarm.errors import ConfigError

NO_PROOF = (
    "a fixed budget buys an answer, not a proof: how often it is wrong depends on the gaps between "
    "the arms (bitarm simulate measures it for means that you suppose)"
)


PULL_BUDGET = Word(
    "Pulls of all arms together, in place of delta",
    sign="pulls=",
    table="problem",
    least=1,
    most=MAX_PULLS,
)
"""T, of every policy that spends a budget: how much is enough depends on the number of arms."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetWords:
    """Words of runs with a fixed budget that no policy has for itself."""

    bit_budget: Annotated[
        int | None,
        Word("Payload bits of all arms together", sign="bits=", table="problem", least=1),
    ] = None
    interval_delta: Annotated[
        float | None,
        Word(
            "Sizes icq's intervals under a budget; guarantees nothing",
            sign="interval δ=",
            least=LEAST_DELTA,
            below=1,
        ),
    ] = None


class BudgetPolicy(Policy, Protocol):
    """A policy that ends when its pulls are spent, and then names the arm that did best.

    Laws: the phases of K arms begin with K arms, lose at least one from each to the next, and
    their pulls increase; the pulls of all arms together stay within the budget. A budget that does
    not reach every phase is refused with the least that would do.
    """

    __slots__ = ()

    stride: ClassVar[Stride] = Stride.TOGETHER
    answers: ClassVar[Outcome] = Outcome.BUDGET_SPENT

    @abstractmethod
    def phases(self, arms: int) -> tuple[Phase, ...]:
        """The phases for this many arms."""
        ...

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        """The best go on to the next phase, as many as it has room for."""
        return spend(self.phases(context.arms), views)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        """Always: a budget proves nothing."""
        return NO_PROOF


def check_pull_budget(name: str, pull_budget: int, arms: int, least: int) -> None:
    """Refuse a budget that the algorithm cannot work with, and say which it could."""
    if pull_budget < least:
        raise ConfigError(
            f"pull_budget must be at least {least:,} for {name} with {arms:,} arms, "
            f"got {pull_budget:,}"
        )
    if pull_budget > MAX_PULLS:
        raise ConfigError(f"pull_budget must be at most {MAX_PULLS:,}, got {pull_budget:,}")


def is_budgeted(policy: Policy | type[Policy]) -> bool:
    """Whether a policy spends a budget instead of proving an answer."""
    return policy.answers is Outcome.BUDGET_SPENT


def has_phases(policy: Policy) -> TypeGuard[BudgetPolicy]:
    """Whether its checkpoints follow from its budget."""
    return BudgetPolicy in type(policy).__mro__


def spend(phases: Sequence[Phase], views: Sequence[ArmView]) -> tuple[Action, ...]:
    """What to do next: the arms with the highest means go on, the others fall.

    As many go on as the next phase has room for; of arms that tie, the lowest. An arm that was
    lost leaves its room to the others, never more than the phase was made for.
    """
    silent = unheard(views)
    if silent:
        return tuple(Advance(arm=view.arm, until=phases[0].until) for view in silent)
    done = max(view.pulls for view in views)
    ahead = next((phase for phase in phases if phase.until > done), None)
    room = 1 if ahead is None else ahead.arms
    ranked = sorted(views, key=lambda view: -view.mean)  # stable: the lowest arm of those that tie
    leader, kept = ranked[0], {view.arm for view in ranked[:room]}
    drops = tuple(Drop(arm=view.arm, because=leader.arm) for view in views if view.arm not in kept)
    if ahead is None:
        return (*drops, Stop(outcome=Outcome.BUDGET_SPENT, best_arm=leader.arm))
    return (
        *drops,
        *(Advance(arm=view.arm, until=ahead.until) for view in views if view.arm in kept),
    )
