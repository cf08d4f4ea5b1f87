"""The outlook of a run without an answer: who leads, who is out for sure, what deciding would cost.

Read from a run's standings, so that a result, the live table and a page say the same. The leader
and the cost are guesses and are called so. What is excluded is a claim: but for the events that
an answer is paid for, the best arm never falls, nor, of several that are equally good, the one that
the proof follows. So it holds at any time, under the same conditions; and as no arm falls by a
tolerance, none is in it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.core.budget import is_budgeted
from bitarm.core.confidence import ArmView, Stride
from bitarm.core.guarantee import Course, Guarantee, covered_arms, guarantee
from bitarm.core.standings import ArmStanding, Standings
from bitarm.core.words import values_of

RULE = (
    "if all means stay where they are, what separates two arms shrinks with the square root of "
    "their pulls, and bits grow with the logarithm of the pulls"
)
"""What the estimate of the cost of deciding supposes, in words."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CostToDecide:
    """An estimate of what an answer would cost from here on, and the rule that it follows."""

    samples: int
    payload_bits: int
    rule: str = RULE


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Where a run stands that has no answer, or none yet."""

    leader: int | None  # the highest decoded mean in the race; a guess
    runner_up: int | None  # the next highest in the race
    lead: float | None  # of the leader over the runner-up, in decoded means
    excluded: tuple[int, ...]  # arms that fell: the best is not among them, or one as good is left
    exclusion: Guarantee  # what may be claimed of that, and at which level
    to_decide: CostToDecide | None  # None where the rule says nothing, as at a tie


def outlook_of(standings: Standings) -> Outlook:
    """The outlook of a run, whether it goes on or has ended."""
    heard = _ranked(standings)
    leader, runner_up = (*heard, None, None)[:2]
    arms, covered = standings.arms, set(covered_arms(standings.arms))
    return Outlook(
        leader=leader,
        runner_up=runner_up,
        lead=None if leader is None or runner_up is None else _gap(arms[leader], arms[runner_up]),
        excluded=tuple(
            number
            for number, arm in enumerate(arms)
            if arm.dropped_for is not None and number in covered
        ),
        exclusion=_exclusion(standings),
        to_decide=None if leader is None else _cost(arms, leader, heard[1:]),
    )


def sufficient_epsilon(standings: Standings) -> float | None:
    """The least tolerance with which this run would end now, by the policy's own rule.

    So far below the best is the leader at most, at the run's level. None where the policy knows no
    tolerance, or where radii do not tell what separates two arms: unless all arms advance together.
    """
    setup, heard = standings.opened.setup, _ranked(standings)
    policy = setup.policy
    if policy.stride is not Stride.TOGETHER or "epsilon" not in values_of(policy):
        return None
    arms = standings.arms
    contenders = [arm for arm in arms if arm.active]
    if len(heard) < 2 or len(heard) < len(contenders):
        return None
    if len({arm.pulls for arm in contenders}) > 1:
        return None  # some have answered in a round that is open
    return _overlap([arms[number] for number in heard])


def likely_epsilon(standings: Standings) -> float | None:
    """A tolerance with which this run would likely have ended by now, by the radii that are shown.

    Where agents judge, these follow from a model, and what the agents have weighed only they know;
    where arms move apart, a pair's own margin is another than two radii. Nothing is claimed of it.
    None where the policy knows no tolerance, or where all arms advance together.
    """
    policy, heard = standings.opened.setup.policy, _ranked(standings)
    if policy.stride is Stride.TOGETHER or "epsilon" not in values_of(policy) or len(heard) < 2:
        return None
    return _overlap([standings.arms[number] for number in heard])


def rivals_left(standings: Standings) -> int:
    """Arms in the race that the leader is not yet clear of, by the radii that are shown.

    Not all that are in the race: some policies let no arm fall before the end.
    """
    arms, heard = standings.arms, _ranked(standings)
    unheard = sum(arm.active for arm in arms) - len(heard)
    overlaps = [_overlap([arms[heard[0]], arms[other]]) for other in heard[1:]]
    return unheard + sum(overlap is None or overlap > 0 for overlap in overlaps)


def _overlap(ranked: Sequence[ArmStanding]) -> float | None:
    """By how much the lowest that the first may be lies below the highest that another may be."""
    leader, *others = ranked
    overlap = 0.0
    for other in others:
        if leader.radius is None or other.radius is None:
            return None
        overlap = max(overlap, leader.radius + other.radius - _gap(leader, other))
    return overlap


def _ranked(standings: Standings) -> list[int]:
    """The arms in the race that have told a mean, the highest first; of equals, the lowest."""
    arms = standings.arms
    heard = [number for number, arm in enumerate(arms) if arm.active and arm.mean is not None]
    return sorted(heard, key=lambda number: -_mean(arms[number]))


def _mean(arm: ArmStanding) -> float:
    assert arm.mean is not None  # it was heard
    return arm.mean


def _gap(leader: ArmStanding, other: ArmStanding) -> float:
    return _mean(leader) - _mean(other)


def _exclusion(standings: Standings) -> Guarantee:
    """What may be claimed of the arms that fell: as much as of an answer without a tolerance."""
    setup, arms = standings.opened.setup, standings.arms
    spec = setup.spec
    if is_budgeted(setup.policy):
        return Guarantee(delta=None, reason="a fixed budget proves nothing of the arms that fell")
    views = [
        ArmView(
            arm=number,
            mean=arm.mean or 0.0,
            pulls=arm.pulls,
            messages=arm.messages,
            index=spec.schedule.index_at(arm.pulls) if arm.messages else 0,
            error=0.0,
        )
        for number, arm in enumerate(arms)
    ]
    course = Course(
        covered=covered_arms(arms),
        lost=[number for number, arm in enumerate(arms) if arm.lost],
        lives=[arm.lives for arm in arms],
        incidents=standings.incidents,
    )
    return guarantee(setup, setup.policy.answers, views, standings.caveats, course, of_fallen=True)


def _cost(arms: Sequence[ArmStanding], leader: int, others: Sequence[int]) -> CostToDecide | None:
    """Pulls that each arm lacks until it is separated, and the leader until the last one is."""
    first = arms[leader]
    if not others or first.radius is None:
        return None
    until = {}
    for number in others:
        other, gap = arms[number], _gap(first, arms[number])
        if gap <= 0 or other.radius is None:
            return None
        noise = first.radius * math.sqrt(first.pulls) + other.radius * math.sqrt(other.pulls)
        until[number] = (noise / gap) * (noise / gap)  # infinite where a power would raise
    until[leader] = max(until.values())
    if not math.isfinite(until[leader]):
        return None
    return CostToDecide(
        samples=sum(math.ceil(max(0.0, pulls - arms[arm].pulls)) for arm, pulls in until.items()),
        payload_bits=sum(_more_bits(arms[arm], pulls) for arm, pulls in until.items()),
    )


def _more_bits(arm: ArmStanding, pulls: float) -> int:
    if pulls <= arm.pulls:
        return 0
    # as many bits for each factor of pulls as it took until now
    return math.ceil(arm.payload_bits * math.log(pulls / arm.pulls) / math.log(max(arm.pulls, 2)))
