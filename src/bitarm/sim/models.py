"""Reward models: families with known mean, known bounds and a known sub-Gaussian parameter.

A model knows how its rewards are distributed, not which arm it plays or when it is asked.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Protocol, final, runtime_checkable

import numpy as np
import numpy.typing as npt

from bitarm.core.bounds import Bounds
from bitarm.core.words import unknown
from bitarm.errors import ConfigError, RewardError
from bitarm.sim.kernels.arrays import (
    BERNOULLI,
    BETA,
    EXPONENTIAL,
    GAUSSIAN,
    POISSON,
    SAMPLED,
    Floats,
)


@runtime_checkable
class RewardModel(Protocol):
    """Independent, identically distributed rewards.

    Law: drawing m and then n rewards from a generator gives the same as drawing m + n.
    """

    name: ClassVar[str]
    family: ClassVar[int]  # how its sums are drawn: see sim/kernels/arrays.py

    @property
    def parameters(self) -> tuple[float, float]:
        """p and q of the family's sums."""
        ...

    @property
    def mean(self) -> float:
        """The true mean."""
        ...

    @property
    def sigma(self) -> float:
        """A valid sub-Gaussian parameter: E exp(λ(X − μ)) ≤ exp(λ²σ²/2) for every λ."""
        ...

    @property
    def bounds(self) -> Bounds | None:
        """The smallest interval that holds every reward; None if there is none."""
        ...

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """The next `count` rewards."""
        ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """Normal rewards with this mean and standard deviation `sd`: Gaussian(mean=0.5, sd=1.0)."""

    name: ClassVar[str] = "gaussian"
    family: ClassVar[int] = GAUSSIAN

    mean: float
    sd: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.mean):
            raise ConfigError(f"mean must be a finite number, got {self.mean}")
        if not (math.isfinite(self.sd) and self.sd > 0):
            raise ConfigError(f"sd must be a finite number above 0, got {self.sd}")

    @property
    def parameters(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        return self.mean, self.sd

    @property
    def sigma(self) -> float:
        """The standard deviation itself."""
        return self.sd

    @property
    def bounds(self) -> Bounds | None:
        """None: a reward can be any number."""
        return None

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Normal draws."""
        return rng.normal(self.mean, self.sd, count)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bernoulli:
    """Rewards 1 with probability `mean`, else 0: Bernoulli(mean=0.7)."""

    name: ClassVar[str] = "bernoulli"
    family: ClassVar[int] = BERNOULLI

    mean: float

    def __post_init__(self) -> None:
        if not 0 <= self.mean <= 1:
            raise ConfigError(f"the mean of a Bernoulli arm must lie in [0, 1], got {self.mean}")

    @property
    def parameters(self) -> tuple[float, float]:
        """The probability of a 1."""
        return self.mean, 0.0

    @property
    def sigma(self) -> float:
        """The optimal parameter (Kearns and Saul 1998): σ² = (1 − 2p)/(2 ln((1 − p)/p))."""
        p = min(self.mean, 1 - self.mean)
        if p == 0:
            return 0.0
        if 0.5 - p < 1e-6:
            return 0.5  # the limit; the quotient is 0/0 there
        return math.sqrt((1 - 2 * p) / (2 * math.log((1 - p) / p)))

    @property
    def bounds(self) -> Bounds | None:
        """All rewards lie in [0, 1]."""
        return (0.0, 1.0)

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Zeros and ones."""
        return (rng.random(count) < self.mean).astype(np.float64)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Beta:
    """Beta(p, q) with p = mean·concentration and q = (1 − mean)·concentration.

    A concentration of 1 is the paper's Beta(γ, 1 − γ).
    """

    name: ClassVar[str] = "beta"
    family: ClassVar[int] = BETA

    mean: float
    concentration: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.mean < 1:
            raise ConfigError(f"the mean of a Beta arm must lie in (0, 1), got {self.mean}")
        if not (math.isfinite(self.concentration) and self.concentration > 0):
            raise ConfigError(
                f"concentration must be a finite number above 0, got {self.concentration}"
            )
        if not min(self.parameters) > 0:  # one of them is less than the least float
            raise ConfigError(
                f"a concentration of {self.concentration} is too small for a mean of {self.mean}"
            )

    @property
    def parameters(self) -> tuple[float, float]:
        """Beta's p and q."""
        p = self.mean * self.concentration
        return p, self.concentration - p

    @property
    def sigma(self) -> float:
        """√(1/(4(p + q + 1))), valid for every Beta(p, q) (Marchal and Arbel 2017)."""
        return math.sqrt(1 / (4 * (self.concentration + 1)))

    @property
    def bounds(self) -> Bounds | None:
        """All rewards lie in [0, 1]."""
        return (0.0, 1.0)

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Beta draws."""
        p, q = self.parameters
        return rng.beta(p, q, count)


class _NotSubGaussian:
    """Rewards with one parameter, a mean above 0: no σ makes a guarantee hold for them."""

    __slots__ = ()

    mean: float
    _noun: ClassVar[str]  # the family in a refusal, with its article

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mean) and self.mean > 0):
            raise ConfigError(
                f"the mean of {self._noun} arm must be a number above 0, got {self.mean:g}"
            )

    @property
    def parameters(self) -> tuple[float, float]:
        """The mean: Poisson's rate, the exponential's scale."""
        return self.mean, 0.0

    @property
    def sigma(self) -> float:
        """Infinite: no finite one is valid."""
        return math.inf

    @property
    def bounds(self) -> Bounds | None:
        """None: a reward can be arbitrarily large."""
        return None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Poisson(_NotSubGaussian):
    """Poisson counts: not sub-Gaussian, so no σ makes a guarantee hold."""

    name: ClassVar[str] = "poisson"
    family: ClassVar[int] = POISSON
    _noun: ClassVar[str] = "a Poisson"

    mean: float

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Counts."""
        return rng.poisson(self.mean, count).astype(np.float64)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential(_NotSubGaussian):
    """Exponential rewards: not sub-Gaussian, so no σ makes a guarantee hold."""

    name: ClassVar[str] = "exponential"
    family: ClassVar[int] = EXPONENTIAL
    _noun: ClassVar[str] = "an exponential"

    mean: float

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Exponential draws."""
        return rng.exponential(self.mean, count)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """Any rewards that a function can draw: `sample(rng, count)` returns that many.

        coins = Sampler(sample=lambda rng, count: rng.integers(0, 2, count), mean=0.5, sigma=0.5)

    Slower than the families above: every reward is drawn. `mean` and `sigma` are the user's word:
    an answer is judged by the one, and claimed by the other.
    """

    name: ClassVar[str] = "sampler"
    family: ClassVar[int] = SAMPLED

    sample: Callable[[np.random.Generator, int], npt.ArrayLike]
    mean: float
    sigma: float
    bounds: Bounds | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mean) and self.sigma >= 0):
            raise ConfigError(
                f"a sampler needs its mean and its sigma, got {self.mean} and {self.sigma}"
            )

    @property
    def parameters(self) -> tuple[float, float]:
        """None that a kernel could use."""
        return 0.0, 0.0

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """The function's rewards, checked."""
        returned = self.sample(rng, count)
        try:
            rewards = np.asarray(returned, dtype=np.float64)
        except (ValueError, TypeError):
            rewards = np.array(np.nan)
        if rewards.shape != (count,) or not np.all(np.isfinite(rewards)):
            raise RewardError(f"a sampler must return {count} finite rewards, got {returned!r}")
        if self.bounds is not None and (
            rewards.min() < self.bounds[0] or rewards.max() > self.bounds[1]
        ):
            raise RewardError(f"a sampler left its own bounds {self.bounds}")
        return rewards


MODELS: dict[str, type[Gaussian | Bernoulli | Beta | Poisson | Exponential]] = {
    model.name: model for model in (Gaussian, Bernoulli, Beta, Poisson, Exponential)
}
"""Every reward model, by name. A new one is a class above and a word in this list."""


def parse_models(text: str, parameters: Mapping[str, Any]) -> tuple[RewardModel, ...]:
    """Models of one family from `family:mean,mean,…`: `gaussian:0,0,0.1`.

    `parameters` (sd, concentration) are those of every arm. Raises ConfigError if the family is not
    known, a mean is no number, or a parameter is missing or is not the family's.
    """
    family, separator, means = text.partition(":")
    if family not in MODELS:
        raise ConfigError(unknown("the family of arms", family, MODELS))
    if not separator or not means:
        raise ConfigError(f"arms are written as {family}:0.7,0.5,…, got {text!r}")
    try:
        numbers = [float(mean) for mean in means.split(",")]
    except ValueError:
        raise ConfigError(f"the means of arms must be numbers, got {means!r}") from None
    model = MODELS[family]
    needed = {
        field.name: field.default is MISSING for field in fields(model) if field.name != "mean"
    }
    for word in parameters:
        if word not in needed:
            raise ConfigError(f"{word} does not apply to a {family} arm")
    for word in needed:
        if needed[word] and word not in parameters:
            raise ConfigError(f"a {family} arm needs {word}")
    return tuple(model(mean=mean, **parameters) for mean in numbers)
