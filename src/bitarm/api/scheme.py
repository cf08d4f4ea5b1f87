"""From the words of a problem file or a call to a RunSpec, a policy and limits.

Only what was given is passed in: a word that does not apply to the chosen scheme is refused, and
what was not given gets the default of the one place that defines it.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from bitarm.api import words
from bitarm.api.budget import (
    BUDGET_KAPPA,
    check_interval_delta,
    is_budgeted,
    meaningless,
    refuse_meaningless,
    schedule_of,
    within_bits,
)
from bitarm.api.words import typed, unknown
from bitarm.core.budget import BudgetPolicy
from bitarm.core.confidence import Stride
from bitarm.core.dither import uniform_priors
from bitarm.core.limits import Limits
from bitarm.core.policies import POLICIES, Budgeted, QuietElimination, SuccessiveElimination
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Bounds, Quantizer
from bitarm.core.quantizers import CHOICES, Dicq, Exact, Icq
from bitarm.core.schedule import GeometricSchedule, ListedSchedule, Schedule, default_first
from bitarm.core.setup import Setup
from bitarm.core.spec import (
    RunSpec,
    check_arms,
    check_bounds,
    check_delta,
    check_seed,
    check_sigma,
)
from bitarm.core.widths import WIDTHS, PairwiseMixtureWidth, PairwiseWidth
from bitarm.core.widths.paper import PaperWidth
from bitarm.errors import ConfigError

DEFAULT_DELTA = 0.05
DEFAULT_GROWTH = 2.0
QUIET_GROWTH = 1.3
"""Quiet elimination chooses among the checkpoints, so that more of them cost nothing."""
QUIET_FIRST = 2


def build(
    arms: tuple[str, ...],
    *,
    seed: int,
    problem: Mapping[str, Any],
    scheme: Mapping[str, Any],
    limits: Mapping[str, Any],
) -> Setup:
    """The setup that these words describe."""
    problem = typed(problem, words.PROBLEM, "[problem]")
    scheme = typed(scheme, words.SCHEME, "[scheme]")
    limits = typed(limits, words.LIMITS, "[limits]")
    check_arms(arms)
    check_seed(seed)
    bounds = _bounds(problem)
    policy = _policy(scheme, problem)
    quantizer = _quantizer(scheme, bounds)
    called = {f"max_{word}": limit for word, limit in limits.items()}
    refuse_meaningless(policy, quantizer, {**problem, **scheme, **called})
    if isinstance(policy, Budgeted):
        return _budgeted(arms, policy, quantizer, seed, problem, scheme)
    spec = RunSpec(
        arms=arms,
        delta=problem.get("delta", DEFAULT_DELTA),
        sigma=_sigma(problem, bounds),
        bounds=bounds,
        quantizer=quantizer,
        width=_width(scheme, policy),
        schedule=_schedule(scheme, policy),
        priors=_priors(quantizer, bounds, len(arms), seed),
        seed=seed,
    )
    if spec.width == PairwiseMixtureWidth.name and policy.stride is Stride.APART:
        raise ConfigError(
            f"the width {spec.width} compares arms with equally many pulls; the policy "
            f"{policy.name} moves each on its own: use the width {PairwiseWidth.name}"
        )
    return Setup(spec=spec, policy=policy, limits=Limits(**limits))


def _budgeted(
    arms: tuple[str, ...],
    policy: BudgetPolicy,
    quantizer: Quantizer,
    seed: int,
    problem: Mapping[str, Any],
    scheme: Mapping[str, Any],
) -> Setup:
    """A run that ends when its pulls are spent; δ and width only size the quantizer's intervals."""
    bounds, sigma = _bounds(problem), _sigma(problem, _bounds(problem))
    check_sigma(sigma)
    schedule = schedule_of(policy.phases(len(arms)))
    bits = problem.get("bit_budget")
    if bits is not None:
        quantizer = within_bits(
            quantizer, policy, bit_budget=bits, arms=len(arms), sigma=sigma, bounds=bounds
        )
    elif isinstance(quantizer, Dicq):
        quantizer = Dicq(
            kappa=scheme.get("kappa", BUDGET_KAPPA),
            kappa_first=scheme.get("kappa_first", BUDGET_KAPPA),
        )
    spec = RunSpec(
        arms=arms,
        delta=check_interval_delta(scheme.get("interval_delta", DEFAULT_DELTA)),
        sigma=sigma,
        bounds=bounds,
        quantizer=quantizer,
        width=choose(WIDTHS, "width", scheme.get("width", PairwiseWidth.name)).name,
        schedule=schedule,
        priors=_priors(quantizer, bounds, len(arms), seed),
        seed=seed,
    )
    return Setup(spec=spec, policy=policy, limits=Limits(bits=bits))


def _bounds(problem: Mapping[str, Any]) -> Bounds | None:
    bounds: Bounds | None = problem.get("bounds")
    check_bounds(bounds)
    return bounds


def _sigma(problem: Mapping[str, Any], bounds: Bounds | None) -> float:
    """σ as given; rewards in [a, b] are (b − a)/2-sub-Gaussian whatever they are (Hoeffding)."""
    check_delta(problem.get("delta", DEFAULT_DELTA))
    if "sigma" in problem:
        sigma: float = problem["sigma"]
        return sigma
    if bounds is None:
        raise ConfigError("sigma is needed: rewards without bounds have no default for it")
    a, b = bounds
    return (b - a) / 2


