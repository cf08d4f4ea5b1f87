"""What a fixed budget makes of the other words: which lose their meaning, and why."""

from collections.abc import Collection, Mapping
from typing import Any

from bitarm.core.budget import BudgetWords, is_budgeted
from bitarm.core.policies import POLICIES
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import CHOICES
from bitarm.core.words import words_of
from bitarm.errors import ConfigError

_NO_SCHEDULE = "the checkpoints follow from pull_budget and the number of arms"
_NO_LIMIT = "its budget is its limit"
_REFUSED = {
    "delta": "a fixed budget proves nothing at any delta",
    "growth": _NO_SCHEDULE,
    "first": _NO_SCHEDULE,
    "checkpoints": _NO_SCHEDULE,
    "max_rounds": _NO_LIMIT,
    "max_samples": _NO_LIMIT,
    "max_bits": _NO_LIMIT,
}


def meaningless(
    policy: type[Policy] | Policy, quantizer: type[Quantizer] | None, given: Collection[str]
) -> dict[str, str]:
    """Words that say nothing beside this policy, this quantizer (if it is known) and those given.

    With the reason for each. Limits are spelt as in a call: max_rounds.
    """
    if not is_budgeted(policy):
        users = ", ".join(name for name, member in POLICIES.known.items() if is_budgeted(member))
        return dict.fromkeys(words_of(BudgetWords), f"it is for {users}")
    if quantizer is None:
        return _REFUSED | sized_by_bits(given)
    words = _REFUSED | dict(quantizer.without_effect(given))
    if not quantizer.has_intervals:
        why = f"messages of {quantizer.name} have no interval that it could size"
        words |= {"width": why, "interval_delta": why}
    return words


def sized_by_bits(given: Collection[str]) -> dict[str, str]:
    """Words of any quantizer that say nothing under a budget, beside those given."""
    return {
        word: why
        for member in CHOICES.known.values()
        for word, why in member.without_effect(given).items()
    }


def refuse_meaningless(policy: Policy, quantizer: Quantizer, given: Mapping[str, Any]) -> None:
    """Refuse words that would have no effect."""
    present = [word for word, value in given.items() if value is not None]
    for word, why in meaningless(policy, type(quantizer), present).items():
        if word in present:
            raise ConfigError(f"{word} does not apply to the policy {policy.name}: {why}")
