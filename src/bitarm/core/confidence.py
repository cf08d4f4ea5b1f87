"""How sure the learner is of an arm, and of the difference between two.

The seam is the triangle inequality, Eq. (3): radius = sampling width + quantizer error. A width
knows only pulls; a quantizer only its error; this file adds them.
"""

from dataclasses import dataclass
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
    error: float  # the quantizer's bound on |μ̃ − μ̂|


class Confidence(Protocol):
    """Bounds that hold for all arms and all checkpoints at once, with probability 1 − δ."""

    def radius(self, view: ArmView) -> float:
        """Half the width of the interval around the decoded mean that contains the true mean."""
        ...

    def separation(self, loser: ArmView, winner: ArmView) -> float:
        """The lead in decoded means from which on `winner` is truly no worse than `loser`."""
        ...


class Width(Protocol):
    """A bound on |μ̂ − μ| for an arm after some pulls, before any quantization.

    Laws: positive, and a function of that arm's own pulls and checkpoint only (no clock that other
    arms drive): both ends evaluate it, and each arm's recursion of Eq. (4) runs on its own.
    """

    name: ClassVar[str]

    def u_prime(self, pulls: int, index: int) -> float:
        """U', the half-width around the empirical mean at checkpoint `index`."""
        ...

    def confidence(self) -> Confidence:
        """The learner's decisions under this width."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Intervals:
    """Confidence from one interval an arm: LCB and UCB are μ̃ ∓ U, Eq. (5)."""

    width: Width

    def radius(self, view: ArmView) -> float:
        """U = U' + quantizer error, Eq. (3); with ICQ's error this is U(i, δ) of Eq. (4)."""
        return radius(self.width.u_prime(view.pulls, view.index), view.error)

    def separation(self, loser: ArmView, winner: ArmView) -> float:
        """LCB(winner) ≥ UCB(loser) is μ̃_winner − μ̃_loser ≥ U_loser + U_winner."""
        return self.radius(loser) + self.radius(winner)


def radius(u_prime: float, error: float) -> float:
    """Radius around a decoded mean: sampling width plus quantizer error, Eq. (3)."""
    return u_prime + error
