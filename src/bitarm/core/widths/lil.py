"""The finite law-of-the-iterated-logarithm width of lil'UCB (Jamieson et al. 2014, Lemma 3)."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

from bitarm.core.confidence import Confidence, Intervals, Stride, Width

EPSILON = 0.01
"""ε of the lil bound: the value that its authors use."""

_C_EPSILON = (2 + EPSILON) / EPSILON * (1 / math.log1p(EPSILON)) ** (1 + EPSILON)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LilWidth(Width):
    """(1 + √ε)·√(2σ²(1 + ε)·ln(ln((1 + ε)N)/δ')/N) for N pulls.

    Two-sided for K arms and every N at once: the lemma fails with probability c_ε·δ'^(1+ε) a side
    and arm, so δ' solves 2K·c_ε·δ'^(1+ε) = δ. Its condition δ' < ln(1 + ε)/e then always holds.
    """

    name: ClassVar[str] = "lil"
    along_path: ClassVar[bool] = True
    of_pairs: ClassVar[bool] = False

    def u_prime(self, pulls: int, index: int) -> float:
        """The lil width after `pulls` pulls."""
        return _lil(pulls, self.arms, self.delta, self.sigma)

    def confidence(self, stride: Stride) -> Confidence:
        """One interval an arm."""
        return Intervals(self)

    def objection(self) -> str | None:
        """None: docs/widths.md has the proof."""
        return None


def delta_prime(arms: int, delta: float) -> float:
    """δ' with 2K·c_ε·δ'^(1+ε) = δ."""
    return float((delta / (2 * arms * _C_EPSILON)) ** (1 / (1 + EPSILON)))


@lru_cache(maxsize=4096)
def _lil(pulls: int, arms: int, delta: float, sigma: float) -> float:
    # At N = 1 the value of N = 2 stands in: it is wider, hence sound, and without it the proof of
    # the count rule's constant (docs/paper.md, policies/lil_ucb_count.py) would fail.
    iterated = math.log(math.log((1 + EPSILON) * max(pulls, 2)) / delta_prime(arms, delta))
    scale = (1 + math.sqrt(EPSILON)) * sigma
    return scale * math.sqrt(2 * (1 + EPSILON) * iterated / pulls)
