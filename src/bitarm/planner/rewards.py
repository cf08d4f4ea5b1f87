"""Which rewards are simulated where only their bounds and σ are known, and where do means lie?

The true family is unknown before a deployment, so one is chosen that honours what is known: normal
rewards without bounds; with bounds, a Beta law whose valid σ is the given one, or coin flips where
that σ allows anything. Means get a random common offset, so that no quantizer profits from a lucky
origin, and arms a random order. Bounded rewards are simulated on [0, 1]: all that the schemes do
there scales with the bounds.
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from bitarm.api.words import unknown
from bitarm.core.quantizer import Bounds
from bitarm.errors import ConfigError
from bitarm.planner.guessed_gaps import GapGuess
from bitarm.sim.environment import Environment
from bitarm.sim.kernels.arrays import BERNOULLI, BETA, GAUSSIAN, Floats
from bitarm.sim.models import Bernoulli

REWARD_FAMILIES = ("gaussian", "bernoulli", "beta")

_FEW_SIGMA = 3.0  # without bounds, the best mean lies within so many σ of 0
_EDGE = 0.01  # of the room that bounded means have: no mean lies on a bound


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rewards:
    """A family of rewards in units in which bounds, if there are any, are [0, 1]."""

    family: str
    sigma: float
    bounded: bool
    concentration: float = 1.0  # of beta
    offset: float = 0.0  # without bounds: how far from 0 the best mean may lie

    def environments(
        self, guess: GapGuess, arms: int, rng: np.random.Generator, count: int, *, exact: bool
    ) -> list[Environment]:
        """Environments with the guessed gaps; their offsets are spread evenly, not only at random.

        Sums of Beta rewards have no law that is drawn at once: unless they must be `exact`, they
        are drawn from the normal law with the same mean and deviation.
        """
        places = (np.arange(count) + rng.random(count)) / count
        rng.shuffle(places)
        return [
            self._environment(guess, arms, rng, place, exact=exact) for place in places.tolist()
        ]

    def _environment(
        self, guess: GapGuess, arms: int, rng: np.random.Generator, place: float, *, exact: bool
    ) -> Environment:
        below = np.append(guess.draw(rng, arms - 1), 0.0)
        rng.shuffle(below)
        if self.bounded:
            room = 1 - float(below.max())
            best = 1 - room * (_EDGE + (1 - 2 * _EDGE) * place)
        else:
            best = self.offset * (2 * place - 1)
        means = best - below
        family, p, q = self._parameters(means, exact=exact)
        return Environment(
            family=np.full(arms, family, dtype=np.int64), p=p, q=q, means=means, models=()
        )

    def _parameters(self, means: Floats, *, exact: bool) -> tuple[int, Floats, Floats]:
        if self.family == "bernoulli":
            return BERNOULLI, means, np.zeros(means.size)
        if self.family == "gaussian":
            return GAUSSIAN, means, np.full(means.size, self.sigma)
        if exact:
            p = means * self.concentration
            return BETA, p, self.concentration - p
        return GAUSSIAN, means, np.sqrt(means * (1 - means) / (self.concentration + 1))

    def describe(self) -> str:
        """The rewards in words, for a person."""
        if self.family == "beta":
            return f"beta rewards of concentration {self.concentration:.4g} within the bounds"
        if self.family == "bernoulli":
            return "rewards at either bound (bernoulli)"
        return "normal rewards with deviation sigma"


def rewards_of(
    family: str | None, *, sigma: float, bounds: Bounds | None, offset: float | None
) -> Rewards:
    """The rewards to simulate: of the family that was named, or of one that honours σ."""
    if family is not None and family not in REWARD_FAMILIES:
        raise ConfigError(unknown("rewards", family, REWARD_FAMILIES))
    if bounds is None:
        return _unbounded(family, sigma, offset)
    if offset is not None:
        raise ConfigError("offset does not apply with bounds: means lie anywhere between them")
    if family == "gaussian":
        raise ConfigError("gaussian rewards leave any bounds: use bernoulli or beta, or no bounds")
    unit = sigma / (bounds[1] - bounds[0])
    widest = Bernoulli(mean=0.5).sigma
    if family is None:
        family = "bernoulli" if unit >= widest * (1 - 1e-9) else "beta"
    if family == "bernoulli":
        if unit < widest * (1 - 1e-9):
            raise ConfigError(
                f"sigma = {sigma:g} is too small for rewards at either bound: "
                f"{widest * (bounds[1] - bounds[0]):g} is valid; or plan with beta rewards"
            )
        return Rewards(family=family, sigma=unit, bounded=True)
    # Beta's valid σ is √(1/(4(concentration + 1))): solved for the concentration
    concentration = 1 / (4 * unit * unit) - 1
    if concentration <= 0:
        concentration = 1.0  # σ allows any Beta law: take the paper's
    return Rewards(family=family, sigma=unit, bounded=True, concentration=concentration)


def _unbounded(family: str | None, sigma: float, offset: float | None) -> Rewards:
    if family not in (None, "gaussian"):
        raise ConfigError(f"{family} rewards have bounds: give them, such as bounds 0 and 1")
    offset = _FEW_SIGMA * sigma if offset is None else offset
    if not (math.isfinite(offset) and offset >= 0):
        raise ConfigError(f"offset must be a finite number of 0 or more, got {offset}")
    return Rewards(family="gaussian", sigma=sigma, bounded=False, offset=offset)
