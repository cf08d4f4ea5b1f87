"""The paper's width, U'(i, δ) of Eq. (1)."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

from bitarm.core.confidence import Confidence, Intervals, Stride, Width


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PaperWidth(Width):
    """U' of Eq. (1): holds for all arms and all checkpoints at once, with probability 1 − δ.

    The union bound runs over all pull counts t = 1, 2, …, since Σ 1/t² < 2: it covers any
    schedule, and checkpoints that are chosen from the data.
    """

    name: ClassVar[str] = "paper"
    along_path: ClassVar[bool] = False
    of_pairs: ClassVar[bool] = False

    def u_prime(self, pulls: int, index: int) -> float:
        """U'(i, δ) = σ√(2 ln(4K·t_i²/δ)/t_i), Eq. (1)."""
        return _u_prime(pulls, self.arms, self.delta, self.sigma)

    def confidence(self, stride: Stride) -> Confidence:
        """One interval an arm, as in Algorithm 1."""
        return Intervals(self)

    def objection(self) -> str | None:
        """None: Lemma 2, and Theorem 4 with it."""
        return None


@lru_cache(maxsize=4096)  # all arms meet at the same few checkpoints
def _u_prime(pulls: int, arms: int, delta: float, sigma: float) -> float:
    # the logarithm of the quotient, as a difference: the quotient can leave the floats
    log = math.log(4 * arms * pulls**2) - math.log(delta)
    return sigma * math.sqrt(2 * log / pulls)
