"""What a fixed budget makes of the other words: which lose their meaning, and what follows from it.

The checkpoints follow from the pulls and the number of arms. With them the number of messages is
known, so a budget of bits becomes an allowance for each of them, which no message exceeds.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bitarm.core.budget import BudgetPolicy, Phase, messages
from bitarm.core.policies import POLICIES
from bitarm.core.policy import Outcome, Policy
from bitarm.core.quantizer import Bounds, Quantizer
from bitarm.core.quantizers import BudgetedDicq, Dicq, Exact, Icq
from bitarm.core.quantizers.dicq_budget import MAX_BITS
from bitarm.core.schedule import ListedSchedule
from bitarm.errors import ConfigError

BUDGET_WORDS = ("bit_budget", "interval_delta")
"""Words for fixed budgets alone; `pull_budget` is another, a parameter of their policies."""

BUDGET_KAPPA = 0.5
"""Steps of dicq without a bit budget. No margin covers an error here, so they are finer."""

_EXACT_BITS = 64
_LEAST_DELTA = 1e-300

_NO_SCHEDULE = "the checkpoints follow from pull_budget and the number of arms"
_NO_LIMIT = "its budget is its limit"
_NO_INTERVAL = "messages of {quantizer} have no interval that it could size"
_SET_BY_BITS = "bit_budget sets it"
_REFUSED = {
    "delta": "a fixed budget proves nothing at any delta",
    "growth": _NO_SCHEDULE,
    "first": _NO_SCHEDULE,
    "checkpoints": _NO_SCHEDULE,
    "kappa_cut": "it tells no arm a cut",
    "max_rounds": _NO_LIMIT,
    "max_samples": _NO_LIMIT,
    "max_bits": _NO_LIMIT,
}


def is_budgeted(policy: type[Policy] | Policy) -> bool:
    """Whether the policy spends a budget instead of proving an answer."""
    return policy.answers is Outcome.BUDGET_SPENT


def meaningless(
    policy: type[Policy] | Policy, quantizer: type[Quantizer] | None, given: Iterable[str]
) -> dict[str, str]:
    """Words that say nothing beside this policy, this quantizer (if it is known) and those given.

    With the reason for each. Limits are spelt as in a call: max_rounds.
    """
    if not is_budgeted(policy):
        users = ", ".join(name for name, it in POLICIES.items() if is_budgeted(it))
        return dict.fromkeys(BUDGET_WORDS, f"it is for {users}")
    words = dict(_REFUSED)
    if quantizer in (Exact, Dicq):
        why = _NO_INTERVAL.format(quantizer=quantizer.name)
        words |= {"width": why, "interval_delta": why}
    if "bit_budget" in given:
        words |= {"bits": _SET_BY_BITS, "kappa": _SET_BY_BITS}
        if "bounds" in given:
            words["kappa_first"] = "with a bit_budget, the first message covers the bounds"
    return words


def refuse_meaningless(policy: Policy, quantizer: Quantizer, given: Mapping[str, Any]) -> None:
    """Refuse words that would have no effect."""
    present = [word for word, value in given.items() if value is not None]
    for word, why in meaningless(policy, type(quantizer), present).items():
        if word in present:
            raise ConfigError(f"{word} does not apply to the policy {policy.name}: {why}")


def check_interval_delta(interval_delta: float) -> float:
    """How often a mean may leave its interval, as far as the interval's size is concerned."""
    if not _LEAST_DELTA <= interval_delta < 1:
        raise ConfigError(f"interval_delta must lie in (0, 1), got {interval_delta}")
    return interval_delta


def schedule_of(phases: Sequence[Phase]) -> ListedSchedule:
    """The checkpoints of a budget."""
    return ListedSchedule(checkpoints=tuple(phase.until for phase in phases))


def within_bits(
    quantizer: Quantizer,
    policy: BudgetPolicy,
    *,
    bit_budget: int,
    arms: int,
    sigma: float,
    bounds: Bounds | None,
) -> Quantizer:
    """The quantizer in the form that never exceeds the budget; ConfigError if there is none."""
    phases = policy.phases(arms)
    match quantizer:
        case Exact():
            _each(bit_budget, _EXACT_BITS, quantizer, policy, arms)
            return quantizer
        case Icq(prior="quban"):
            raise ConfigError(
                "icq without bounds begins with a message of any length, which no bit_budget "
                "covers: give bounds, or use the quantizer dicq"
            )
        case Icq(prior=prior):
            return Icq(bits=_each(bit_budget, 1, quantizer, policy, arms), prior=prior)
        case Dicq():
            each = _each(bit_budget, 1, quantizer, policy, arms)
            return BudgetedDicq.planned(
                checkpoints=[phase.until for phase in phases],
                allowances=_allowances(phases, bit_budget, each),
                sigma=sigma,
                first=_first(quantizer, sigma, bounds),
            )
    raise ConfigError(
        f"messages of {quantizer.name} have no fixed length: a bit_budget is kept by "
        f"{Icq.name}, {Dicq.name} and {Exact.name}"
    )


def _each(
    bit_budget: int, least: int, quantizer: Quantizer, policy: BudgetPolicy, arms: int
) -> int:
    """The bits that every message may have; at least `least`, or the budget is refused."""
    count = messages(policy.phases(arms))
    if bit_budget < least * count:
        once = " (not even to hear from every arm once)" if bit_budget < least * arms else ""
        bits = "1 bit" if least == 1 else f"{least} bits"
        raise ConfigError(
            f"bit_budget must be at least {least * count:,}, got {bit_budget:,}, which does not "
            f"suffice{once}: {policy.name} hears {count:,} messages of {arms:,} arms, "
            f"and {quantizer.name} needs {bits} for each"
        )
    return min(bit_budget // count, MAX_BITS)


def _allowances(phases: Sequence[Phase], bit_budget: int, each: int) -> list[int]:
    """Bits of each phase's messages: what is left after equal shares goes to early phases.

    The first message has the widest range to cover, and every later one starts where it ended.
    """
    left = bit_budget - each * messages(phases)
    allowances = []
    for phase in phases:
        more = 1 if left >= phase.arms and each < MAX_BITS else 0
        left -= more * phase.arms
        allowances.append(each + more)
    return allowances


def _first(quantizer: Dicq, sigma: float, bounds: Bounds | None) -> float:
    """All that the bounds allow; without them, means are taken to lie within κ_1·σ of 0."""
    return quantizer.kappa_first * sigma if bounds is None else (bounds[1] - bounds[0]) / 2
