"""How the words of a problem file, or of a call, become a Setup.

Only what was given is passed in: a word that does not apply to the chosen scheme is refused, and
what was not given gets the default of the one place that defines it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bitarm.api.applicable import GRID, applicable, refuse_meaningless
from bitarm.api.default_scheme import (
    DEFAULT_DELTA,
    chosen_policy,
    chosen_quantizer,
    default_width,
)
from bitarm.api.words import LIMITS, seed_of, split, typed_words
from bitarm.core.bounds import Bounds, check_bounds
from bitarm.core.budget import BudgetPolicy, has_phases, is_budgeted
from bitarm.core.confidence import Stride
from bitarm.core.dither import uniform_priors
from bitarm.core.limits import Limits
from bitarm.core.phases import BitBudget
from bitarm.core.policies import (
    POLICIES,
    ChallengeElimination,
    SuccessiveElimination,
)
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Quantizer, asks_to_judge
from bitarm.core.quantizers import CHOICES, Dyadic
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
    SubGaussianEvidence,
)
from bitarm.core.words import typed
from bitarm.errors import ConfigError


def setup(arms: Sequence[str], *, seed: int | None = None, **words: Any) -> Setup:
    """A run before it begins, for `bitarm.Learner`.

        learner = bitarm.Learner(bitarm.setup(["north", "south"], delta=0.05, bounds=(0, 1)))

    Args:
        arms: the names of the arms, two or more; an arm's number is its place here.
        seed: for what the run draws itself; by default one is drawn, and the setup has it.
        words: those of `identify` (docs/words.md), such as `delta`, `bounds` or `policy`.

    Returns:
        The run's settings, checked, from which a learner is made.

    Raises:
        ConfigError: for words that cannot be run.
    """
    problem, scheme, limits = split(words)
    if isinstance(arms, str | bytes) or not isinstance(arms, Iterable):
        raise ConfigError(f"arms must be a list of names, got {arms!r:.80}")
    return build(
        tuple(map(str, arms)), seed=seed_of(seed), problem=problem, scheme=scheme, limits=limits
    )


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
