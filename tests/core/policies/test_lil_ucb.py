"""lil'UCB's sampling rule with the stopping rule by intervals, on hand-made views."""

import math
from dataclasses import dataclass

import pytest

from bitarm.core.confidence import ArmView
from bitarm.core.outcome import Outcome
from bitarm.core.policies import LilUcb
from bitarm.core.policy import Action, Advance, PolicyContext, Stop
from bitarm.core.schedule import ListedSchedule
from bitarm.errors import ConfigError


@dataclass(frozen=True)
class Given:
    """A confidence whose radius is the view's error, so that a table can state it."""

    def radius(self, view: ArmView) -> float:
        return view.error

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        return self.separation(loser, winner) - loser.error - winner.error

    def separation(self, loser: ArmView, winner: ArmView) -> float:
        return loser.error + winner.error


CONTEXT = PolicyContext(
    arms=3,
    delta=0.1,
    confidence=Given(),
    schedule=ListedSchedule(checkpoints=(2, 4, 8)),
)


def seen(arm: int, mean: float, radius: float, index: int = 1) -> ArmView:
    return ArmView(arm=arm, mean=mean, pulls=2**index, messages=index, index=index, error=radius)


def unheard(arm: int) -> ArmView:
    return ArmView(arm=arm, mean=0.0, pulls=0, messages=0, index=0, error=math.inf)


def to(*targets: tuple[int, int]) -> tuple[Action, ...]:
    return tuple(Advance(arm=arm, until=until) for arm, until in targets)


def decided(arm: int) -> tuple[Action, ...]:
    return (Stop(outcome=Outcome.DECIDED, best_arm=arm),)


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
