"""How the words of a problem file, or of a call, become a Setup.

Only what was given is passed in: a word that does not apply to the chosen scheme is refused, and
what was not given gets the default of the one place that defines it.
"""

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from bitarm.api.budget import meaningless, refuse_meaningless, sized_by_bits
from bitarm.api.words import LIMITS, typed_words
from bitarm.core.bounds import Bounds, check_bounds
from bitarm.core.budget import BudgetPolicy, has_phases, is_budgeted
from bitarm.core.codes import Above, Nearest
from bitarm.core.confidence import Stride, Width
from bitarm.core.dither import uniform_priors
from bitarm.core.limits import Limits
from bitarm.core.phases import BitBudget
from bitarm.core.policies import (
    POLICIES,
    ChallengeElimination,
    SuccessiveElimination,
)
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import CHOICES, Dicq, Dyadic
from bitarm.core.registry import Registry
from bitarm.core.schedule import (
    GeometricSchedule,
    ListedSchedule,
    LooksSchedule,
    Schedule,
    default_first,
)
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec, check_arms, check_delta, check_seed, check_sigma, sigma_of
from bitarm.core.vocabulary import choose
from bitarm.core.widths import (
    WIDTHS,
    BoundedEvidence,
    PairwiseMixtureWidth,
    PairwiseWidth,
    SubGaussianEvidence,
)
from bitarm.core.words import typed
from bitarm.errors import ConfigError

DEFAULT_DELTA = 0.05
GRID = ("growth", "first", "checkpoints")
"""Words of a schedule, which agents that judge themselves do not have."""
_IN_STEP = (Stride.TOGETHER, Stride.EVEN)  # arms are compared at equally many pulls


def build(
    arms: tuple[str, ...],
    *,
    seed: int,
    problem: Mapping[str, Any],
    scheme: Mapping[str, Any],
    limits: Mapping[str, Any],
) -> Setup:
    """The setup that these words describe.

    `problem`, `scheme` and `limits` have the words of the tables of those names, with their values;
    what they leave open gets its default. Raises ConfigError for a word that is not known, of the
    wrong type, out of range, or without effect beside the others.
    """
    problem = typed_words(problem, "problem")
    scheme = typed_words(scheme, "scheme")
    limits = typed(limits, LIMITS, "[limits]")
    check_arms(arms)
    check_seed(seed)
    bounds: Bounds | None = problem.get("bounds")
    check_bounds(bounds)
    given = {**problem, **scheme}
    policy = _policy(given)
    unsized = is_budgeted(policy) and problem.get("bit_budget") is None
    quantizer = _quantizer(given, bounds, has_budget=unsized)
    called = {f"max_{word}": limit for word, limit in limits.items()}
    refuse_meaningless(policy, quantizer, {**given, **called})
    check_delta(problem.get("delta", DEFAULT_DELTA))
    width = _width(policy, given)
    if policy.stride is Stride.JUDGED or width == BoundedEvidence.name:
        _check_evidence(policy, quantizer, width, problem)
    sigma = sigma_of(problem.get("sigma"), bounds)
    if has_phases(policy):
        return _budgeted(arms, policy, quantizer, seed, sigma, problem, scheme)
    spec = RunSpec(
        arms=arms,
        delta=problem.get("delta", DEFAULT_DELTA),
        sigma=sigma,
        bounds=bounds,
        quantizer=quantizer,
        width=width,
        schedule=_schedule(scheme, policy),
        priors=_priors(quantizer, bounds, len(arms), seed),
        seed=seed,
    )
    if not spec.sampling.fits(policy.stride):
        raise ConfigError(
            f"the width {spec.width} compares arms with equally many pulls; the policy "
            f"{policy.name} moves each on its own: use the width {SubGaussianEvidence.name}"
        )
    return Setup(spec=spec, policy=policy, limits=Limits(**limits))


def _check_evidence(
    policy: Policy, quantizer: Quantizer, width: str, problem: Mapping[str, Any]
) -> None:
    """Refuse what does not go together where agents weigh their own rewards."""
    judged, bounded = policy.stride is Stride.JUDGED, width == BoundedEvidence.name
    if bounded and not judged:
        raise ConfigError(
            f"the width {width} is for agents that judge themselves, which the policy "
            f"{policy.name} does not let them: use the policy {ChallengeElimination.name}, or "
            "another width"
        )
    if not WIDTHS[width].fits(policy.stride):
        raise ConfigError(
            f"agents under the policy {policy.name} weigh evidence, which the width {width} is "
            f"not: use the width {BoundedEvidence.name}, which takes the bounds of the rewards, or "
            f"{SubGaussianEvidence.name}, which takes sigma"
        )
    if not asks_to_judge(quantizer):
        raise ConfigError(
            f"the quantizer {quantizer.name} has no question for the policy {policy.name}, whose "
            f"agents judge themselves: use the quantizer {Dyadic.name}"
        )
    if not bounded:
        return
    if problem.get("bounds") is None:
        raise ConfigError(
            f"the width {width} needs the bounds between which all rewards lie, such as "
            f"bounds = [0.0, 1.0]; without them give sigma and use {SubGaussianEvidence.name}"
        )
    if problem.get("sigma") is not None:
        raise ConfigError(
            f"sigma does not apply to the width {width}, which takes nothing but the bounds: "
            f"leave sigma out, or use the width {SubGaussianEvidence.name}"
        )


