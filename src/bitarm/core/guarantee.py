"""Whether P(wrong) ≤ δ holds for an answer, and if not, why not."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, final

from bitarm.core.assumptions import assumptions_of, meaning_of, spelled
from bitarm.core.confidence import ArmView, Stride
from bitarm.core.events import AgentJoined
from bitarm.core.outcome import Outcome
from bitarm.core.policy import tolerance_of
from bitarm.core.resolution import allowance, resolution
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec

_MOST_NAMES = 8

_CHAINS = 3
"""How often a pair's evidence is paid for where a part of the past was lost: for the tests as they
came, and for those with one or the other arm left behind at an old count (docs/evidence.md)."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """The δ that holds, or None; the reason in one sentence; and what it takes for granted."""

    delta: float | None
    reason: str
    assumptions: tuple[str, ...] = ()  # the clauses of that sentence; none without a δ


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Incidents:
    """What happened to the processes of a run, as far as a claim depends on it."""

    rewards_lost: bool = False  # that were never told, with an agent's process or its memory
    files_read: bool = False  # whether an agent went on with live rewards, from its file
    silent: bool = False  # whether an agent does not say what it remembers
    resumed: bool = False  # whether another learner went on with the run, from its journal
    restores: int = 0  # epochs in which agents turned out to remember more than that journal
    restored_in: int | None = None  # the last of these epochs

    def with_process(self, joined: AgentJoined) -> "Incidents":
        """The incidents after a process began to serve an agent, for the first time or again."""
        return replace(
            self,
            rewards_lost=self.rewards_lost or joined.may_have_lost,
            files_read=self.files_read or joined.may_have_gone_on,
            silent=self.silent or joined.is_silent,
        )

    def with_restore(self, epoch: int) -> "Incidents":
        """The incidents after an agent told, in this epoch, of a past that its learner has lost.

        However many say so in one epoch, it is one past. It counts when it is told: the arm may be
        lost before the round closes.
        """
        if epoch == self.restored_in:
            return self
        return replace(self, restores=self.restores + 1, restored_in=epoch)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What happened in a run, as far as a claim depends on it."""

    covered: Sequence[int]  # arms that an answer speaks of
    lost: Sequence[int] = ()  # arms that nobody could hear any more
    lives: Sequence[int] = ()  # by arm: its sequences of rewards, more than one if memory was lost
    incidents: Incidents = field(default_factory=Incidents)


def guarantee(
    setup: Setup,
    outcome: Outcome,
    views: Sequence[ArmView],
    caveats: Sequence[str],
    course: Course,
    *,
    of_fallen: bool = False,
) -> Guarantee:
    """What may be claimed for this ending: a claim needs an answer, a proof and no caveat.

    `views` are all arms as they stand. The claim reaches as far as the arms that are covered. With
    `of_fallen` it is not of the answer but of the arms that fell: that a best one is not among
    them. No arm ever falls by a tolerance, so there is none in that claim.
    """
    spec, policy = setup.spec, setup.policy
    reach = _reach(spec, course)
    refusal = _refusal(setup, outcome, views, caveats, reach)
    if refusal is not None:
        return Guarantee(delta=None, reason=refusal)
    sequences, bests = _sequences(spec, course.lives), _bests(spec, course)
    incidents = course.incidents
    chains = _CHAINS**incidents.restores if _may_go_back(setup) else 1
    spent = spec.delta * sequences * bests * chains
    forgot = sum(course.lives) - len(course.lives)
    if spent >= 1:
        return Guarantee(delta=None, reason=_nothing_left(spec, forgot, bests, chains) + reach)
    clauses = assumptions_of(
        setup,
        rewards_lost=incidents.rewards_lost,
        files_read=incidents.files_read and _may_undo_looks(setup),
        silent=incidents.silent,
        journal=_journal(incidents, chains) if _may_go_back(setup) else "",
        forgotten=_forgotten(forgot, sequences),
    )
    epsilon = 0.0 if of_fallen else tolerance_of(policy)
    within = f" (more than {spelled(epsilon)} below the best)" if epsilon else ""
    *most, last = clauses
    for_reach = f" (δ is counted {bests:g} times for that)" if bests > 1 else ""
    return Guarantee(
        delta=spent,
        reason=f"wrong with probability at most {at_most(spent)}{within}, "
        f"if {'; '.join(most)}; and {last}{reach}{for_reach}",
        assumptions=clauses if not epsilon else (*clauses, meaning_of(epsilon)),
    )


def _refusal(
    setup: Setup, outcome: Outcome, views: Sequence[ArmView], caveats: Sequence[str], reach: str
) -> str | None:
    """Why nothing is claimed of this ending, whatever happened on the way; None if it may be."""
    spec, policy = setup.spec, setup.policy
    if outcome is not policy.answers:
        return "; ".join((f"no answer: the run ended with {outcome.value}", *caveats))
    every = (
        policy.objection(spec, views),
        spec.quantizer.objection(),
        spec.sampling.objection(),
        _too_far(spec, views),
    )
    objections = [text for text in every if text is not None]
    if objections and outcome is Outcome.BUDGET_SPENT:  # it is a best guess all the same
        return "; ".join((*objections, *caveats)) + reach
    if caveats:
        return "; ".join(caveats)
    return "; ".join(objections) if objections else None


