"""Which quantizer, policy and width a run has: those that its words name, or what suits the others.

These choices are made here and nowhere else; `defaults.py` tells them to a person.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bitarm.api.applicable import GRID
from bitarm.core.budget import is_budgeted
from bitarm.core.confidence import Stride, Width
from bitarm.core.policies import POLICIES, ChallengeElimination, SuccessiveElimination
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Quantizer, asks_to_judge
from bitarm.core.quantizers import CHOICES, Dicq, Dyadic
from bitarm.core.registry import Registry
from bitarm.core.vocabulary import choose
from bitarm.core.widths import (
    WIDTHS,
    BoundedEvidence,
    PairwiseMixtureWidth,
    PairwiseWidth,
    SubGaussianEvidence,
)
from bitarm.errors import ConfigError

DEFAULT_DELTA = 0.05
_IN_STEP = (Stride.TOGETHER, Stride.EVEN)  # arms are compared at equally many pulls


def chosen_quantizer(given: Mapping[str, Any]) -> type[Any]:
    """The one that is named or given as a value, or else the one that suits the policy."""
    named = given.get("quantizer")
    return default_quantizer(chosen_policy(given)) if named is None else _chosen(CHOICES, named)


def chosen_policy(given: Mapping[str, Any]) -> type[Any]:
    """The one that is named or given as a value, or else what the words beside it leave."""
    named = given.get("policy")
    if named is not None:
        return _chosen(POLICIES, named)
    quantizer = given.get("quantizer")
    return default_policy(Dyadic if quantizer is None else _chosen(CHOICES, quantizer), given)


def default_quantizer(policy: Policy | type[Policy]) -> type[Quantizer]:
    """The one of fewest bits under a policy, used unless another is named."""
    return Dyadic if policy.stride is Stride.JUDGED else Dicq


def default_policy(
    quantizer: type[Quantizer], given: Mapping[str, Any] = MappingProxyType({})
) -> type[Policy]:
    """What a quantizer is used with beside the words given, unless a policy is named.

    Agents judge themselves, if the quantizer can ask them to and no word says otherwise: neither a
    width that is no evidence, nor one of a schedule.
    """
    width = given.get("width")
    judged = asks_to_judge(quantizer) and not any(word in given for word in GRID)
    if judged and (width is None or choose(WIDTHS, width).fits(Stride.JUDGED)):
        return ChallengeElimination
    return SuccessiveElimination


def default_width(policy: Policy | type[Policy], *, bounds_only: bool = True) -> type[Width]:
    """The one that a policy's proof needs, or the tightest for the way in which it moves arms.

    `bounds_only` says that of the rewards nothing but their bounds is known, and no σ: what agents
    that judge themselves then weigh. Under a budget nothing is proven: there a width only sizes the
    quantizer's intervals.
    """
    if is_budgeted(policy):
        return PairwiseWidth
    if policy.needs_width is not None:
        return policy.needs_width
    if policy.stride is Stride.JUDGED and bounds_only:
        return BoundedEvidence
    return PairwiseMixtureWidth if policy.stride in _IN_STEP else SubGaussianEvidence


def _chosen(registry: Registry[Any], value: Any) -> type[Any]:
    if isinstance(value, str):
        return choose(registry, value)
    fault = registry.fault_of(type(value))
    if fault is not None:
        raise ConfigError(f"{value!r:.100} is no {registry.kind}: {fault}")
    return type(value)
