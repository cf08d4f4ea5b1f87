"""Successive Elimination, Algorithm 1: all active arms advance together, the beaten ones fall."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, final

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.outcome import Outcome
from bitarm.core.policy import (
    TOLERANCE,
    Action,
    Drop,
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
from bitarm.core.words import check_words


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessiveElimination(Policy):
    """Drops arm m when the largest LCB reaches UCB(m); answers with the last arm.

    Departure from Algorithm 1: the largest LCB is taken over the active arms, not over all of [K].
    An arm that fell has no estimate of this round, and its old LCB could empty the set.
    With a tolerance it stops as soon as the leader is surely within ε of every active arm.
    """

    name: ClassVar[str] = "se"
    stride: ClassVar[Stride] = Stride.TOGETHER

    epsilon: Annotated[float, TOLERANCE] = 0.0

    def __post_init__(self) -> None:
        check_words(self)

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        """Lines 11 and 12 of Algorithm 1."""
        if unheard(views):
            return advance(views, context)
        confidence = context.confidence
        top = highest(views, lambda view: view.mean - confidence.radius(view))
        drops: list[Action] = []
        active: list[ArmView] = []
        for view in views:
            lead = top.mean - view.mean
            if view.arm != top.arm and lead >= confidence.separation(view, top):
                drops.append(Drop(arm=view.arm, because=top.arm))
            else:
                active.append(view)
        return (*drops, *self._go_on(active, context))

    def _go_on(self, active: list[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        leader = highest(active, by_mean)
        if len(active) == 1 or (
            self.epsilon > 0 and not unbeaten(leader, active, context.confidence, self.epsilon)
        ):
            return (Stop(outcome=Outcome.DECIDED, best_arm=leader.arm),)
        return advance(active, context)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        """None: Theorem 4, for any quantizer and any width that holds at all checkpoints."""
        return None