def at_most(level: float) -> str:
    """A probability that is claimed, in few digits where these are not less than it."""
    short = f"{level:g}"
    return short if float(short) >= level * (1 - 1e-12) else repr(level)  # but for a rounding


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
    every_arm = Course(covered=range(len(setup.spec.arms)))
    return guarantee(setup, setup.policy.answers, [furthest], caveats, every_arm)


def _may_go_back(setup: Setup) -> bool:
    """Whether a learner that lost a part of its past may compare two arms at a count that one of
    them has passed: evidence for a pair is followed along its counts, which must not go back.

    Where all arms move together none goes back.
    """
    width, stride = setup.spec.sampling, setup.policy.stride
    apart = stride in (Stride.APART, Stride.JUDGED)
    return width.along_path and width.of_pairs and apart


def _may_undo_looks(setup: Setup) -> bool:
    """Whether an older copy of an agent's file could undo looks at evidence without a trace: agents
    that judge themselves look many times before they answer once.
    """
    return setup.spec.sampling.along_path and setup.policy.stride is Stride.JUDGED


def _too_far(spec: RunSpec, views: Sequence[ArmView]) -> str | None:
    """Why rounding voids a claim that follows from these means; None if it does not."""
    if spec.quantizer.refuses_far:
        return None
    for view in views:
        if view.messages and resolution(view.mean) > allowance(spec.sigma, view.pulls):
            return (
                f"a mean of {view.mean:.6g} after {view.pulls:,} pulls is too large beside sigma = "
                f"{spec.sigma:g} for 64-bit floats: subtract from all rewards what they have in "
                "common"
            )
    return None


def _sequences(spec: RunSpec, lives: Sequence[int]) -> int:
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


def _bests(spec: RunSpec, course: Course) -> float:
    """How often δ is spent where an answer does not cover all arms; rounded up, to be told.

    A width of pairs pays for the K − 1 pairs with the best arm. If u arms are not covered, the best
    covered one is among the u + 1 best: whichever is better is not covered. And if it fell, it was
    because of a worse one. So the pairs of each of these with all that are worse are paid for,
    K − 1, K − 2, … of them: whichever agents are lost, and for whatever reason (docs/widths.md).
    """
    arms, left_out = len(spec.arms), len(spec.arms) - len(course.covered)
    if not (left_out and spec.sampling.of_pairs):
        return 1.0
    pairs = (left_out + 1) * (2 * arms - left_out - 2) / 2
    return math.ceil(100 * pairs / (arms - 1) - 1e-9) / 100


def _nothing_left(spec: RunSpec, forgot: int, bests: float, chains: int) -> str:
    """Why nothing is claimed where δ was spent too often."""
    reasons = []
    if forgot:
        reasons.append(
            f"agents lost their memory {forgot:,} times, and the width {spec.width}, which holds "
            "along one sequence of rewards, must be paid for anew each time"
        )
    if bests > 1:
        reasons.append(
            f"not all arms are covered, and the width {spec.width}, which pays for pairs with the "
            f"best of all, must be paid for {bests:g} times so that another may be the best"
        )
    if chains > 1:
        reasons.append(
            "agents remember more than the journal that the run was resumed from, and the width "
            f"{spec.width}, which follows the pulls of a pair, must be paid for {chains} times to "
            "cover that"
        )
    return "; ".join(reasons)


def _journal(incidents: Incidents, chains: int) -> str:
    if not incidents.resumed:
        return ""
    if not incidents.restores:
        return "the journal that the run was resumed from was its newest"
    often = "once" if incidents.restores == 1 else f"{incidents.restores:,} times"
    return (
        "when an older journal was resumed from does not depend on the rewards (noticed "
        f"{often}: δ is counted {chains} times for that), and every other was its newest"
    )


def _forgotten(times: int, factor: int) -> str:
    if not times:
        return ""
    spent = f": δ is counted {factor} times for that" if factor > 1 else ""
    often = "once" if times == 1 else f"{times:,} times"
    return f"live rewards were lost with an agent's memory {often}{spent}"


class Fallen(Protocol):
    """What must be known of an arm to say whether an answer speaks of it."""

    @property
    def dropped_for(self) -> int | None:
        """The arm that was better, if it was dropped."""
        ...

    @property
    def lost(self) -> bool:
        """Whether it left the race because nobody could hear it."""
        ...


def covered_arms(arms: Sequence[Fallen]) -> list[int]:
    """The arms that an answer speaks of: all but those lost and those that only a lost one beat.

    An arm was dropped because another is better. If that other is lost later, nothing is known of
    the dropped one against those that remain. An arm that was dropped is never lost afterwards.
    """
    return [arm for arm in range(len(arms)) if not arms[_last_better(arms, arm)].lost]


def _last_better(arms: Sequence[Fallen], arm: int) -> int:
    """The last in the chain of better arms; each was dropped later than the one before."""
    while (better := arms[arm].dropped_for) is not None:
        arm = better
    return arm


def _reach(spec: RunSpec, course: Course) -> str:
    covered = set(course.covered)
    left_out = [arm for arm in range(len(spec.arms)) if arm not in covered]
    if not left_out:
        return ""
    names = ", ".join(spec.arms[arm] for arm in left_out)
    if len(left_out) > _MOST_NAMES:
        names = f"{len(left_out):,} arms"
    text = f"; it covers the {len(covered):,} arms that remained, not {names}: "
    if len(left_out) == len(course.lost):
        return text + "their agents were lost"
    return text + "their agents were lost, or those of the arms that had beaten them"
