"""Arms in one line: `gaussian:0,0,0.1` becomes models."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from bitarm.core.words import unknown
from bitarm.errors import ConfigError
from bitarm.sim.models import MODELS, RewardModel


def parse_arms(text: str, parameters: Mapping[str, Any]) -> tuple[RewardModel, ...]:
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
