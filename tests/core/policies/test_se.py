"""Successive Elimination on hand-made views."""

import math
from dataclasses import dataclass, replace

import pytest
from core.hand_made import context, seen, unheard

from bitarm.core.confidence import ArmView
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.policy import Action, Advance, Drop, Stop
from bitarm.errors import ConfigError

CONTEXT = context(4)


def views(*intervals: tuple[int, float, float], index: int = 1) -> list[ArmView]:
    """Views of (arm, mean, radius) at one checkpoint."""
    return [seen(*interval, index) for interval in intervals]


def fresh(arms: int) -> list[ArmView]:
    return [unheard(arm) for arm in range(arms)]


def to(until: int, *arms: int) -> tuple[Action, ...]:
    return tuple(Advance(arm=arm, until=until) for arm in arms)


def decided(arm: int) -> Stop:
    return Stop(outcome=Outcome.DECIDED, best_arm=arm)


def test_the_first_round_hears_every_arm() -> None:
    assert SuccessiveElimination().decide(fresh(4), CONTEXT) == to(2, 0, 1, 2, 3)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        # nobody is separated: all go on together
        (views((0, 0.0, 1.0), (1, 0.5, 1.0), (2, 1.0, 1.0)), to(4, 0, 1, 2)),
        # LCB = UCB is enough (line 11: ≥)
        (
            views((0, 0.0, 0.5), (1, 1.0, 0.5), (2, 0.75, 0.5)),
            (Drop(arm=0, because=1), *to(4, 1, 2)),
        ),
        # one hair less is not
        (
            views((0, math.ulp(0.5), 0.5), (1, 1.0, 0.5), (2, 0.75, 0.5)),
            to(4, 0, 1, 2),
        ),
        # the witness has the largest LCB (arm 1: 0.75), not the largest mean (arm 0: LCB 0)
        (
            views((0, 1.0, 1.0), (1, 0.875, 0.125), (2, 0.5, 0.25)),
            (Drop(arm=2, because=1), *to(4, 0, 1)),
        ),
        # several fall at once
        (
            views((0, 0.0, 0.25), (1, 0.5, 0.25), (2, 2.0, 0.25), (3, 1.75, 0.25)),
            (Drop(arm=0, because=2), Drop(arm=1, because=2), *to(4, 2, 3)),
        ),
        # all but one fall: the last is the answer
        (
            views((0, 0.0, 0.25), (1, 3.0, 0.25), (2, 1.0, 0.25)),
            (Drop(arm=0, because=1), Drop(arm=2, because=1), decided(1)),
        ),
        # arms that fell before are not seen, and whatever LCB they had does not count
        (views((1, 0.0, 1.0), (3, 1.0, 1.0)), to(4, 1, 3)),
        # equal arms never separate
        (views((0, 0.5, 0.125), (1, 0.5, 0.125)), to(4, 0, 1)),
        (views((0, 0.5, 0.0), (1, 0.5, 0.0)), (Drop(arm=1, because=0), decided(0))),
        (views((2, 0.5, 1.0)), (decided(2),)),
    ],
)
def test_decisions(seen: list[ArmView], expected: tuple[Action, ...]) -> None:
    assert SuccessiveElimination().decide(seen, CONTEXT) == expected


def test_the_end_of_the_grid_is_a_limit_on_samples_after_the_last_drops() -> None:
    seen = views((0, 0.0, 0.5), (1, 1.0, 0.5), (2, 1.0, 0.5), index=3)
    stop = Stop(outcome=Outcome.SAMPLE_LIMIT)
    assert SuccessiveElimination().decide(seen, CONTEXT) == (Drop(arm=0, because=1), stop)


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [
        (0.0, to(4, 0, 1)),
        (0.125, to(4, 0, 1)),
        (0.25, (decided(0),)),  # LCB 0.75 ≥ UCB 1.0 − 0.25
        (0.5, (decided(0),)),
    ],
)
def test_a_tolerance_stops_when_the_leader_is_within_it(
    epsilon: float, expected: tuple[Action, ...]
) -> None:
    seen = views((0, 1.0, 0.25), (1, 0.75, 0.25))
    assert SuccessiveElimination(epsilon=epsilon).decide(seen, CONTEXT) == expected


def test_a_tolerance_asks_for_all_active_arms_and_not_for_those_that_fall_now() -> None:
    seen = views((0, 1.0, 0.25), (1, 0.875, 0.25), (2, 0.25, 0.25), (3, 0.75, 0.25))
    # Arms 1 and 3 are within 0.375 and 0.25 of separation; arm 2 falls by itself.
    policy = SuccessiveElimination(epsilon=0.25)
    assert policy.decide(seen, CONTEXT) == (Drop(arm=2, because=0), *to(4, 0, 1, 3))
    policy = SuccessiveElimination(epsilon=0.375)
    assert policy.decide(seen, CONTEXT) == (Drop(arm=2, because=0), decided(0))


def test_an_arm_that_is_a_little_behind_is_still_in_the_race_with_a_tolerance_of_0() -> None:
    assert SuccessiveElimination(epsilon=0.0) == SuccessiveElimination()
    seen = views((0, 1.0, 0.0), (1, 1.0, 0.0625))
    assert SuccessiveElimination().decide(seen, CONTEXT) == to(4, 0, 1)


@pytest.mark.parametrize("epsilon", [-0.1, math.inf, math.nan])
def test_a_tolerance_that_is_none_is_refused(epsilon: float) -> None:
    with pytest.raises(ConfigError, match="epsilon"):
        SuccessiveElimination(epsilon=epsilon)


def test_the_confidence_is_asked_for_the_pair_and_in_that_order() -> None:
    @dataclass(frozen=True)
    class Lopsided:
        def radius(self, view: ArmView) -> float:
            return 1.0

        def margin(self, loser: ArmView, winner: ArmView) -> float:
            return self.separation(loser, winner) - loser.error - winner.error

        def separation(self, loser: ArmView, winner: ArmView) -> float:
            return 0.25 if (loser.arm, winner.arm) == (0, 1) else 9.0

    context = replace(CONTEXT, confidence=Lopsided())
    seen = views((0, 0.0, 0.0), (1, 0.5, 0.0), (2, 0.0, 0.0))
    expected = (Drop(arm=0, because=1), *to(4, 1, 2))
    assert SuccessiveElimination().decide(seen, context) == expected
