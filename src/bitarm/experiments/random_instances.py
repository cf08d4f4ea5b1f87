"""Random instances: on these no parameter was tuned, so they tell whether a gain is luck."""

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from bitarm.experiments.analysis import Analysis
from bitarm.experiments.baselines import COMPARED, Baseline
from bitarm.experiments.claims import times_fewer
from bitarm.experiments.schemes import BEST

ARMS = (2, 50)
"""The least and the most arms of an instance; their number is uniform in its logarithm."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RandomInstances:
    """A law of instances: how a best mean is drawn, and the others below it.

    The gap is bounded from below, because prices grow with its inverse square: without that, one
    instance of ten would take all of the time and say no more than the others.
    """

    best: tuple[float, float]  # the best mean is uniform on this interval
    gap: tuple[float, float]  # no other is nearer to it than a number uniform on this one
    floor: float | None = None  # the others are uniform from here up to that; None: over `spread`
    spread: float = 1.0

    def draw(self, count: int, seed: int) -> list[list[float]]:
        """The means of so many instances; rounded, so that they can be told."""
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
        return [self._one(rng) for _ in range(count)]

    def _one(self, rng: np.random.Generator) -> list[float]:
        arms = round(math.exp(rng.uniform(math.log(ARMS[0]), math.log(ARMS[1]))))
        best = rng.uniform(*self.best)
        nearest = best - rng.uniform(*self.gap)
        lowest = nearest - self.spread if self.floor is None else self.floor
        means = [best, *rng.uniform(lowest, nearest, arms - 1)]
        return [round(float(mean), 4) for mean in rng.permutation(means)]


def never_worse(*notes: str) -> Analysis:
    """All gains together against ICQ on the same instances: a factor of at least 1 on each."""
    icq = Baseline(series="icq-b3")
    return Analysis(
        panels=(),
        claims=tuple(times_fewer(metric, BEST, icq, least=1) for metric in COMPARED),
        notes=notes,
        baselines=(icq,),
        headline=BEST,
    )
