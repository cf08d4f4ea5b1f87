"""How sure the learner is of an arm, and of the difference between two.

The seam is the triangle inequality, Eq. (3): radius = sampling width + quantizer error. A width
knows only pulls; a quantizer only its error; this file adds them.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import ClassVar, Protocol, final


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ArmView:
    """What a policy may know of one active arm."""

    arm: int
    mean: float  # μ̃, the decoded mean
    pulls: int  # t
    messages: int  # n, reports received
    index: int  # i, the checkpoint's index on the schedule's grid
    error: float  # the quantizer's bound on |μ̃ − μ̂|; infinite if μ̃ is of fewer pulls than t
    open_below: bool = False  # whether μ̂ may be anywhere below the decoded cell too
    open_above: bool = False  # or anywhere above it
    spread: int | None = None  # of its rewards, as a power of two of a coin's variance, if told
    rung: int | None = None  # the first of three rungs at which its evidence was told, if it was
    beaten_by: int | None = None  # the arm whose challenge it lost

    @property
    def low(self) -> float:
        """A certain bound on μ̂ from below: an edge of the decoded cell."""
        return -math.inf if self.open_below else self.mean - self.error

    @property
    def high(self) -> float:
        """A certain bound on μ̂ from above."""
        return math.inf if self.open_above else self.mean + self.error


class Stride(Enum):
    """How a policy moves the arms that it compares: what a width for pairs must know."""

    TOGETHER = "together"  # all active arms, over every checkpoint of the grid in turn
    EVEN = "even"  # compared at equally many pulls, at checkpoints chosen from the data
    APART = "apart"  # each arm over the grid on its own
    JUDGED = "judged"  # one goes ahead, and the others weigh their own rewards against its evidence


class Confidence(Protocol):
    """Bounds that hold for all arms and all checkpoints at once, with probability 1 − δ.

    To be inherited from: what judges a pair of arms has a margin of its own, and the rest follows.
    """

    __slots__ = ()

    @abstractmethod
    def margin(self, loser: ArmView, winner: ArmView) -> float:
        """The lead in μ̂ from which on `winner` is truly no worse than `loser`."""
        ...

    def separation(self, loser: ArmView, winner: ArmView) -> float:
        """The lead in μ̃ from which on that holds: the margin and both quantizers' errors."""
        return self.margin(loser, winner) + (loser.error + winner.error)

    def radius(self, view: ArmView) -> float:
        """How far off a decoded mean may be: half the interval that is drawn around it.

        By default half the separation from an arm of the same kind. Two arms with equal pulls whose
        intervals are disjoint are separated; with a width that judges pairs, they may be separated
        before.
        """
        return self.separation(view, view) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Width(ABC):
    """A bound on |μ̂ − μ| for an arm after some pulls, before any quantization.

    Its fields are all of a run that it may depend on; ConfigError where it needs `bounds` and
    there are none.

    Laws: positive, and a function of that arm's own pulls and checkpoint only (no clock that other
    arms drive): each arm's recursion of Eq. (4) runs on its own. A width that is not `along_path`
    is a union over checkpoints: it holds whichever sequence of rewards each checkpoint is read of.
    A width that is not `of_pairs` bounds every arm's own mean, both ways: then no arm is misjudged
    against another, whichever arms are left, and arms may share their noise.
    """

    name: ClassVar[str]
    along_path: ClassVar[bool]
    of_pairs: ClassVar[bool] = True  # whether it pays for differences from the best arm only
    needs_sigma: ClassVar[bool] = True  # or it takes the bounds alone, and no σ is relied on

    arms: int  # K
    delta: float
    sigma: float
    certain: bool = True  # whether the quantizer's error bound always holds
    bounds: tuple[float, float] | None = None  # of the rewards, if they have some

    @property
    def share(self) -> float:
        """What a comparison may spend of δ where a quantizer's error bound is paid for apart.

        A bound that is not certain (ICQ's) holds on an event of its own, and each of the two events
        gets a half; one that always holds costs nothing.
        """
        return self.delta if self.certain else self.delta / 2

    @property
    def level(self) -> float:
        """L for what a comparison may spend: what evidence for a pair must reach."""
        return level_of(self.arms, self.share)

    def u_prime(self, pulls: int, index: int) -> float:
        """U', the half-width around an arm's empirical mean after `pulls` pulls.

        `index` is the number of checkpoints of the schedule up to there. A width that judges pairs
        needs it only to size the intervals of quantizers that have some: V_n does.
        """
        return interval(pulls, index, self.arms, self.share, self.sigma)

    @abstractmethod
    def confidence(self, stride: Stride) -> Confidence:
        """The learner's decisions under this width, for a policy with this stride."""
        ...

    @abstractmethod
    def objection(self) -> str | None:
        """Why comparisons under this width have no proof; None if they have one."""
        ...

    @classmethod
    def fits(cls, stride: Stride) -> bool:
        """Whether arms that move so are ever separated."""
        return stride is not Stride.JUDGED  # that takes evidence, not a width


@final
@dataclass(frozen=True, slots=True)
class Intervals(Confidence):
    """Confidence from one interval an arm: LCB and UCB are μ̃ ∓ U, Eq. (5)."""

    width: Width

    def radius(self, view: ArmView) -> float:
        """U = U' + quantizer error, Eq. (3); with ICQ's error this is U(i, δ) of Eq. (4)."""
        return radius(self.width.u_prime(view.pulls, view.index), view.error)

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        """U'_loser + U'_winner."""
        width = self.width
        return width.u_prime(loser.pulls, loser.index) + width.u_prime(winner.pulls, winner.index)

    def separation(self, loser: ArmView, winner: ArmView) -> float:
        """LCB(winner) ≥ UCB(loser) is μ̃_winner − μ̃_loser ≥ U_loser + U_winner."""
        return self.radius(loser) + self.radius(winner)


def level_of(arms: int, delta: float) -> float:
    """L = ln((K − 1)/δ): the evidence, in nats, that one arm of a pair is better than the other.

    Only the K − 1 pairs with the best arm can do harm, so each of them may fail with δ/(K − 1).
    """
    return math.log(arms - 1) - math.log(delta)


def radius(u_prime: float, error: float) -> float:
    """Radius around a decoded mean: sampling width plus quantizer error, Eq. (3)."""
    return u_prime + error


@lru_cache(maxsize=4096)
def interval(pulls: int, index: int, arms: int, delta: float, sigma: float) -> float:
    """V_n: |μ̂ − μ| ≤ V_n for all arms and all checkpoints of a grid, with probability 1 − δ."""
    log = math.log(2 * arms * index * (index + 1)) - math.log(delta)
    return sigma * math.sqrt(2 * log / pulls)
