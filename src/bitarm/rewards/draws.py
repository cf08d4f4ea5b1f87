"""Rewards drawn from a model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

from bitarm.core.rewards import PULLED_AT_ONCE

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel


@final
class ModelSource:
    """Rewards drawn from a model: reward n of an arm is a function of (seed, arm, n)."""

    def __init__(self, model: "RewardModel", *, seed: int, arm: int) -> None:
        import numpy as np  # here, so that an agent with other sources needs no numpy

        self.model = model
        sequence = np.random.SeedSequence(seed, spawn_key=(arm,))
        self._rng = np.random.Generator(np.random.SFC64(sequence))

    def pull(self, count: int) -> Sequence[float]:
        """The next `count` draws."""
        rewards: list[float] = self.model.draw(self._rng, count).tolist()
        return rewards

    def skip(self, count: int) -> None:
        """Pass over draws that were used before a restart."""
        while count > 0:
            drawn = min(count, PULLED_AT_ONCE)
            self.model.draw(self._rng, drawn)
            count -= drawn
