"""LUCB on hand-made views."""

import math
from dataclasses import dataclass, replace

import pytest
from core.hand_made import context, decided, seen, to, unheard

from bitarm.core.confidence import ArmView
from bitarm.core.outcome import Outcome
from bitarm.core.policies import Lucb
from bitarm.core.policy import Action, Stop
from bitarm.errors import ConfigError

CONTEXT = context(3)


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        # every arm is heard once before any is heard twice
        ([unheard(0), unheard(1), unheard(2)], to((0, 2), (1, 2), (2, 2))),
        ([seen(0, 9.0, 0.1), unheard(1), seen(2, 1.0, 0.1)], to((1, 2))),
        # the challenger has the largest UCB of the rest (arm 2: 2.5), not the second mean (arm 1)
        ([seen(0, 1.0, 0.5), seen(1, 0.75, 0.5), seen(2, 0.5, 2.0)], to((0, 4), (2, 4))),
        # the leader has the largest mean, even if another's UCB is larger
        ([seen(0, 0.0, 4.0), seen(1, 1.0, 0.5), seen(2, 0.5, 0.5)], to((1, 4), (0, 4))),
        # the leader is ahead in pulls: the challenger alone advances
        ([seen(0, 1.0, 1.0, 2), seen(1, 0.0, 1.0, 1), seen(2, -9.0, 1.0, 1)], to((1, 4))),
        ([seen(0, 0.0, 1.0, 2), seen(1, 1.0, 1.0, 3), seen(2, -9.0, 1.0, 1)], to((0, 8))),
        # the challenger is ahead: the leader alone advances
        ([seen(0, 1.0, 1.0, 1), seen(1, 0.0, 1.0, 2), seen(2, -9.0, 1.0, 1)], to((0, 4))),
        # … even if a third arm lags behind both
        ([seen(0, 0.0, 1.0, 3), seen(1, 1.0, 1.0, 2), seen(2, -9.0, 1.0, 1)], to((1, 8))),
        # level: both advance, the leader first, whatever the others have
        ([seen(0, 0.0, 1.0, 2), seen(1, 1.0, 1.0, 2), seen(2, -9.0, 1.0, 1)], to((1, 8), (0, 8))),
        ([seen(0, 0.0, 1.0, 1), seen(1, 1.0, 1.0, 1), seen(2, -9.0, 1.0, 2)], to((1, 4), (0, 4))),
        # ties go to the lowest arm
        ([seen(0, 1.0, 1.0), seen(1, 1.0, 1.0), seen(2, 1.0, 1.0)], to((0, 4), (1, 4))),
        # LCB_h = UCB_l is enough, for all l
        ([seen(0, 0.0, 0.5), seen(1, 1.0, 0.5), seen(2, -1.0, 1.5)], decided(1)),
        ([seen(0, 0.0, 0.5), seen(1, 1.0, 0.5), seen(2, -1.0, 1.5625)], to((1, 4), (2, 4))),
        # the end of the grid is a limit on samples for the one that would move
        (
            [seen(0, 1.0, 1.0, 3), seen(1, 0.5, 1.0, 3), seen(2, 0.0, 1.0, 1)],
            (Stop(outcome=Outcome.SAMPLE_LIMIT),),
        ),
        # … and no limit for arms that need not move
        ([seen(0, 1.0, 1.0, 3), seen(1, 0.5, 1.0, 1), seen(2, 0.0, 1.0, 1)], to((1, 4))),
        ([seen(0, 1.0, 1.0, 2), seen(1, 0.5, 1.0, 3), seen(2, 0.0, 1.0, 1)], to((0, 8))),
        ([seen(0, 1.0, 1.0), seen(1, 0.5, 1.0), seen(2, -9.0, 1.0, 3)], to((0, 4), (1, 4))),
    ],
)
def test_decisions(views: list[ArmView], expected: tuple[Action, ...]) -> None:
    assert Lucb().decide(views, CONTEXT) == expected


@pytest.mark.parametrize(
    ("epsilon", "expected"), [(0.125, to((0, 4), (1, 4))), (0.25, decided(0)), (3.0, decided(0))]
)
def test_a_tolerance_stops_when_the_leader_is_within_it(
    epsilon: float, expected: tuple[Action, ...]
) -> None:
    views = [seen(0, 1.0, 0.25), seen(1, 0.75, 0.25), seen(2, 0.0, 0.25)]
    assert Lucb(epsilon=epsilon).decide(views, CONTEXT) == expected


def test_the_leader_is_tested_against_every_arm_not_only_the_challenger() -> None:
    @dataclass(frozen=True)
    class Pairwise:
        """The challenger (arm 1, largest UCB) is separated; arm 2 is not."""

        def radius(self, view: ArmView) -> float:
            return view.error

        def margin(self, loser: ArmView, winner: ArmView) -> float:
            return self.separation(loser, winner) - loser.error - winner.error

        def separation(self, loser: ArmView, winner: ArmView) -> float:
            return 0.25 if loser.arm == 1 else 2.0

    views = [seen(0, 1.0, 0.5), seen(1, 0.5, 1.0), seen(2, 0.25, 0.5)]
    context = replace(CONTEXT, confidence=Pairwise())
    assert Lucb().decide(views, context) == to((0, 4), (2, 4))


@pytest.mark.parametrize("epsilon", [-0.1, math.inf, math.nan])
def test_a_tolerance_that_is_none_is_refused(epsilon: float) -> None:
    with pytest.raises(ConfigError, match="epsilon"):
        Lucb(epsilon=epsilon)
