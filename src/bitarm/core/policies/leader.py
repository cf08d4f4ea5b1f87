"""What policies share that stop once their leader beats all others: each says whom it pulls."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol

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
    def due(
        self,
        leader: ArmView,
        rest: Sequence[ArmView],
        views: Sequence[ArmView],
        context: PolicyContext,
    ) -> Sequence[ArmView]:
        """The arms to pull next, one or more of the `views`.

        All have been heard. `leader` has the highest mean; `rest` are the arms that it does not
        beat, one or more.
        """
        ...

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        """One round: hear from every arm once, then from those that are due."""
        if unheard(views):
            return advance(unheard(views), context)
        leader = highest(views, by_mean)
        rest = unbeaten(leader, views, context.confidence, self.epsilon)
        if not rest:
            return (Stop(outcome=Outcome.DECIDED, best_arm=leader.arm),)
        return advance(self.due(leader, rest, views, context), context, views)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        """None: where no interval fails, or no pair with the best arm does, the leader is ε-best.

        Remark 1 and docs/widths.md, whoever is sampled.
        """
        return None
