"""What policies share that stop once their leader beats all others: each says whom it pulls."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, final

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.outcome import Outcome
from bitarm.core.policy import (
    Action,
    Policy,
    PolicyContext,
    Stop,
    advance,
    by_mean,
    highest,
    unbeaten,
    unheard,
)
from bitarm.core.spec import RunSpec


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A leader, and who keeps it from stopping; all arms have been heard."""

    leader: ArmView  # of the highest mean
    rest: Sequence[ArmView]  # the arms that it does not beat, one or more
    views: Sequence[ArmView]  # all arms in the race
    context: PolicyContext


class LeaderPolicy(Policy, Protocol):
    """One stopping rule, which carries the proof, for any sampling rule (`due`).

    To be inherited from, with a field `epsilon`: the tolerance.
    """

    __slots__ = ()

    stride: ClassVar[Stride] = Stride.APART

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The tolerance: an arm this close to the best will do."""
        ...

    @abstractmethod
    def due(self, contest: Contest) -> Sequence[ArmView]:
        """The arms to pull next, one or more of the contest's `views`."""
        ...

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        """One round: hear from every arm once, then from those that are due."""
        if unheard(views):
            return advance(unheard(views), context)
        leader = highest(views, by_mean)
        rest = unbeaten(leader, views, context.confidence, self.epsilon)
        if not rest:
            return (Stop(outcome=Outcome.DECIDED, best_arm=leader.arm),)
        contest = Contest(leader=leader, rest=rest, views=views, context=context)
        return advance(self.due(contest), context, views)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        """None: where no interval fails, or no pair with the best arm does, the leader is ε-best.

        Remark 1 and docs/widths.md, whoever is sampled.
        """
        return None
