"""lil'UCB as published (Jamieson et al. 2014): it stops by counting pulls, not by intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.confidence import ArmView, Stride, Width
from bitarm.core.outcome import Outcome
from bitarm.core.policies.lil_ucb import lil_index
from bitarm.core.policy import Action, Policy, PolicyContext, Stop, advance, highest, unheard
from bitarm.core.quantizers.exact import Exact
from bitarm.core.spec import RunSpec
from bitarm.core.widths.lil import LilWidth, delta_prime


@final
@dataclass(frozen=True, slots=True)
class LilUcbCount(Policy):
    """Advances argmax of μ̃ + (1 + β)·radius, β = 1; stops when one arm has nearly all pulls.

    Answers arm i once N_i ≥ 1 + λ·Σ_{j≠i} N_j. Its proof needs exact means, the lil width and
    batches of one pull: with batches and quantized means it does fail, so it then claims nothing.
    """

    name: ClassVar[str] = "lil-ucb-count"
    stride: ClassVar[Stride] = Stride.APART
    needs_width: ClassVar[type[Width] | None] = LilWidth

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        """One round: hear from every arm once, then from one at a time."""
        if unheard(views):
            return advance(unheard(views), context)
        total = sum(view.pulls for view in views)
        most = highest(views, lambda view: view.pulls)
        if most.pulls >= 1 + stop_ratio(context.arms, context.delta) * (total - most.pulls):
            return (Stop(outcome=Outcome.DECIDED, best_arm=most.arm),)
        return advance([highest(views, lil_index(context.confidence))], context)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        """Exact means, the lil width and single pulls, or no claim."""
        if spec.quantizer.name != Exact.name:
            return f"{self.name} is proven for the quantizer exact only, not {spec.quantizer.name}"
        if spec.width != LilWidth.name:
            return f"{self.name} is proven for the width lil only, not {spec.width}"
        if any(view.pulls != view.messages for view in views):
            return f"{self.name} is proven for batches of one pull only"
        return None


def stop_ratio(arms: int, delta: float) -> float:
    """λ = 9·(1 + ln(2 ln(9/δ'))/ln(1/δ')), between 9 and 11.7.

    Departure from the published λ = 9, which its authors reach by rounding a constant down;
    `docs/paper.md` proves that this one suffices.
    """
    omega = delta_prime(arms, delta)
    return 9 * (1 + math.log(2 * math.log(9 / omega)) / math.log(1 / omega))
