"""An interval around each arm's own mean, at every number of pulls at once, by a mixture.

For rewards that arms may share their noise of: what separates two arms is that their intervals are
disjoint, and nothing is assumed of how one arm's rewards go with another's.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

from bitarm.core.confidence import Confidence, Intervals, Stride, Width
from bitarm.core.widths.mixture import deviations


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalsWidth(Width):
    """U' = zσ/√t, z the deviations at which a mixture over rates reaches 2K/δ.

    For one arm and one side, ∫exp(λS_t − λ²σ²t/2)dF(λ) with S_t = Σ(X − μ) is a nonnegative
    supermartingale; by Ville's inequality it ever reaches 2K/δ with probability at most δ/2K. There
    are two sides and K arms. `paper` pays t² for being right at every t, this width about √t.
    """

    name: ClassVar[str] = "intervals"
    along_path: ClassVar[bool] = True
    of_pairs: ClassVar[bool] = False

    def u_prime(self, pulls: int, index: int) -> float:
        """The interval's half-width after `pulls` pulls."""
        return _half_width(pulls, self.arms, self.delta, self.sigma)

    def confidence(self, stride: Stride) -> Confidence:
        """One interval an arm."""
        return Intervals(self)

    def objection(self) -> str | None:
        """None: docs/widths.md has the proof."""
        return None


_LEAST = 2.0  # QuBan's error is a share of U', and must not be below its step: U' ≥ 2σ/√t


@lru_cache(maxsize=4096)
def _half_width(pulls: int, arms: int, delta: float, sigma: float) -> float:
    level = math.log(2 * arms) - math.log(delta)
    return max(deviations(pulls, level), _LEAST) * sigma / math.sqrt(pulls)
