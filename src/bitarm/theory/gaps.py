"""Known means, and how far each arm is from the best."""

import math
from collections.abc import Sequence
from enum import Enum

from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError


class NoBound(Enum):
    """Why there is no number; the value is the reason for a person."""

    TIE = "two arms share the best mean: no number of samples tells them apart"
    GRID_ENDS = "the schedule ends before the radius is small enough for the smallest gap"
    NO_THEOREM = "the paper has no theorem for this quantizer or schedule"


def check_means(means: Sequence[float]) -> None:
    """Refuse means unless there are two or more, finite, no further apart than a float holds."""
    if len(means) < 2:
        raise ConfigError(f"at least 2 means are needed to speak of gaps, got {len(means)}")
    for arm, mean in enumerate(means):
        if not math.isfinite(mean):
            raise ConfigError(f"the mean of arm {arm} must be a finite number, got {mean}")
    if not math.isfinite(max(means) - min(means)):
        raise ConfigError(f"means must not span from {min(means)} to {max(means)}")


def check_means_of(spec: RunSpec, means: Sequence[float]) -> None:
    """Refuse means that are not one for each arm of the run, within its bounds."""
    check_means(means)
    if len(means) != len(spec.arms):
        raise ConfigError(f"{len(spec.arms)} arms need as many means, got {len(means)}")
    if spec.bounds is not None:
        a, b = spec.bounds
        for arm, mean in enumerate(means):
            if not a <= mean <= b:
                raise ConfigError(
                    f"the mean of {spec.label(arm)} must lie in [{a}, {b}], got {mean}"
                )


def gaps_of(means: Sequence[float]) -> tuple[float, ...]:
    """Δ_j = μ_1 − μ_j for every arm; the best arm has the smallest of the others.

    The best arm stays until the last of the others falls, so it costs what the closest one costs.
    Two best arms have gap 0.
    """
    best = max(range(len(means)), key=means.__getitem__)
    gaps = [means[best] - mean for mean in means]
    gaps[best] = min(gaps[:best] + gaps[best + 1 :])
    return tuple(gaps)