def _budgeted(
    arms: tuple[str, ...],
    policy: BudgetPolicy,
    quantizer: Quantizer,
    seed: int,
    sigma: float,
    problem: Mapping[str, Any],
    scheme: Mapping[str, Any],
) -> Setup:
    """A run that ends when its pulls are spent; δ and width only size the quantizer's intervals."""
    bounds, bits = problem.get("bounds"), problem.get("bit_budget")
    check_sigma(sigma)
    phases = policy.phases(len(arms))
    if bits is not None:
        budget = BitBudget(bits=bits, phases=phases, policy=policy.name)
        quantizer = quantizer.within_bits(budget, sigma=sigma, bounds=bounds)
    interval_delta = scheme.get("interval_delta", DEFAULT_DELTA)
    check_delta(interval_delta, "interval_delta")
    spec = RunSpec(
        arms=arms,
        delta=interval_delta,
        sigma=sigma,
        bounds=bounds,
        quantizer=quantizer,
        width=_width(policy, {**problem, **scheme}),
        schedule=ListedSchedule(checkpoints=tuple(phase.until for phase in phases)),
        priors=_priors(quantizer, bounds, len(arms), seed),
        seed=seed,
    )
    return Setup(spec=spec, policy=policy, limits=Limits(bits=bits))


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


def asks_to_judge(quantizer: Quantizer | type[Quantizer]) -> bool:
    """Whether a quantizer has the questions for agents that judge themselves."""
    return quantizer.hinted and {Nearest.name, Above.name} <= set(quantizer.codes)


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


def _as_given(kind: str, given: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
    """A scheme that was given as a value; None if it was named. Its words are set in the value."""
    value = given.get(kind)
    if value is None or isinstance(value, str):
        return None
    for word in parameters:
        raise ConfigError(
            f"{word} belongs to the {kind} {value.name}, which was given as a value: set it there"
        )
    return value


def _quantizer(given: Mapping[str, Any], bounds: Bounds | None, *, has_budget: bool) -> Quantizer:
    chosen = chosen_quantizer(given)
    parameters = applicable(CHOICES, chosen, given)
    made: Quantizer | None = _as_given("quantizer", given, parameters)
    if made is not None:
        return made
    defaults = chosen.defaults(bounds, has_budget=has_budget)
    quantizer: Quantizer = chosen(**{**defaults, **parameters})
    return quantizer


def _policy(given: Mapping[str, Any]) -> Policy:
    chosen = chosen_policy(given)
    parameters = applicable(POLICIES, chosen, given)
    made: Policy | None = _as_given("policy", given, parameters)
    if made is not None:
        return made
    if is_budgeted(chosen) and "pull_budget" not in parameters:
        raise ConfigError(f"{chosen.name} needs a pull_budget: the pulls of all arms together")
    policy: Policy = chosen(**parameters)
    return policy


def _width(policy: Policy | type[Policy], given: Mapping[str, Any]) -> str:
    bounds_only = given.get("bounds") is not None and given.get("sigma") is None
    default = default_width(policy, bounds_only=bounds_only)
    return str(choose(WIDTHS, given.get("width", default.name)).name)


def _schedule(scheme: Mapping[str, Any], policy: Policy) -> Schedule:
    if policy.stride is Stride.JUDGED:
        for word in GRID:
            if word in scheme:
                raise ConfigError(
                    f"{word} does not apply to the policy {policy.name}: its agents weigh their "
                    "rewards after every pull, and from 64 pulls on after every 1/32 more. "
                    f"Leave it out, or use a policy with checkpoints: {SuccessiveElimination.name}"
                )
        return LooksSchedule()
    if "checkpoints" in scheme:
        for word in ("growth", "first"):
            if word in scheme:
                raise ConfigError(f"{word} does not apply to a list of checkpoints")
        return ListedSchedule(checkpoints=scheme["checkpoints"])
    growth = scheme.get("growth", policy.growth)
    first = scheme.get("first", policy.first or default_first(growth))
    return GeometricSchedule(growth=growth, first=first)


def _priors(quantizer: Quantizer, bounds: Bounds | None, arms: int, seed: int) -> tuple[float, ...]:
    """μ̃_0 for every arm, where the quantizer wants it drawn."""
    drawn_from = quantizer.prior_range(bounds)
    return () if drawn_from is None else uniform_priors(seed, arms, drawn_from)


def applicable(
    registry: Registry[Any], chosen: type[Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """The given words that are parameters of `chosen`; one that only others have is refused."""
    own = parameters_of(chosen)
    for word in given:
        users = [name for name, member in registry.known.items() if word in parameters_of(member)]
        if users and word not in own:
            raise ConfigError(
                f"{word} does not apply to the {registry.kind} {chosen.name}; it is for "
                f"{', '.join(users)}"
            )
    return {word: value for word, value in given.items() if word in own}


def displaced_words(chosen: Mapping[str, Any]) -> set[str]:
    """Parameters that lose their meaning when these words replace a file's own choices."""
    displaced: set[str] = set()
    for registry in (CHOICES, POLICIES):
        name = chosen.get(registry.kind)
        if isinstance(name, str) and name in registry:
            own = parameters_of(registry[name])
            displaced |= set().union(*map(parameters_of, registry.known.values())) - own
    if "growth" in chosen or "first" in chosen:
        displaced.add("checkpoints")
    if "bit_budget" in chosen:
        displaced |= sized_by_bits(["bit_budget"]).keys() - sized_by_bits([]).keys()
    if chosen.get("width") == BoundedEvidence.name:
        displaced.add("sigma")
    quantizer, policy = chosen.get("quantizer"), chosen.get("policy")
    if isinstance(quantizer, str) and quantizer in CHOICES and not CHOICES[quantizer].has_intervals:
        displaced.add("interval_delta")
    if isinstance(policy, str) and policy in POLICIES:
        displaced |= meaningless(POLICIES[policy], None, chosen).keys()
        if POLICIES[policy].stride is Stride.JUDGED:
            displaced |= {*GRID}
    return displaced


def parameters_of(member: type[Any]) -> set[str]:
    """The names of a scheme's parameters."""
    return {field.name for field in fields(member)}
