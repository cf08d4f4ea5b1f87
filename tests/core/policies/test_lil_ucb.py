"""lil'UCB's sampling rule with the stopping rule by intervals, on hand-made views."""

import math

import pytest
from core.hand_made import context, decided, seen, to, unheard

from bitarm.core.confidence import ArmView
from bitarm.core.outcome import Outcome
from bitarm.core.policies import LilUcb
from bitarm.core.policy import Action, Stop
from bitarm.errors import ConfigError

CONTEXT = context(3)


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        ([unheard(0), unheard(1), unheard(2)], to((0, 2), (1, 2), (2, 2))),
        ([seen(0, 9.0, 0.1), unheard(1), seen(2, 1.0, 0.1)], to((1, 2))),
        # one arm at a time: the largest μ̃ + 2·radius, whatever its mean
        ([seen(0, 1.0, 0.5), seen(1, 0.75, 0.5), seen(2, 0.5, 2.0)], to((2, 4))),
        ([seen(0, 1.0, 0.5, 2), seen(1, 0.75, 0.5), seen(2, 0.5, 0.25)], to((0, 8))),
        ([seen(0, 1.0, 1.0), seen(1, 1.0, 1.0), seen(2, 1.0, 1.0)], to((0, 4))),
        # … not the largest UCB (1.125 and 1.0625; with twice the radius 1.25 and 1.375)
        ([seen(0, 1.0, 0.125), seen(1, 0.75, 0.3125), seen(2, 0.0, 0.25)], to((1, 4))),
        # … nor with three times the radius (2.0 and 1.875; three times 2.5 and 2.5625)
        ([seen(0, 1.0, 0.5), seen(1, 0.5, 0.6875), seen(2, 0.0, 0.25)], to((0, 4))),
        # the leader's LCB reaches every other UCB
        ([seen(0, 0.0, 0.5), seen(1, 1.0, 0.5), seen(2, -1.0, 1.5)], decided(1)),
        ([seen(0, 0.0, 0.5), seen(1, 1.0, 0.5), seen(2, -1.0, 1.5625)], to((2, 4))),
        # the end of the grid
        ([seen(0, 1.0, 1.0, 3), seen(1, 0.5, 1.0)], (Stop(outcome=Outcome.SAMPLE_LIMIT),)),
    ],
)
def test_decisions(views: list[ArmView], expected: tuple[Action, ...]) -> None:
    assert LilUcb().decide(views, CONTEXT) == expected


@pytest.mark.parametrize(
    ("epsilon", "expected"), [(0.125, to((0, 4))), (0.25, decided(0)), (3.0, decided(0))]
)
def test_a_tolerance_stops_when_the_leader_is_within_it(
    epsilon: float, expected: tuple[Action, ...]
) -> None:
    views = [seen(0, 1.0, 0.25), seen(1, 0.75, 0.25)]
    assert LilUcb(epsilon=epsilon).decide(views, CONTEXT) == expected


@pytest.mark.parametrize("epsilon", [-0.1, math.inf, math.nan])
def test_a_tolerance_that_is_none_is_refused(epsilon: float) -> None:
    with pytest.raises(ConfigError, match="epsilon"):
        LilUcb(epsilon=epsilon)
