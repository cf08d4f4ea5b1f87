"""A run's setting in words: every word with its value, under the name that holds everywhere.

What a result, a table, a picture or a page says of a setting comes from here, so that two settings
that differ can be told apart wherever they are shown.
"""

from typing import Any

from bitarm.core.level import level_of
from bitarm.core.limits import Limits
from bitarm.core.policy import Policy
from bitarm.core.spec import RunSpec
from bitarm.core.words import values_of


def settings_of(spec: RunSpec, policy: Policy, limits: Limits) -> dict[str, Any]:
    """Every word that has a meaning in this run; None where one is left open.

    Under a fixed budget the checkpoints follow from it, and its own limits are no words.
    """
    level = level_of(spec, policy, limits)
    budgets = level.budgets()
    words = {
        "quantizer": spec.quantizer.name,
        **values_of(spec.quantizer),
        "policy": policy.name,
        **values_of(policy),
        "width": level.width,
        "delta": level.delta,
        "sigma": spec.sigma,
        "bounds": spec.bounds,
        **budgets,
    }
    if level.delta is None:
        return words
    limited = {f"max_{name}": limit for name, limit in values_of(limits).items()}
    given = {name: limit for name, limit in limited.items() if limit is not None}
    return {**words, **values_of(spec.schedule), "first": spec.schedule.pulls_at(1), **given}
