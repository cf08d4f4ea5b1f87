"""Widths for a difference of two arms: elimination only ever compares two, and one-sided.

Only the K − 1 pairs with the best arm can do harm, and only in one direction. For the best arm 1
and any j, μ̂_j − μ̂_1 has a mean of at most 0 and the variance proxy σ²(1/t_j + 1/t_1), since arms
are independent: its tail is paid for once a pair, where intervals around single means pay for two
arms, both sides, and a sum of two widths in place of a root of a sum. `docs/widths.md` has the
proofs.

Where a quantizer's error bound holds only on the interval event (ICQ), δ is split in two halves:
one for that event, one for the comparisons.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

from bitarm.core.confidence import ArmView, Confidence, Stride, Width, level_of
from bitarm.core.widths.mixture import deviations


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseWidth(Width):
    """Comparisons at the checkpoints of a grid that is fixed in advance.

    margin = σ√(2(1/t_a + 1/t_b)·ln((K − 1)·w/δ)), with w = n(n + 1) at index n if all active arms
    advance together, and n_a(n_a + 1)·n_b(n_b + 1) if they do not: one choice a run.
    """

    name: ClassVar[str] = "pairwise"
    along_path: ClassVar[bool] = False

    def confidence(self, stride: Stride) -> Confidence:
        """Judges pairs."""
        return _AtCheckpoints(self, stride is not Stride.APART)

    def objection(self) -> str | None:
        """None: docs/widths.md has the proof."""
        return None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseMixtureWidth(Width):
    """Comparisons of arms with equally many pulls, at any time, chosen from the data or not.

    With S_t = Σ(X_j − X_1), ∫exp(λS_t − λ²σ²t)dF(λ) is a nonnegative supermartingale for every F on
    λ ≥ 0; by Ville's inequality it ever exceeds (K − 1)/δ with probability at most δ/(K − 1). F is
    half-normal. Arms with different numbers of pulls are never separated.
    """

    name: ClassVar[str] = "pairwise-mixture"
    along_path: ClassVar[bool] = True

    @classmethod
    def fits(cls, stride: Stride) -> bool:
        """False where each arm moves on its own: a pair is compared at equally many pulls."""
        return stride not in (Stride.APART, Stride.JUDGED)

    def confidence(self, stride: Stride) -> Confidence:
        """Judges pairs with equally many pulls."""
        return _AtAnyTime(self)

    def objection(self) -> str | None:
        """None: docs/widths.md has the proof."""
        return None


@final
@dataclass(frozen=True, slots=True)
class _AtCheckpoints(Confidence):
    """Margins of pairs at the checkpoints of a grid, each of which pays for its index."""

    width: PairwiseWidth
    together: bool

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        """σ√(2(1/t_a + 1/t_b)·ln((K − 1)·w/δ))."""
        width = self.width
        own = loser.index if self.together else max(loser.index, winner.index)
        other = 0 if self.together else min(loser.index, winner.index)
        few, many = sorted((loser.pulls, winner.pulls))
        return _margin(few, many, own, other, width.arms, width.share, width.sigma)


@final
@dataclass(frozen=True, slots=True)
class _AtAnyTime(Confidence):
    """Margins of pairs at any equal counts of pulls, by a mixture over rates."""

    width: PairwiseMixtureWidth

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        """The mixture's; infinite unless the pulls are equally many."""
        if loser.pulls != winner.pulls:
            return math.inf
        width = self.width
        return mixture_margin(loser.pulls, width.arms, width.share, width.sigma)


@lru_cache(maxsize=1 << 16)
def _margin(
    few: int, many: int, own: int, other: int, arms: int, delta: float, sigma: float
) -> float:
    """The margin at indices `own` and `other`; `other` is 0 where arms advance together."""
    weight = own * (own + 1) * (other * (other + 1) if other else 1)
    log = math.log((arms - 1) * weight) - math.log(delta)
    return sigma * math.sqrt(2 * (1 / few + 1 / many) * log)


@lru_cache(maxsize=4096)
def mixture_margin(pulls: int, arms: int, delta: float, sigma: float) -> float:
    """The lead of μ̂ at which the mixture reaches (K − 1)/δ, from above."""
    return deviations(pulls, level_of(arms, delta)) * sigma * math.sqrt(2 / pulls)
