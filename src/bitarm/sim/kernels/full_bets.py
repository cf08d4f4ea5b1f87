"""Bets on every reward of every arm, seen in one place: the kernel of `experiments/full_bets.py`.

Formulas are the core's own, compiled.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.extending import register_jitable

from bitarm.core.evidence.bets import BETTORS, FOLD, STAKES, above, below, fold, foresee, play
from bitarm.core.evidence.ladder import RUNGS
from bitarm.sim.kernels.arrays import BERNOULLI, Floats, Integers
from bitarm.sim.kernels.compilation import SOURCES_NUMBER, kernel
from bitarm.sim.kernels.sums import draw_reward

for _function in (above, below, fold, foresee, play):
    register_jitable(_function)

_LIGHT = 40.0  # nats below the heaviest term, at which a term is not worth adding


class BetsInOnePlace(NamedTuple):
    """One run: a row an arm."""

    active: npt.NDArray[np.bool_]
    fortunes: Floats  # [arm, bettor]
    logs: Floats  # [arm, bettor]
    sums: Floats  # [arm, 3] of rewards, predictions and squares


def blank_bets(arms: int) -> BetsInOnePlace:
    """Room for one run at a time of so many arms: a kernel allocates nothing."""
    return BetsInOnePlace(
        active=np.empty(arms, np.bool_),
        fortunes=np.empty((arms, 2 * BETTORS)),
        logs=np.empty((arms, 2 * BETTORS)),
        sums=np.empty((arms, 3)),
    )


@lru_cache(maxsize=1)
def compiled() -> Callable[..., None]:
    """The kernel: runs of coins, one after the other."""

    sources = SOURCES_NUMBER

    @kernel
    def run_bets(
        rng: np.random.Generator,
        means: Floats,
        level: float,
        weights: Floats,
        looks: Integers,
        room: BetsInOnePlace,
        samples: Integers,
        answers: Integers,
    ) -> None:
        """Runs of coins with these means, weighed at these looks; −1 is no answer."""
        _ = sources  # a constant of the kernel: see kernels/compilation.py
        arms = means.size
        for trial in range(samples.size):
            room.active[:] = True
            room.fortunes[:] = 1.0
            room.logs[:] = 0.0
            room.sums[:] = 0.0
            alive, pulls, drawn = arms, 0, 0
            for look in looks:
                while pulls < look:
                    for arm in range(arms):
                        if room.active[arm]:
                            reward = draw_reward(rng, BERNOULLI, means[arm], 0.0)
                            _bet(room, arm, reward, pulls)
                            drawn += 1
                    pulls += 1
                top = -1
                for arm in range(arms):
                    if room.active[arm] and (top < 0 or room.sums[arm, 0] > room.sums[top, 0]):
                        top = arm
                for arm in range(arms):
                    if (
                        room.active[arm]
                        and arm != top
                        and _evidence(room, weights, top, arm) >= level
                    ):
                        room.active[arm] = False
                        alive -= 1
                if alive == 1:
                    break
            samples[trial], answers[trial] = drawn, -1
            for arm in range(arms):
                if room.active[arm] and alive == 1:
                    answers[trial] = arm

    return run_bets


@njit(inline="always")
def _bet(room: BetsInOnePlace, arm: int, reward: float, pulls: int) -> None:
    """All bettors of an arm play one reward, after so many."""
    sums, fortunes = room.sums[arm], room.fortunes[arm]
    surprise, sums[0], sums[1], sums[2] = foresee(reward, pulls, sums[0], sums[1], sums[2])
    play((surprise,), 1, STAKES, BETTORS, fortunes)
    if pulls % FOLD == FOLD - 1:
        fold(fortunes, room.logs[arm])


@njit(inline="always")
def _evidence(room: BetsInOnePlace, weights: Floats, winner: int, loser: int) -> float:
    """ln of the evidence that one arm is better than another with as many pulls."""
    high, low = room.sums[winner], room.sums[loser]
    most, total = -np.inf, 0.0
    for rung in range(RUNGS):
        term = (
            weights[rung]
            + above(rung, high[0], high[1], high[2], room.fortunes[winner], room.logs[winner])
            + below(rung, low[0], low[1], low[2], room.fortunes[loser], room.logs[loser])
        )
        if term > most:
            total = 1.0 + (total * math.exp(most - term) if total > 0.0 else 0.0)
            most = term
        elif term > most - _LIGHT:
            total += math.exp(term - most)
    return most + math.log(total)
