"""Setup: a run before it begins, from words to machines, journal, simulator, planner and page.

The problem and how its messages are made (`spec`), the rules by which it is decided (`policy`), and
where it must end even without an answer (`limits`).
"""

import hashlib
from dataclasses import dataclass, field
from typing import Any, final

from bitarm.core.budget import is_budgeted
from bitarm.core.confidence import Stride
from bitarm.core.limits import Limits
from bitarm.core.plain import dumps
from bitarm.core.policies import POLICIES
from bitarm.core.policy import Policy
from bitarm.core.quantizer import asks_to_judge
from bitarm.core.quantizers import CHOICES
from bitarm.core.schedule import RecordedSchedule
from bitarm.core.spec import RunSpec
from bitarm.core.widths import WIDTHS
from bitarm.core.words import values_of
from bitarm.errors import ConfigError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a run promises or may spend: a δ and a width, or budgets.

    The words stand in every result; None where one has no meaning.
    """

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


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything that a learner needs: from equal setups and answers follow equal decisions.

    setup = Setup(spec=spec, policy=SuccessiveElimination(), limits=Limits(samples=10_000))
    learner = Learner(setup)
    """

    spec: RunSpec  # the problem, and how its messages are made
    policy: Policy  # the rules by which it is decided
    limits: Limits = field(default_factory=Limits)  # none, unless they are given

    def __post_init__(self) -> None:
        if self.policy.stride is not Stride.JUDGED:
            return
        if not self.spec.sampling.fits(Stride.JUDGED):
            raise ConfigError(
                f"the policy {self.policy.name} needs evidence (bounded, sub-gaussian), "
                f"not the width {self.spec.width}"
            )
        if not asks_to_judge(self.spec.quantizer):
            raise ConfigError(
                f"the policy {self.policy.name} needs a quantizer that can put its challenges "
                f"(dyadic), not {self.spec.quantizer.name}"
            )

    @property
    def fingerprint(self) -> int:
        """A 32-bit hash of all of it, by which a person finds a run: tolerance and limits too."""
        return int.from_bytes(hashlib.blake2b(dumps(self).encode(), digest_size=4).digest())

    @property
    def terms(self) -> Terms:
        """What this run promises or may spend.

        Under a fixed budget δ and width only size the intervals of a quantizer that has some.
        """
        spec, policy = self.spec, self.policy
        if not is_budgeted(policy):
            return Terms(
                delta=spec.delta,
                width=spec.width,
                interval_delta=None,
                pull_budget=None,
                bit_budget=None,
            )
        has_interval = spec.quantizer.has_intervals
        return Terms(
            delta=None,
            width=spec.width if has_interval else None,
            interval_delta=spec.delta if has_interval else None,
            pull_budget=values_of(policy).get("pull_budget"),
            bit_budget=self.limits.bits,
        )

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages, with their versions, that its schemes come from; none for our own."""
        found = (
            CHOICES.origin(type(self.spec.quantizer)),
            POLICIES.origin(type(self.policy)),
            WIDTHS.origin(type(self.spec.sampling)),
        )
        return tuple(sorted({origin for origin in found if origin is not None}))

    @property
    def is_ours(self) -> bool:
        """Whether all of its code is bitarm's, so that its version says what it does."""
        parts = (self.spec.quantizer, self.policy, self.spec.sampling)
        return all(type(part).__module__.startswith("bitarm.") for part in parts)

    @property
    def words(self) -> dict[str, Any]:
        """Every word that has a meaning in this run, under the name that holds everywhere.

        None where one is left open. What a result, a table, a picture or a page says of a setup
        comes from here: two that differ can be told apart wherever they are shown. Under a fixed
        budget the checkpoints follow from it, and its own limits are no words.
        """
        spec, policy, terms = self.spec, self.policy, self.terms
        words = {
            "quantizer": spec.quantizer.name,
            **values_of(spec.quantizer),
            "policy": policy.name,
            **values_of(policy),
            "width": terms.width,
            "delta": terms.delta,
            "sigma": spec.sigma,
            "bounds": spec.bounds,
            **terms.budgets(),
        }
        if terms.delta is None:
            return words
        limited = {f"max_{name}": limit for name, limit in values_of(self.limits).items()}
        given = {name: limit for name, limit in limited.items() if limit is not None}
        schedule = spec.schedule
        grid = schedule.grid if isinstance(schedule, RecordedSchedule) else schedule
        return {**words, **values_of(grid), "first": schedule.pulls_at(1), **given}
