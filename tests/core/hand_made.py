"""Views of arms as a table of tests states them, and what policies answer to such views."""

import math
from dataclasses import dataclass

from bitarm.core.confidence import ArmView
from bitarm.core.outcome import Outcome
from bitarm.core.policy import Action, Advance, PolicyContext, Stop
from bitarm.core.schedule import ListedSchedule


@dataclass(frozen=True)
class Given:
    """A confidence whose radius is the view's error, so that a table can state it."""

    def radius(self, view: ArmView) -> float:
        return view.error

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        return self.separation(loser, winner) - loser.error - winner.error

    def separation(self, loser: ArmView, winner: ArmView) -> float:
        return loser.error + winner.error


def context(arms: int) -> PolicyContext:
    """Of a run with three checkpoints."""
    return PolicyContext(
        arms=arms,
        delta=0.1,
        confidence=Given(),
        schedule=ListedSchedule(checkpoints=(2, 4, 8)),
    )


def seen(arm: int, mean: float, radius: float, index: int = 1) -> ArmView:
    """An arm at a checkpoint of such a run."""
    return ArmView(arm=arm, mean=mean, pulls=2**index, messages=index, index=index, error=radius)


def unheard(arm: int) -> ArmView:
    return ArmView(arm=arm, mean=0.0, pulls=0, messages=0, index=0, error=math.inf)


def decided(arm: int) -> tuple[Action, ...]:
    return (Stop(outcome=Outcome.DECIDED, best_arm=arm),)


def to(*targets: tuple[int, int]) -> tuple[Action, ...]:
    """Arms that advance, each to so many pulls."""
    return tuple(Advance(arm=arm, until=until) for arm, until in targets)
