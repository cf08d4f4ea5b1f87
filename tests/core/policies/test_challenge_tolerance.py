"""Elimination by challenge with a tolerance: who yields to a leader rests, and is not out."""

import math
from dataclasses import replace

import pytest
from core.policies.test_challenge import advances, ahead, context, decided, heard, run

from bitarm.core.confidence import ArmView
from bitarm.core.events import ArmDropped, ReportAccepted
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.outcome import Outcome
from bitarm.core.policies import ChallengeElimination
from bitarm.core.policies.prospects import raised
from bitarm.core.policy import Action, Stop

_EPSILON = 0.05


def decide(views: list[ArmView], width: str = "bounded") -> tuple[Action, ...]:
    return ChallengeElimination(epsilon=_EPSILON).decide(views, context(width))


def yielding(arm: int, to: int, pulls: int = 60) -> ArmView:
    """An arm that lost the challenge of another, and told nothing else."""
    return replace(heard(arm, 0.89, pulls), error=math.inf, beaten_by=to)


def test_the_run_ends_when_all_others_yield_to_the_leader() -> None:
    views = [yielding(0, 1), ahead(1, 0.9, 60), yielding(2, 1)]
    assert decide(views) == (Stop(outcome=Outcome.DECIDED, best_arm=1),)


def test_who_yields_is_neither_dropped_nor_asked_while_that_arm_leads() -> None:
    views = [yielding(0, 1), ahead(1, 0.9, 60), heard(2, 0.9, 60)]
    asked = advances(decide(views))  # no drop among them
    assert [advance.arm for advance in asked] == [1]
    views[1:] = [ahead(1, 0.9, 200), heard(2, 0.5, 60)]
    assert [advance.arm for advance in advances(decide(views))] == [2]


def test_told_cells_that_are_enough_with_the_tolerance_drop_nobody() -> None:
    """Who is dropped so may be the best of all, and a third arm may win that is worse than ε."""
    views = [heard(0, 0.68, 500), heard(1, 0.9, 500), heard(2, 0.89, 500)]
    evidence = context("sub-gaussian").confidence
    assert isinstance(evidence, Evidence)
    assert evidence.separates(views[0], views[1], _EPSILON)
    assert not evidence.separates(views[0], views[1])
    assert advances(decide(views, "sub-gaussian"))  # no drop among them
    assert decide(views[:2], "sub-gaussian") == (Stop(outcome=Outcome.DECIDED, best_arm=1),)


def test_another_leader_must_beat_it_again() -> None:
    """An arm within ε of the leader that fell may be 2ε above the one that beat that."""
    views = [yielding(0, 1), yielding(1, 2), ahead(2, 0.97, 200)]
    asked = {advance.arm: advance.hint for advance in advances(decide(views))}
    assert asked.keys() == {0}
    hint = asked[0]
    assert hint is not None
    assert (hint.rival, isinstance(hint.task, Challenge)) == (2, True)


def test_the_one_that_yields_does_not_lead() -> None:
    high = replace(yielding(0, 1), mean=0.99)
    (leader,) = advances(decide([high, heard(1, 0.9, 60), heard(2, 0.8, 60)]))
    assert leader.arm == 1


def test_a_challenge_is_raised_by_the_tolerance_and_never_by_more() -> None:
    views = [heard(0, 0.2), ahead(1, 0.9, 60)]
    (asked,) = advances(decide(views))
    assert asked.hint is not None
    assert isinstance(asked.hint.task, Challenge)
    rise = asked.hint.task.edge - (0.9 - 1 / 64)
    assert 0.8 * _EPSILON < rise <= _EPSILON


@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 0.3, 7.0])
@pytest.mark.parametrize("step", [1 / 64, 5 / 1024, 7.0])
def test_raised_edges_are_short_and_below(epsilon: float, step: float) -> None:
    higher = raised(-step / 2, epsilon, step * (1 + 2**-14))
    assert 0 <= higher + step / 2 <= epsilon
    assert (higher / step * 56).is_integer() or (higher * 2**20).is_integer()


@pytest.mark.parametrize("width", ["bounded", "sub-gaussian"])
def test_arms_within_the_tolerance_are_told_apart_no_further(width: str) -> None:
    made = run((0.5, 0.5, 0.5), 0.05, width=width, epsilon=0.2)
    decided(made)
    assert "more than 0.2 below the best" in made.ending.guarantee_reason
    assert not any(isinstance(event, ArmDropped) for event in made.events)
    told = [event for event in made.events if isinstance(event, ReportAccepted)]
    assert any(event.beaten_by is not None for event in told) or width == "sub-gaussian"


@pytest.mark.parametrize("width", ["bounded", "sub-gaussian"])
def test_a_tolerance_saves_samples(width: str) -> None:
    strict, easy = (
        sum(
            run((0.5, 0.62), 0.05, seed=seed, width=width, epsilon=epsilon).ending.samples
            for seed in range(8)
        )
        for epsilon in (0.0, 0.15)
    )
    assert easy < 0.6 * strict
