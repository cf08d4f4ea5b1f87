"""What a quantizer is: a mean becomes bits, and bits become a mean with a known error.

Refuses to know arms, policies, rounds and rewards: it sees numbers, intervals and bits. Both ends
hold the same `Estimate` and know the same `Step`, so both compute the same interval with the same
operations in the same order.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol, final

from bitarm.core.bits import Symbol
from bitarm.core.confidence import radius
from bitarm.core.messages import Hint
from bitarm.errors import ConfigError, PeerProtocolError

Bounds = tuple[float, float]

_ROUNDING = 1 + 1e-9  # a mean on the edge of its bin is off by half a bin, give or take an ulp


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What both ends know of a message before it is sent."""

    message: int  # n, from 1
    pulls: int  # t_i
    index: int  # i on the schedule's grid
    u_prime: float  # U'(i, δ): bounds |μ̂ − μ| on the interval event
    sigma: float
    bounds: Bounds | None  # [a, b], absent if the rewards are unbounded
    hint: Hint | None = None  # told with the request


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What both ends hold of an arm after a message (or before the first)."""

    mean: float  # μ̃
    error: float  # bound on |μ̃ − μ̂|
    radius: float  # U, bound on |μ̃ − μ| on the interval event: the next interval starts from it
    pulls: int = 0  # at which the mean was told; 0 before the first message
    ceiling: float = math.inf  # certain bound on the newest μ̂, if that was all that was told

    @classmethod
    def after(cls, step: Step, *, mean: float, error: float) -> "Estimate":
        """The estimate that a message leaves behind: U = U' + error, Eqs. (3) and (4)."""
        return cls(mean=mean, error=error, radius=radius(step.u_prime, error), pulls=step.pulls)

    def holds(self, mu_hat: float, pulls: int) -> bool:
        """Whether what was told of μ̂ after `pulls` pulls is true, give or take a rounding."""
        if self.pulls != pulls:
            return mu_hat <= self.ceiling
        return abs(self.mean - mu_hat) <= self.error * _ROUNDING


class Quantizer(Protocol):
    """One scheme: its parameters are its fields, its state is the `Estimate` that is passed in.

    Laws, for every step, held estimate and dither in [0, 1):
    1. `decode(encode(μ̂)).error == error(held, step)`: the error does not depend on the data. What
       is told is of now: `decode(…).pulls == step.pulls`.
    2. |decode(encode(μ̂)).mean − μ̂| ≤ error, up to rounding: for every μ̂ within the bounds if
       `certain`, otherwise whenever |μ̂ − held.mean| ≤ U' + held.radius (Lemma 2's event).
    3. The symbols of one step are prefix-free, and none is shorter than `least_bits(step)`.
    4. `decode` accepts what `encode` can produce and refuses everything else as the peer's fault.
    5. Hints change nothing, unless the scheme is `hinted`. Then a step with a cut has one more
       symbol, which stands for every μ̂ at or below the cut and for no other: instead of laws 1
       and 2, it leaves the held estimate as it is, with the cut for a ceiling.
    """

    name: ClassVar[str]
    certain: ClassVar[bool]
    hinted: ClassVar[bool]

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        """What both ends hold before message 1; refuses bounds or a prior that do not fit."""
        ...

    def error(self, held: Estimate, step: Step) -> float:
        """The bound on |μ̃ − μ̂| after this step's message."""
        ...

    def least_bits(self, step: Step) -> int:
        """Length of the step's shortest symbol: exact for schemes of fixed length."""
        ...

    def encode(self, mu_hat: float, held: Estimate, step: Step, dither: float) -> Symbol:
        """The bits for the empirical mean; `dither` in [0, 1) decides stochastic rounding."""
        ...

    def decode(self, symbol: Symbol, held: Estimate, step: Step) -> Estimate:
        """The estimate that the bits stand for."""
        ...


NOTHING_KNOWN = Estimate(mean=0.0, error=float("inf"), radius=float("inf"))
"""Before message 1 of a scheme that needs no prior."""


def require_no_prior(scheme: str, prior: float | None) -> None:
    """Refuse a prior that the scheme would ignore."""
    if prior is not None:
        raise ConfigError(f"{scheme} takes no prior, got {prior}")


def require_length(symbol: Symbol, nbits: int) -> None:
    """Refuse a symbol of the wrong length."""
    if symbol.nbits != nbits:
        raise PeerProtocolError(f"symbol has {symbol.nbits} bits, {nbits} were expected")
