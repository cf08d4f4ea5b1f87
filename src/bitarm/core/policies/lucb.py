"""LUCB (Kalyanakrishnan et al. 2012): the leader and its strongest challenger are compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, final

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.outcome import Outcome
from bitarm.core.policy import (
    TOLERANCE,
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
from bitarm.core.words import check_words


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lucb(Policy):
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
    stride: ClassVar[Stride] = Stride.APART

    epsilon: Annotated[float, TOLERANCE] = 0.0

    def __post_init__(self) -> None:
        check_words(self)

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        """One round: hear from every arm once, then from one or two at a time."""
        if unheard(views):
            return advance(unheard(views), context)
        confidence = context.confidence
        leader = highest(views, by_mean)
        rest = unbeaten(leader, views, confidence, self.epsilon)
        if not rest:
            return (Stop(outcome=Outcome.DECIDED, best_arm=leader.arm),)
        challenger = highest(rest, lambda view: view.mean + confidence.radius(view))
        fewest = min(leader.pulls, challenger.pulls)
        due = [view for view in (leader, challenger) if view.pulls == fewest]
        return advance(due, context, views)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        """None: where no interval fails, or no pair with the best arm does, h is ε-best.

        Remark 1 and docs/widths.md, whoever is sampled.
        """
        return None
