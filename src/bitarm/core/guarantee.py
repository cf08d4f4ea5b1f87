"""Whether P(wrong) ≤ δ holds for an answer, and if not, why not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.confidence import ArmView
from bitarm.core.learner_state import ArmRecord
from bitarm.core.policy import Outcome
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec

_MOST_NAMES = 8


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """The δ that holds, or None; and the reason in one sentence."""

    delta: float | None
    reason: str


def guarantee(
    setup: Setup,
    outcome: Outcome,
    views: Sequence[ArmView],
    caveats: Sequence[str],
    covered: Sequence[int],
    lives: Sequence[int] = (),
) -> Guarantee:
    """What may be claimed for this ending: a claim needs an answer, a proof and no caveat.

    It reaches as far as the `covered` arms. `lives` counts the sequences of rewards of each arm:
    more than one where an agent lost its memory.
    """
    spec, policy = setup.spec, setup.policy
    if outcome is not policy.answers:
        why = "; ".join((f"no answer: the run ended with {outcome.value}", *caveats))
        return Guarantee(delta=None, reason=why)
    objections = (
        policy.objection(spec, views),
        spec.quantizer.objection(),
        spec.sampling.objection(),
    )
    objection = "; ".join(text for text in objections if text is not None) or None
    if objection is not None and outcome is Outcome.BUDGET_SPENT:
        return Guarantee(
            delta=None, reason="; ".join((objection, *caveats)) + _reach(spec, covered)
        )
    if caveats:
        return Guarantee(delta=None, reason="; ".join(caveats))
    if objection is not None:
        return Guarantee(delta=None, reason=objection)
    level = spec.delta * _looks(spec, lives)
    forgot = sum(lives) - len(lives)
    if level >= 1:
        return Guarantee(
            delta=None,
            reason=f"agents lost their memory {forgot:,} times, and the width {spec.width}, which "
            "holds along one sequence of rewards, must be paid for anew each time",
        )
    return Guarantee(
        delta=level,
        reason=f"wrong with probability at most {level:g}, "
        f"if every arm's rewards are independent and {spec.sigma:g}-sub-Gaussian"
        + _forgotten(forgot, level / spec.delta)
        + _reach(spec, covered),
    )


def claim_ahead(setup: Setup, checkpoints: Sequence[int], caveats: Sequence[str] = ()) -> Guarantee:
    """What may be claimed for answers of a setup that has not run, as far as these checkpoints."""
    furthest = ArmView(
        arm=0,
        mean=0.0,
        pulls=checkpoints[-1],
        messages=len(checkpoints),
        index=len(checkpoints),
        error=0.0,
    )
    every_arm = range(len(setup.spec.arms))
    return guarantee(setup, setup.policy.answers, [furthest], caveats, every_arm)


def _looks(spec: RunSpec, lives: Sequence[int]) -> int:
    """How often δ is spent where agents lost their memory and began new sequences of rewards.

    A width that is a union over checkpoints spends it once: each checkpoint of an arm is read
    once, of whichever sequence. One that holds along a path spends it for each pair of sequences
    that may have been compared; for the best arm and any other, at most the two largest counts'
    product (docs/widths.md).
    """
    if not spec.sampling.along_path or not lives:
        return 1
    most, second = sorted(lives, reverse=True)[:2]
    return most * second


def _forgotten(times: int, factor: float) -> str:
    if not times:
        return ""
    spent = f": δ is counted {factor:.0f} times for that" if factor > 1 else ""
    often = "once" if times == 1 else f"{times:,} times"
    return (
        f", and if what agents forgot does not depend on the rewards "
        f"(live rewards were lost with an agent's memory {often}{spent})"
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
