"""What a quantizer is: it makes the question for an arm, and reads the answer with a known error.

The learner's alone: an agent answers a question and knows no quantizer. Refuses to know arms,
policies, rounds and rewards: it sees numbers, intervals and bits.
"""

from abc import abstractmethod
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, final

from bitarm.core.bits import Symbol
from bitarm.core.bounds import Bounds
from bitarm.core.codes import Above, Nearest
from bitarm.core.confidence import radius
from bitarm.core.hint import Hint
from bitarm.core.phases import BitBudget
from bitarm.core.question import Question
from bitarm.errors import ConfigError

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
    open_below: bool = False  # whether μ̂ may be anywhere below the told cell too
    open_above: bool = False  # or anywhere above it
    spread: int | None = None  # of the rewards, as a power of two of a coin's variance, if told
    rung: int | None = None  # the first of three rungs at which evidence was told, if it was
    beyond: int = 0  # answers since that the arm's link did not carry

    @classmethod
    def after(cls, occasion: Occasion, *, mean: float, error: float) -> "Estimate":
        """The estimate that a message leaves behind: U = U' + error, Eqs. (3) and (4)."""
        return cls(
            mean=mean, error=error, radius=radius(occasion.u_prime, error), pulls=occasion.pulls
        )

    def holds(self, mu_hat: float, pulls: int) -> bool:
        """Whether what was told of μ̂ after `pulls` pulls is true, give or take a rounding."""
        if self.pulls != pulls:
            return True  # nothing was told of it: the arm gave up
        away = mu_hat - self.mean
        return (self.open_below or -away <= self.error * _ROUNDING) and (
            self.open_above or away <= self.error * _ROUNDING
        )


