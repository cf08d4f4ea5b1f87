"""Which rewards are simulated where little is known of them, and where do means lie?

The true family is unknown before a deployment, so one is chosen that honours what is known:

* without bounds, normal rewards with deviation σ;
* with bounds and σ, a Beta law whose valid σ is the given one, or coin flips where that σ allows
  anything. Means get a random common offset, so that no quantizer profits from a lucky origin;
* with bounds alone, what a user guesses of the best mean and of how rewards spread. Who says
  neither gets coins in the middle of the bounds: no rewards there are harder to tell apart.

Arms have a random order. Bounded rewards are simulated on [0, 1]: all that the schemes do there
scales with the bounds.
"""

import math
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from bitarm.core.bounds import Bounds
from bitarm.core.words import number, unknown
from bitarm.errors import ConfigError
from bitarm.planner.guessed_gaps import GapGuess
from bitarm.sim.environment import Environment
from bitarm.sim.kernels.arrays import BERNOULLI, BETA, GAUSSIAN, Floats
from bitarm.sim.models import Bernoulli

REWARD_FAMILIES = ("gaussian", "bernoulli", "beta")

_FEW_SIGMA = 3.0  # without bounds, the best mean lies within so many σ of 0
_EDGE = 0.01  # of the room that bounded means have: no mean lies on a bound
_MIDDLE = 0.5


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rewards:
    """A family of rewards in units in which bounds, if there are any, are [0, 1]."""

    family: str
    bounded: bool
    deviation: float  # of a reward: σ, or as it was guessed
    concentration: float = 1.0  # of beta
    offset: float = 0.0  # without bounds: how far from 0 the best mean may lie
    guessed: bool = False  # no σ is known: means lie where they are guessed, not anywhere
    mean: float | None = None  # of the best arm, as it was guessed; None: about the middle

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
        means = self._best(float(below.max()), guess.smallest, place) - below
        family, p, q = self._parameters(means, exact=exact)
        return Environment(
            family=np.full(arms, family, dtype=np.int64), p=p, q=q, means=means, models=()
        )

    def _best(self, farthest: float, nearest: float, place: float) -> float:
        """The best mean of an environment, where `place` in [0, 1] varies it.

        A guessed one varies by half the smallest gap, up and down.
        """
        if not self.bounded:
            return self.offset * (2 * place - 1)
        room = 1 - farthest
        if not self.guessed:
            return 1 - room * (_EDGE + (1 - 2 * _EDGE) * place)
        about = _MIDDLE + nearest / 2 if self.mean is None else self.mean
        low, high = farthest + _EDGE * room, 1 - _EDGE * room
        return min(max(about + nearest * (place - 0.5), low), high)

    def _parameters(self, means: Floats, *, exact: bool) -> tuple[int, Floats, Floats]:
        if self.family == "bernoulli":
            return BERNOULLI, means, np.zeros(means.size)
        if self.family == "gaussian":
            return GAUSSIAN, means, np.full(means.size, self.deviation)
        if exact:
            p = means * self.concentration
            return BETA, p, self.concentration - p
        return GAUSSIAN, means, np.sqrt(means * (1 - means) / (self.concentration + 1))

    def if_spread_were(self, factor: float) -> "Rewards | None":
        """The same guess with deviations times `factor`; None if nothing in bounds spreads so."""
        if not self.guessed:
            return None
        about = _MIDDLE if self.mean is None else self.mean
        deviation = self.deviation * factor
        if deviation >= math.sqrt(about * (1 - about)):
            return None
        return replace(
            self,
            family="beta",
            deviation=deviation,
            concentration=_concentration(about, deviation),
        )

    def describe(self) -> str:
        """The rewards in words, for a person."""
        if self.family == "beta":
            law = f"beta rewards of concentration {self.concentration:.4g} within the bounds"
        elif self.family == "bernoulli":
            law = "rewards at either bound (bernoulli)"
        else:
            law = "normal rewards with deviation sigma"
        if self.guessed and self.mean is None:
            return f"{law}, means in the middle"
        return law


