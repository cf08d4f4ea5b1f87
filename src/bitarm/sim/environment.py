"""What the rewards of trials are drawn from: the arms' models in the form that kernels read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from bitarm.core.rewards import PULLED_AT_ONCE
from bitarm.core.running_sum import add
from bitarm.errors import ConfigError, RewardError
from bitarm.sim.kernels.arrays import (
    BERNOULLI,
    BETA,
    GAUSSIAN,
    POISSON,
    SAMPLED,
    EnvironmentArrays,
    Floats,
    Integers,
)
from bitarm.sim.kernels.sums import draw_reward, draw_sum
from bitarm.sim.models import RewardModel
from bitarm.sim.tape import Tape

_MOST_COUNTED = 2.0**62  # beyond, a 64-bit count of events could overflow


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Environment:
    """The reward families of the arms and their parameters; every array has an entry an arm."""

    family: Integers  # one of those in `kernels/arrays.py`
    p: Floats  # the two parameters of the family, as `RewardModel.parameters` has them
    q: Floats
    means: Floats  # the true ones
    models: tuple[RewardModel, ...]

    @property
    def sampled(self) -> bool:
        """Whether some arm's rewards are drawn by Python."""
        return bool(np.any(self.family == SAMPLED))

    @property
    def gaussian(self) -> bool:
        """Whether every arm is Gaussian."""
        return bool(np.all(self.family == GAUSSIAN))


def right_arms(means: Floats, epsilon: float) -> npt.NDArray[np.bool_]:
    """Which arms are right answers with a tolerance of ε; arms along the last axis.

    A hair more than ε will do: 0.7 is within 0.1 of 0.8, though not in binary.
    """
    right: npt.NDArray[np.bool_] = means.max(axis=-1, keepdims=True) - means <= epsilon * (1 + 1e-9)
    return right


def environment_of(models: Sequence[RewardModel]) -> Environment:
    """The environment with an arm for each model; ConfigError if there are fewer than 2."""
    if len(models) < 2:
        raise ConfigError(f"at least 2 arms are needed to tell which is best, got {len(models)}")
    parameters = np.array([model.parameters for model in models], dtype=np.float64)
    return Environment(
        family=np.array([model.family for model in models], dtype=np.int64),
        p=np.ascontiguousarray(parameters[:, 0]),
        q=np.ascontiguousarray(parameters[:, 1]),
        means=np.array([model.mean for model in models], dtype=np.float64),
        models=tuple(models),
    )


def draw_cell(environment: Environment, rng: np.random.Generator, arm: int, count: int) -> float:
    """The sum of an arm's next `count` rewards."""
    if environment.family[arm] != SAMPLED:
        drawn: float = draw_sum(
            rng,
            int(environment.family[arm]),
            float(environment.p[arm]),
            float(environment.q[arm]),
            count,
        )
        return drawn
    total = rest = 0.0
    for begin in range(0, count, PULLED_AT_ONCE):
        batch = environment.models[arm].draw(rng, min(PULLED_AT_ONCE, count - begin))
        total, rest = add(total, rest, float(batch.sum()))
    return total + rest


def fill(
    tape: Tape, environment: Environment, rng: np.random.Generator, trial: int, arm: int, cells: int
) -> None:
    """Draw what is missing on a tape of an arm's first `cells` cells."""
    for cell in range(int(tape.filled[trial, arm]), cells):
        tape.cells[trial, cell, arm] = draw_cell(environment, rng, arm, tape.pulls_in(cell))
        tape.filled[trial, arm] = cell + 1


def draw_rewards(
    environment: Environment, rng: np.random.Generator, arm: int, count: int
) -> list[float]:
    """An arm's next rewards, each in its turn: as a kernel draws them that bets on each."""
    family = int(environment.family[arm])
    if family not in (BERNOULLI, BETA):
        drawn: list[float] = environment.models[arm].draw(rng, count).tolist()
        return drawn
    p, q = float(environment.p[arm]), float(environment.q[arm])
    return [draw_reward(rng, family, p, q) for _ in range(count)]


def cell_moments(environment: Environment, grid: Integers) -> tuple[Floats, Floats]:
    """Mean and deviation of a Gaussian arm's sum over each cell, [cell, arm].

    The same products in the same order as `draw_sum`, so that both give the same sums. Kernels of
    other environments do not look at them: for those there is one row, which stands for nothing.
    """
    with np.errstate(over="ignore"):
        if not np.all(np.isfinite(environment.p * grid[-1])):
            raise RewardError(f"these rewards cannot be summed: up to {grid[-1]} of them")
        if np.any((environment.family == POISSON) & (environment.p * grid[-1] >= _MOST_COUNTED)):
            raise RewardError(f"these counts cannot be summed: up to {grid[-1]} of them")
    if not environment.gaussian:
        return np.zeros((1, environment.p.size)), np.zeros((1, environment.p.size))
    counts = np.diff(grid, prepend=0)
    roots = np.sqrt(counts)
    return counts[:, None] * environment.p[None, :], environment.q[None, :] * roots[:, None]


def environment_arrays(environment: Environment, grid: Integers) -> EnvironmentArrays:
    """The environment as a kernel reads it that draws the cells of this grid."""
    cell_mean, cell_sd = cell_moments(environment, grid)
    return EnvironmentArrays(
        family=environment.family,
        p=environment.p,
        q=environment.q,
        cell_mean=cell_mean,
        cell_sd=cell_sd,
        sampled=environment.sampled,
    )