def chosen_quantizer(scheme: Mapping[str, Any]) -> type[Any]:
    """The one that is named or given as a value, or else the one of fewest bits."""
    return _chosen("quantizer", CHOICES, scheme.get("quantizer", Dicq.name))


def chosen_policy(scheme: Mapping[str, Any]) -> type[Any]:
    """The one that is named or given, or else the quietest that the quantizer has words for."""
    hinted = chosen_quantizer(scheme).hinted
    default = QuietElimination if hinted else SuccessiveElimination
    return _chosen("policy", POLICIES, scheme.get("policy", default.name))


def _chosen(kind: str, family: Mapping[str, type[Any]], value: Any) -> type[Any]:
    return choose(family, kind, value) if isinstance(value, str) else type(value)


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


def _quantizer(scheme: Mapping[str, Any], bounds: Bounds | None) -> Quantizer:
    chosen = chosen_quantizer(scheme)
    parameters = _applicable("quantizer", chosen, CHOICES, scheme)
    made: Quantizer | None = _as_given("quantizer", scheme, parameters)
    if made is not None:
        return made
    if chosen is Icq and "prior" not in parameters:
        parameters["prior"] = "uniform" if bounds else "quban"
    quantizer: Quantizer = chosen(**parameters)
    return quantizer


def _policy(scheme: Mapping[str, Any], problem: Mapping[str, Any]) -> Policy:
    chosen = chosen_policy(scheme)
    parameters = _applicable("policy", chosen, POLICIES, {**scheme, **problem})
    made: Policy | None = _as_given("policy", scheme, parameters)
    if made is not None:
        return made
    if is_budgeted(chosen) and "pull_budget" not in parameters:
        raise ConfigError(f"{chosen.name} needs a pull_budget: the pulls of all arms together")
    policy: Policy = chosen(**parameters)
    return policy


def _width(scheme: Mapping[str, Any], policy: Policy) -> str:
    """The tightest that is proven for the way in which the policy moves arms."""
    default = PaperWidth if policy.stride is Stride.APART else PairwiseMixtureWidth
    return str(choose(WIDTHS, "width", scheme.get("width", default.name)).name)


def _schedule(scheme: Mapping[str, Any], policy: Policy) -> Schedule:
    if "checkpoints" in scheme:
        for word in ("growth", "first"):
            if word in scheme:
                raise ConfigError(f"{word} does not apply to a list of checkpoints")
        return ListedSchedule(checkpoints=scheme["checkpoints"])
    leaps = isinstance(policy, QuietElimination)
    growth = scheme.get("growth", QUIET_GROWTH if leaps else DEFAULT_GROWTH)
    first = scheme.get("first", QUIET_FIRST if leaps else default_first(growth))
    return GeometricSchedule(growth=growth, first=first)


def _priors(quantizer: Quantizer, bounds: Bounds | None, arms: int, seed: int) -> tuple[float, ...]:
    """μ̃_0 for every arm, where the quantizer wants it drawn."""
    drawn_from = quantizer.prior_range(bounds)
    return () if drawn_from is None else uniform_priors(seed, arms, drawn_from)


def choose(family: Mapping[str, type[Any]], kind: str, name: str) -> type[Any]:
    """The member of a family that has this name."""
    if name not in family:
        raise ConfigError(unknown(kind, name, family))
    return family[name]


def _applicable(
    kind: str, chosen: type[Any], family: Mapping[str, type[Any]], given: Mapping[str, Any]
) -> dict[str, Any]:
    """The given words that are parameters of `chosen`; one that only others have is refused."""
    own = _parameters(chosen)
    for word in given:
        users = [name for name, member in family.items() if word in _parameters(member)]
        if users and word not in own:
            raise ConfigError(
                f"{word} does not apply to the {kind} {chosen.name}; it is for {', '.join(users)}"
            )
    return {word: value for word, value in given.items() if word in own}


def displaced_words(chosen: Mapping[str, Any]) -> set[str]:
    """Parameters that lose their meaning when these words replace a file's own choices."""
    displaced: set[str] = set()
    families: tuple[tuple[str, Mapping[str, type[Any]]], ...] = (
        ("quantizer", CHOICES),
        ("policy", POLICIES),
    )
    for kind, family in families:
        if isinstance(chosen.get(kind), str) and chosen[kind] in family:
            every = set().union(*map(_parameters, family.values()))
            displaced |= every - _parameters(family[chosen[kind]])
    if "growth" in chosen or "first" in chosen:
        displaced.add("checkpoints")
    if "bit_budget" in chosen:
        displaced |= {"bits", "kappa"}
    if chosen.get("quantizer") in (Exact.name, Dicq.name):
        displaced.add("interval_delta")
    if isinstance(chosen.get("policy"), str) and chosen["policy"] in POLICIES:
        displaced |= meaningless(POLICIES[chosen["policy"]], None, chosen).keys()
    return displaced


def _parameters(member: type[Any]) -> set[str]:
    return {field.name for field in fields(member)}