class Quantizer(Protocol):
    """One scheme: its parameters are its fields, its state is the `Estimate` that is passed in.

    To be inherited from: what most schemes have nothing to say about has a default.

    Laws, for every occasion, held estimate and dither in [0, 1), where q = `question(held,
    occasion, dither)` and `told` = `read(q.answer(μ̂), q, held, occasion)`, the latter occasion
    without its hint:
    1. `told.error == error(held, occasion)`: the error does not depend on the data. What is told is
       of now: `told.pulls == occasion.pulls == q.until`.
    2. |told.mean − μ̂| ≤ error, up to rounding: for every μ̂ within the bounds if `certain`,
       otherwise whenever |μ̂ − held.mean| ≤ U' + held.radius (Lemma 2's event).
    3. No answer is shorter than `least_bits(occasion)`.
    4. `read` accepts what `answer` can produce and refuses everything else as the peer's fault.
    5. Hints change nothing, unless the scheme is `hinted`. Then a hint's task becomes the
       question's. Instead of laws 1 and 2, a challenge that is lost leaves the held estimate as it
       is; the lowest cell of one that is not is `open_below`: μ̂ may be anywhere below it. An edge
       is a bound from below alone, `open_above`. In both cases law 2 holds on the other side.
    6. The question's code is one of `codes`.
    7. `objection` is None only if a proof covers its answers under every width and policy.
    8. One that `asks_again` also reads `BEYOND`, which tells nothing of μ̂: what is held stays, but
       for its count `beyond`, and steps are larger until something is told. Others refuse it,
       unless it is a word of their code.
    """

    __slots__ = ()

    name: ClassVar[str]  # how flags, files and journals call it
    certain: ClassVar[bool]  # whether the error bound always holds, or only on Lemma 2's event
    codes: ClassVar[tuple[str, ...]]  # names of the codes that its questions use
    hinted: ClassVar[bool] = False  # whether a policy's hints change its questions
    has_intervals: ClassVar[bool] = False  # whether a width sizes its questions
    asks_again: ClassVar[bool] = False  # whether it reads `BEYOND`, and then asks in larger steps
    refuses_far: ClassVar[bool] = False  # whether means beyond what floats resolve are refused

    # What every scheme must say.

    @abstractmethod
    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """The estimate that is held of an arm before its first message.

        `prior` is μ̃_0 where the scheme draws one (`prior_range`), else None; `bounds` are those of
        the rewards, None if they have none. ConfigError if the scheme cannot do with either.
        """
        ...

    @abstractmethod
    def error(self, held: Estimate, occasion: Occasion) -> float:
        """The bound on |μ̃ − μ̂| that the message of this occasion will leave behind.

        `held` is what the learner holds of the arm before it. Known in advance, since it may not
        depend on the answer (law 1): the learner plans with it.
        """
        ...

    @abstractmethod
    def least_bits(self, occasion: Occasion) -> int:
        """Bits of the shortest symbol that can answer; of every one, with `has_fixed_length`.

        The limit on bits counts with it before a round is begun.
        """
        ...

    @abstractmethod
    def question(self, held: Estimate, occasion: Occasion, dither: float) -> Question:
        """The question to an arm of which `held` is known.

        It asks for the mean after `occasion.pulls` pulls. `dither`, in [0, 1), decides how a mean
        is rounded where rounding is stochastic; other schemes ignore it. LocalProtocolError if no
        code can put the question, as when a step is too small for the floats.
        """
        ...

    @abstractmethod
    def objection(self) -> str | None:
        """Why answers with this scheme have no proof, in words; None if they have one.

        The result quotes the words beside `guarantee: null`.
        """
        ...

    # What one says only if it is so.

    def read(
        self, symbol: Symbol, question: Question, held: Estimate, occasion: Occasion
    ) -> Estimate:
        """The estimate that the learner holds after this answer to `question`.

        By default the mean that the code tells, with the error that was announced; a scheme whose
        questions have tasks must say what an arm that gave up leaves. `held` and `occasion` are
        those from which the question was made, but the hint is left out: what it changed (step,
        centre, task) is in the question. PeerProtocolError if the symbol is none that an agent
        could have answered with.
        """
        mean = question.code.read(symbol)
        return Estimate.after(occasion, mean=mean, error=self.error(held, occasion))

    def prior_range(self, bounds: Bounds | None) -> Bounds | None:
        """The range from which μ̃_0 of every arm is drawn, uniformly; None if it is not drawn."""
        return None

    @property
    def has_fixed_length(self) -> bool:
        """Whether `least_bits` is the length of every symbol."""
        return False

    @classmethod
    def defaults(cls, bounds: Bounds | None, *, has_budget: bool) -> Mapping[str, Any]:
        """Defaults that follow from the problem, by word, in place of those at the fields.

        `bounds` are those of the rewards; `has_budget` says whether pulls are fixed in advance.
        """
        return {}

    @classmethod
    def without_effect(cls, given: Container[str]) -> Mapping[str, str]:
        """Its words that have no effect under a fixed budget, each with the reason.

        `given` are the words that the user set: one may make another void. Who sets a word without
        effect is refused, with that reason.
        """
        return {}

    def within_bits(self, budget: BitBudget, *, sigma: float, bounds: Bounds | None) -> "Quantizer":
        """The scheme in a form whose messages never exceed the budget of bits.

        `sigma` and `bounds` are those of the rewards. ConfigError if it has no such form, as by
        default.
        """
        raise ConfigError(
            f"messages of {self.name} have no fixed length, which a bit_budget needs: choose "
            "another quantizer, such as dicq"
        )


def asks_to_judge(quantizer: Quantizer | type[Quantizer]) -> bool:
    """Whether a quantizer has the questions for agents that judge themselves."""
    return quantizer.hinted and {Nearest.name, Above.name} <= set(quantizer.codes)


NOTHING_KNOWN = Estimate(mean=0.0, error=float("inf"), radius=float("inf"))
"""What is held of an arm before message 1 by a scheme that needs no prior."""


def middle_of(bounds: Bounds | None) -> Estimate:
    """What is held before message 1 where means are counted from the middle of the bounds, or 0."""
    if bounds is None:
        return NOTHING_KNOWN
    a, b = bounds
    return Estimate(mean=a / 2 + b / 2, error=(b - a) / 2, radius=(b - a) / 2)


def require_no_prior(scheme: str, prior: float | None) -> None:
    """Refuse a prior that the scheme would ignore."""
    if prior is not None:
        raise ConfigError(f"{scheme} takes no prior, got {prior}")
