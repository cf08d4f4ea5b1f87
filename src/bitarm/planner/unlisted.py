"""Families of schemes that `families.py` does not list, made from what the schemes declare.

A quantizer or a policy that another package offers, or one of ours that is not searched by itself,
is searched if a user names it, or fixes a word that only it has: its words at their defaults, with
the policy and the width that a run would have without further words.
"""

from collections.abc import Mapping
from typing import Any

from bitarm.api.scheme import applicable, default_policy, default_width
from bitarm.api.words import choose
from bitarm.core.budget import is_budgeted
from bitarm.core.policies import POLICIES
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Bounds, Quantizer
from bitarm.core.quantizers import CHOICES
from bitarm.core.registry import Registry
from bitarm.core.words import words_of
from bitarm.errors import ConfigError
from bitarm.planner.families import FEWER_REACHES, LISTED_PAIRS, Family
from bitarm.planner.setting import Setting

_GROWTH = (1.3, 2.0, 4.0)


def unlisted(fixed: Setting, bounds: Bounds | None) -> list[Family]:
    """A family for each quantizer and policy that the fixed words leave; ConfigError if none."""
    words = fixed.words
    found: list[Family] = []
    refusals: list[ConfigError] = []
    for quantizer, policy in _pairs(words):
        try:
            applicable(CHOICES, quantizer, words)
            applicable(POLICIES, policy, words)
        except ConfigError as error:
            refusals.append(error)
            continue
        found.append(_family(quantizer, policy, bounds, words))
    if not found:
        raise refusals[0]
    return found


def _pairs(words: Mapping[str, Any]) -> list[tuple[type[Quantizer], type[Policy]]]:
    """The quantizers that are named, or that fixed words belong to, with their policies."""
    quantizers = _chosen(CHOICES, words)
    policies = _chosen(POLICIES, words)
    if "policy" not in words and quantizers:
        return [(quantizer, default_policy(quantizer)) for quantizer in quantizers]
    if not quantizers:
        quantizers = [CHOICES[name] for name in dict.fromkeys(name for name, _ in LISTED_PAIRS)]
    return [(quantizer, policy) for quantizer in quantizers for policy in policies]


def _chosen(registry: Registry[Any], words: Mapping[str, Any]) -> list[type[Any]]:
    """The scheme that is named, or those that have the fixed words; none where no word says."""
    if registry.kind in words:
        return [choose(registry, words[registry.kind])]
    known = [it for it in registry.known.values() if registry is CHOICES or not is_budgeted(it)]
    own = [word for word in words if any(word in words_of(it) for it in known)]
    owners = [it for it in known if own and all(word in words_of(it) for word in own)]
    if own and not owners:
        raise ConfigError(
            f"{' and '.join(own)} together apply to none of the settings that a plan searches: "
            f"no {registry.kind} has all of these words"
        )
    return owners


def _family(
    quantizer: type[Quantizer],
    policy: type[Policy],
    bounds: Bounds | None,
    fixed: Mapping[str, Any],
) -> Family:
    values = {
        "quantizer": quantizer.name,
        **_defaults(quantizer, fixed),
        **quantizer.defaults(bounds, has_budget=False),
        "policy": policy.name,
        **_defaults(policy, fixed),
        "width": default_width(policy).name,
        **{word: value for word, value in fixed.items() if word != "growth"},
    }
    growth = [fixed["growth"]] if "growth" in fixed else list(_GROWTH)
    words = {word: [value] for word, value in values.items()} | {"growth": growth}
    return Family(words=words, reach=FEWER_REACHES)


def _defaults(member: type[Any], fixed: Mapping[str, Any]) -> dict[str, Any]:
    """The words of a scheme at their defaults; those that may be left open are left out."""
    declared = {name: it for name, it in words_of(member).items() if it.word.table == "scheme"}
    for name, it in declared.items():
        if it.required and name not in fixed:
            raise ConfigError(f"{member.name} has no default for {name}: give the plan a value")
    return {name: it.default for name, it in declared.items() if it.default is not None}
