"""The range that all rewards lie in, where there is one: [a, b]."""

import math

from bitarm.errors import ConfigError

Bounds = tuple[float, float]


def check_bounds(bounds: Bounds | None) -> None:
    """Refuse bounds that are not two finite numbers, a < b."""
    if bounds is None:
        return
    a, b = bounds
    if not (math.isfinite(b - a) and a < b):
        raise ConfigError(
            f"bounds must be two numbers a finite distance apart, the lower first, got {a} and {b}"
        )
