"""What a run promises or may spend: a δ and a width, or budgets. Where a result says so."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from bitarm.core.limits import Limits
from bitarm.core.policy import Outcome, Policy
from bitarm.core.words import values_of

if TYPE_CHECKING:
    from bitarm.core.spec import RunSpec


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The words for it, as they stand in every result; None where one has no meaning."""

    delta: float | None
    width: str | None
    interval_delta: float | None  # sizes a quantizer's intervals under a budget, and nothing else
    pull_budget: int | None
    bit_budget: int | None

    def budgets(self) -> dict[str, float | int]:
        """The words of a fixed budget that have a meaning here."""
        words = {
            "pull_budget": self.pull_budget,
            "bit_budget": self.bit_budget,
            "interval_delta": self.interval_delta,
        }
        return {word: value for word, value in words.items() if value is not None}


def level_of(spec: "RunSpec", policy: Policy, limits: Limits) -> Level:
    """Under a fixed budget δ and width only size the intervals of a quantizer that has some."""
    if policy.answers is not Outcome.BUDGET_SPENT:
        return Level(
            delta=spec.delta,
            width=spec.width,
            interval_delta=None,
            pull_budget=None,
            bit_budget=None,
        )
    has_interval = spec.quantizer.has_intervals
    return Level(
        delta=None,
        width=spec.width if has_interval else None,
        interval_delta=spec.delta if has_interval else None,
        pull_budget=values_of(policy).get("pull_budget"),
        bit_budget=limits.bits,
    )
