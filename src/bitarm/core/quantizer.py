"""What a quantizer is: it makes the question for an arm, and reads the answer with a known error.

The learner's alone: an agent answers a question and knows no quantizer. Refuses to know arms,
policies, rounds and rewards: it sees numbers, intervals and bits.
"""

import math
from abc import abstractmethod
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, final

from bitarm.core.bits import Symbol
from bitarm.core.confidence import radius
from bitarm.core.hint import Hint
from bitarm.core.phases import BitBudget
from bitarm.core.question import Question
from bitarm.errors import ConfigError

Bounds = tuple[float, float]

_ROUNDING = 1 + 1e-9  # a mean on the edge of its bin is off by half a bin, give or take an ulp


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """The occasion of a message: all that is known of it before the arm is asked."""

    message: int  # n, from 1
    pulls: int  # t_i
    index: int  # i on the schedule's grid
    u_prime: float  # U'(i, δ): bounds |μ̂ − μ| on the interval event
    sigma: float
    bounds: Bounds | None  # [a, b], absent if the rewards are unbounded
    hint: Hint | None = None  # the policy's


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What the learner holds of an arm after a message (or before the first)."""

    mean: float  # μ̃
    error: float  # bound on |μ̃ − μ̂|
    radius: float  # U, bound on |μ̃ − μ| on the interval event: the next interval starts from it
    pulls: int = 0  # at which the mean was told; 0 before the first message
    ceiling: float = math.inf  # certain bound on the newest μ̂, if that was all that was told

    @classmethod
    def after(cls, occasion: Occasion, *, mean: float, error: float) -> "Estimate":
        """The estimate that a message leaves behind: U = U' + error, Eqs. (3) and (4)."""
        return cls(
            mean=mean, error=error, radius=radius(occasion.u_prime, error), pulls=occasion.pulls
        )

    def holds(self, mu_hat: float, pulls: int) -> bool:
        """Whether what was told of μ̂ after `pulls` pulls is true, give or take a rounding."""
        if self.pulls != pulls:
            return mu_hat <= self.ceiling
        return abs(self.mean - mu_hat) <= self.error * _ROUNDING


class Quantizer(Protocol):
    """One scheme: its parameters are its fields, its state is the `Estimate` that is passed in.

    To be inherited from: what most schemes have nothing to say about has a default.

    Laws, for every occasion, held estimate and dither in [0, 1), where q = `question(held,
    occasion, dither)` and `told` = `read(q.answer(μ̂), q, held, occasion)`:
    1. `told.error == error(held, occasion)`: the error does not depend on the data. What is told is
       of now: `told.pulls == occasion.pulls == q.until`.
    2. |told.mean − μ̂| ≤ error, up to rounding: for every μ̂ within the bounds if `certain`,
       otherwise whenever |μ̂ − held.mean| ≤ U' + held.radius (Lemma 2's event).
    3. No answer is shorter than `least_bits(occasion)`.
    4. `read` accepts what `answer` can produce and refuses everything else as the peer's fault.
    5. Hints change nothing, unless the scheme is `hinted`. Then a cut becomes the question's: its
       "not above" stands for every μ̂ at or below the cut and for no other, and instead of laws 1
       and 2 it leaves the held estimate as it is, with the cut for a ceiling.
    6. The question's code is one of `codes`.
    7. `objection` is None only if a proof covers its answers under every width and policy.
    """

    __slots__ = ()

    name: ClassVar[str]
    certain: ClassVar[bool]
    codes: ClassVar[tuple[str, ...]]  # names of the codes that its questions use
    hinted: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = False  # whether a width sizes its questions

    # What every scheme must say.

    @abstractmethod
    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """What is held before message 1; refuses bounds or a prior that do not fit."""
        ...

    @abstractmethod
    def error(self, held: Estimate, occasion: Occasion) -> float:
        """The bound on |μ̃ − μ̂| after the message of this occasion."""
        ...

    @abstractmethod
    def least_bits(self, occasion: Occasion) -> int:
        """Length of the shortest symbol: exact for schemes of fixed length."""
        ...

    @abstractmethod
    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """What to ask; `dither` in [0, 1) decides stochastic rounding."""
        ...

    @abstractmethod
    def read(
        self, symbol: Symbol, question: Question, held: Estimate, occasion: Occasion
    ) -> Estimate:
        """The estimate that an answer stands for."""
        ...

    @abstractmethod
    def objection(self) -> str | None:
        """Why answers with it have no proof; None if they have one."""
        ...

    # What one says only if it is so.

    def prior_range(self, bounds: Bounds | None) -> Bounds | None:
        """Where μ̃_0 is drawn from, uniformly, for every arm; None if it is not drawn."""
        return None

    @property
    def has_fixed_length(self) -> bool:
        """Whether `least_bits` is the length of every symbol."""
        return False

    @classmethod
    def defaults(cls, bounds: Bounds | None, *, has_budget: bool) -> Mapping[str, Any]:
        """Words whose default follows from the problem: from its bounds, or from a fixed budget."""
        return {}

    @classmethod
    def without_effect(cls, given: Container[str]) -> Mapping[str, str]:
        """Words of its own that say nothing under a fixed budget, and why; beside those `given`."""
        return {}

    def within_bits(self, budget: BitBudget, *, sigma: float, bounds: Bounds | None) -> "Quantizer":
        """The scheme in a form that never exceeds the budget; ConfigError if there is none."""
        raise ConfigError(
            f"messages of {self.name} have no fixed length, which a bit_budget needs: choose "
            "another quantizer, such as dicq"
        )


NOTHING_KNOWN = Estimate(mean=0.0, error=float("inf"), radius=float("inf"))
"""Before message 1 of a scheme that needs no prior."""


def require_no_prior(scheme: str, prior: float | None) -> None:
    """Refuse a prior that the scheme would ignore."""
    if prior is not None:
        raise ConfigError(f"{scheme} takes no prior, got {prior}")