def rewards_of(
    family: str | None,
    *,
    sigma: float | None,
    bounds: Bounds | None,
    offset: float | None = None,
    mean: float | None = None,
    spread: float | None = None,
) -> Rewards:
    """The rewards to simulate: of the family that was named, or of one that honours σ.

    Without σ, `mean` (of the best arm) and `spread` (the deviation of a reward) are guesses, in
    the user's units.
    """
    if family is not None and family not in REWARD_FAMILIES:
        raise ConfigError(unknown("rewards", family, REWARD_FAMILIES))
    if bounds is None or sigma is not None:
        for word, guess in (("mean", mean), ("spread", spread)):
            if guess is not None:
                raise ConfigError(
                    f"{word} is a guess for rewards of which only the bounds are known: "
                    + ("give bounds in place of sigma" if bounds is None else "leave out sigma")
                )
    if bounds is None:
        return _unbounded(family, sigma, offset)
    if offset is not None:
        raise ConfigError("offset does not apply with bounds: means lie anywhere between them")
    if family == "gaussian":
        raise ConfigError("gaussian rewards leave any bounds: use bernoulli or beta, or no bounds")
    return (
        _guessed(family, bounds, mean, spread) if sigma is None else _known(family, sigma, bounds)
    )


def _unbounded(family: str | None, sigma: float | None, offset: float | None) -> Rewards:
    assert sigma is not None  # the caller refuses rewards of which neither is known
    if family not in (None, "gaussian"):
        raise ConfigError(f"{family} rewards have bounds: give them, such as bounds 0 and 1")
    offset = _FEW_SIGMA * sigma if offset is None else offset
    if not (math.isfinite(offset) and offset >= 0):
        raise ConfigError(f"offset must be a finite number of 0 or more, got {offset}")
    return Rewards(family="gaussian", deviation=sigma, bounded=False, offset=offset)


def _known(family: str | None, sigma: float, bounds: Bounds) -> Rewards:
    """Rewards for which a known σ is valid."""
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
        return Rewards(family=family, deviation=unit, bounded=True)
    # Beta's valid σ is √(1/(4(concentration + 1))): solved for the concentration
    concentration = 1 / (4 * unit * unit) - 1
    if concentration <= 0:
        concentration = 1.0  # σ allows any Beta law: take the paper's
    return Rewards(family=family, deviation=unit, bounded=True, concentration=concentration)


def _guessed(
    family: str | None, bounds: Bounds, mean: float | None, spread: float | None
) -> Rewards:
    """Rewards as they were guessed: coins, unless a smaller spread or Beta was named."""
    a, b = bounds
    about = None if mean is None else (number("mean", mean) - a) / (b - a)
    if about is not None and not 0 < about < 1:
        raise ConfigError(f"mean must lie between the bounds {a:g} and {b:g}, got {mean:g}")
    here = _MIDDLE if about is None else about
    widest = math.sqrt(here * (1 - here))
    if spread is None and family != "beta":
        return Rewards(family="bernoulli", deviation=widest, bounded=True, guessed=True, mean=about)
    if family == "bernoulli":
        raise ConfigError(
            "rewards at either bound spread as they do: leave out spread, or take beta"
        )
    if spread is None:
        concentration = 1.0  # the paper's
        deviation = widest / math.sqrt(2)
    else:
        deviation = number("spread", spread) / (b - a)
        if not 0 < deviation < widest:
            raise ConfigError(
                f"spread must be above 0 and below {widest * (b - a):g}, which is that of rewards "
                f"at either bound, got {spread:g}"
            )
        concentration = _concentration(here, deviation)
    return Rewards(
        family="beta",
        deviation=deviation,
        bounded=True,
        concentration=concentration,
        guessed=True,
        mean=about,
    )


def _concentration(mean: float, deviation: float) -> float:
    """p + q of the Beta law with this mean and deviation, which is √(m(1 − m)/(p + q + 1))."""
    return mean * (1 - mean) / (deviation * deviation) - 1
