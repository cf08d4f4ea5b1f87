"""Which words apply beside which: those of other schemes do not, and some lose their meaning.

A word without effect is refused, with the reason; one that a flag makes void in a file is left out.
"""

from collections.abc import Collection, Mapping
from typing import Any

from bitarm.core.budget import BudgetWords, is_budgeted
from bitarm.core.confidence import Stride
from bitarm.core.policies import POLICIES
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import CHOICES
from bitarm.core.registry import Registry
from bitarm.core.widths import WIDTHS
from bitarm.core.words import words_of
from bitarm.errors import ConfigError

GRID = ("growth", "first", "checkpoints")
"""Words of a schedule, which agents that judge themselves do not have."""

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


def applicable(
    registry: Registry[Any], chosen: type[Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """The given words that are words of `chosen`; one that only others have is refused."""
    own = words_of(chosen)
    for word in given:
        users = [name for name, member in registry.known.items() if word in words_of(member)]
        if users and word not in own:
            raise ConfigError(
                f"{word} does not apply to the {registry.kind} {chosen.name}; it is for "
                f"{', '.join(users)}"
            )
    return {word: value for word, value in given.items() if word in own}


def displaced_words(chosen: Mapping[str, Any]) -> set[str]:
    """Words that lose their meaning when these replace a file's own choices."""
    displaced: set[str] = set()
    for registry in (CHOICES, POLICIES):
        name = chosen.get(registry.kind)
        if isinstance(name, str) and name in registry:
            displaced |= foreign_words(registry, registry[name])
    if "growth" in chosen or "first" in chosen:
        displaced.add("checkpoints")
    if "bit_budget" in chosen:
        displaced |= sized_by_bits(["bit_budget"]).keys() - sized_by_bits([]).keys()
    quantizer, policy, width = (chosen.get(word) for word in ("quantizer", "policy", "width"))
    if isinstance(width, str) and width in WIDTHS and not WIDTHS[width].needs_sigma:
        displaced.add("sigma")
    if isinstance(quantizer, str) and quantizer in CHOICES and not CHOICES[quantizer].has_intervals:
        displaced.add("interval_delta")
    if isinstance(policy, str) and policy in POLICIES:
        displaced |= meaningless(POLICIES[policy], None, chosen).keys()
        if POLICIES[policy].stride is Stride.JUDGED:
            displaced |= {*GRID}
    return displaced


def foreign_words(registry: Registry[Any], chosen: type[Any]) -> set[str]:
    """The words that other schemes of a registry have, and the chosen one has not."""
    every = {word for member in registry.known.values() for word in words_of(member)}
    return every - words_of(chosen).keys()


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
