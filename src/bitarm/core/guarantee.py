"""Whether P(wrong) ≤ δ holds for an answer, and if not, why not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.confidence import ArmView
from bitarm.core.policy import Outcome, Policy
from bitarm.core.spec import RunSpec


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """The δ that holds, or None; and the reason in one sentence."""

    delta: float | None
    reason: str


def guarantee(
    spec: RunSpec,
    policy: Policy,
    outcome: Outcome,
    views: Sequence[ArmView],
    caveats: Sequence[str],
) -> Guarantee:
    """What may be claimed for this ending: a claim needs an answer, a proof and no caveat."""
    if outcome is not Outcome.DECIDED:
        return Guarantee(delta=None, reason=f"no answer: the run ended with {outcome.value}")
    if caveats:
        return Guarantee(delta=None, reason="; ".join(caveats))
    objection = policy.objection(spec, views)
    if objection is not None:
        return Guarantee(delta=None, reason=objection)
    return Guarantee(
        delta=spec.delta,
        reason=f"wrong with probability at most {spec.delta:g}, "
        f"if every arm's rewards are independent and {spec.sigma:g}-sub-Gaussian",
    )
