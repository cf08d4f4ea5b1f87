"""The arms of an experiment: the fitted ones that ship with it, or drawn as the paper draws them.

Four of the paper's figures use means that were drawn once and never printed. `instances.toml`
holds means that were fitted to the published curves; `scripts/fit_instances.py` fits them again.
"""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, final

import numpy as np

from bitarm.core.words import unknown
from bitarm.errors import ConfigError
from bitarm.sim.models import MODELS, RewardModel

X = "x"
"""In the data of a sweep, stands for the value on the horizontal axis."""

_PARAMETERS = ("sd", "concentration")
_KEYS = ("model", "means", "each", "offsets", *_PARAMETERS)

Means = tuple[float | str, ...]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """Arms of one family: their means, some of which may be the axis's value, and where from."""

    model: str
    means: Means  # empty if each value on the axis has arms of its own
    parameters: Mapping[str, float]
    origin: str
    each: tuple[Means, ...] = ()  # the arms at 1, 2, … on the axis
    offsets: tuple[float, ...] = (0.0,)  # added to all means; results are averaged over them

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ConfigError(unknown("the model of the arms", self.model, MODELS))
        for mean in (*self.means, *(mean for means in self.each for mean in means)):
            if mean != X and (isinstance(mean, str | bool) or not isinstance(mean, int | float)):
                raise ConfigError(f"a mean must be a number or {X!r}, got {mean!r}")

    @property
    def varies(self) -> bool:
        """Whether each value on the axis has arms of its own."""
        return bool(self.each) or X in self.means

    def models(self, x: float, offset: float = 0.0) -> tuple[RewardModel, ...]:
        """The arms at one value on the axis."""
        family: Callable[..., RewardModel] = MODELS[self.model]
        means = self.each[round(x) - 1] if self.each else self.means
        return tuple(
            family(mean=(x if isinstance(mean, str) else float(mean)) + offset, **self.parameters)
            for mean in means
        )


def instance_of(arms: Any) -> Instance:
    """The instance that a sweep's `arms` describe, in full or by the name of a fitted one."""
    if not isinstance(arms, Mapping):
        raise ConfigError(f"arms must be a table with model and means, got {arms!r}")
    if "instance" in arms:
        if len(arms) > 1:
            raise ConfigError("arms have either an instance or a model and means, not both")
        return fitted(arms["instance"])
    for key in arms:
        if key not in _KEYS:
            raise ConfigError(unknown("a key of arms", key, _KEYS))
    if "model" not in arms:
        raise ConfigError("arms need model")
    if ("means" in arms) == ("each" in arms):
        raise ConfigError("arms need means, or a list of means for each value of x, and not both")
    each = tuple(
        _listed("a list in each", means) for means in _listed("each", arms.get("each", ()))
    )
    return Instance(
        model=arms["model"],
        means=_listed("means", arms.get("means", ())),
        parameters={word: float(arms[word]) for word in _PARAMETERS if word in arms},
        origin="as stated",
        each=each,
        offsets=_offsets(arms.get("offsets", (0.0,))),
    )


def fitted(name: str) -> Instance:
    """An instance that ships with the package."""
    table = _shipped(name)
    return Instance(
        model=table["model"],
        means=tuple(table["means"]),
        parameters={word: table[word] for word in _PARAMETERS if word in table},
        origin=table["fitted"],
    )


def drawn(name: str, seed: int) -> Instance:
    """The arms of an experiment, with means drawn as the paper says that it drew them."""
    table = _shipped(name)
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(0,))))
    # N ~ N(0, 9): a negative N makes [0, N] the interval [N, 0]
    high = rng.normal(0.0, 3.0) if table["drawn"] == "uniform on [0, N], N ~ N(0, 9)" else 1.0
    means = rng.uniform(min(0.0, high), max(0.0, high), len(table["means"]))
    return Instance(
        model=table["model"],
        means=tuple(sorted(means.tolist(), reverse=True)),
        parameters={word: table[word] for word in _PARAMETERS if word in table},
        origin=f"means drawn {table['drawn']}, with seed {seed}",
    )


def _listed(key: str, given: Any) -> tuple[Any, ...]:
    if not isinstance(given, list | tuple):
        raise ConfigError(f"{key} must be a list, got {given!r}")
    return tuple(given)


def _offsets(given: Any) -> tuple[float, ...]:
    offsets = _listed("offsets", given)
    if not offsets or not all(
        isinstance(offset, int | float) and not isinstance(offset, bool) and math.isfinite(offset)
        for offset in offsets
    ):
        raise ConfigError(f"offsets must be a list of numbers, got {given!r}")
    return tuple(map(float, offsets))


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("instances.toml").read_text("utf-8"))


def _shipped(name: Any) -> dict[str, Any]:
    if name not in _tables():
        raise ConfigError(unknown("an instance", name, _tables()))
    table: dict[str, Any] = _tables()[name]
    return table
