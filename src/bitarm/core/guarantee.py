"""Whether P(wrong) ≤ δ holds for an answer, and if not, why not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.confidence import ArmView
from bitarm.core.learner_state import ArmRecord
from bitarm.core.policy import Outcome, Policy
from bitarm.core.spec import RunSpec

_MOST_NAMES = 8


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
    covered: Sequence[int],
) -> Guarantee:
    """What may be claimed for this ending: a claim needs an answer, a proof and no caveat.

    It reaches as far as the `covered` arms.
    """
    if outcome is not policy.answers:
        return Guarantee(delta=None, reason=f"no answer: the run ended with {outcome.value}")
    objection = policy.objection(spec, views)
    if objection is not None and outcome is Outcome.BUDGET_SPENT:
        return Guarantee(
            delta=None, reason="; ".join((objection, *caveats)) + _reach(spec, covered)
        )
    if caveats:
        return Guarantee(delta=None, reason="; ".join(caveats))
    if objection is not None:
        return Guarantee(delta=None, reason=objection)
    return Guarantee(
        delta=spec.delta,
        reason=f"wrong with probability at most {spec.delta:g}, "
        f"if every arm's rewards are independent and {spec.sigma:g}-sub-Gaussian"
        + _reach(spec, covered),
    )


def covered_arms(arms: Sequence[ArmRecord]) -> list[int]:
    """The arms that an answer speaks of: all but those lost and those that only a lost one beat.

    An arm was dropped because another is better. If that other is lost later, nothing is known of
    the dropped one against those that remain. An arm that was dropped is never lost afterwards.
    """
    return [arm for arm in range(len(arms)) if not arms[_beaten_by(arms, arm)].lost]


def _beaten_by(arms: Sequence[ArmRecord], arm: int) -> int:
    """The last in the chain of better arms; each was dropped later than the one before it."""
    while (better := arms[arm].dropped_for) is not None:
        arm = better
    return arm


def _reach(spec: RunSpec, covered: Sequence[int]) -> str:
    left_out = len(spec.arms) - len(covered)
    if not left_out:
        return ""
    names = ", ".join(spec.arms[arm] for arm in range(len(spec.arms)) if arm not in set(covered))
    if left_out > _MOST_NAMES:
        names = f"{left_out:,} arms"
    return (
        f"; it covers the {len(covered):,} arms that remained, not {names}: their agents were lost"
    )
