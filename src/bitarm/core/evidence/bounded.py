"""Evidence from rewards in [a, b] of which nothing else is known: no σ."""

import math
from dataclasses import dataclass
from typing import ClassVar, Self, final

from bitarm.core.confidence import Confidence, Stride, Width, interval, split
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.evidence import Evidence
from bitarm.errors import ConfigError

MIDDLE = 2
"""The heaviest rung, λ = 0.39 over b − a."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedEvidence(Width):
    """Bets on the rewards, which only the agents see: they weigh the evidence themselves."""

    name: ClassVar[str] = "bounded"
    along_path: ClassVar[bool] = True

    arms: int  # K
    delta: float
    bounds: tuple[float, float]
    certain: bool = True  # whether the quantizer's error bound always holds

    @classmethod
    def of(
        cls,
        *,
        arms: int,
        delta: float,
        sigma: float,
        certain: bool,
        bounds: tuple[float, float] | None = None,
    ) -> Self:
        """The evidence of a run; ConfigError if its rewards have no bounds."""
        if bounds is None:
            raise ConfigError("the width bounded needs bounds: without them give sigma instead")
        return cls(arms=arms, delta=delta, bounds=bounds, certain=certain)

    @classmethod
    def fits(cls, stride: Stride) -> bool:
        """Only where agents judge themselves: a told mean alone has no such evidence."""
        return stride is Stride.JUDGED

    def u_prime(self, pulls: int, index: int) -> float:
        """V_n with σ = (b − a)/2: sizes the intervals of a quantizer that has some."""
        a, b = self.bounds
        delta = split(self.delta, certain=self.certain)
        return interval(pulls, index, self.arms, delta, (b - a) / 2)

    def confidence(self, stride: Stride) -> Confidence:
        """The level, and forecasts; ConfigError where nobody but the agents could judge."""
        if not self.fits(stride):
            raise ConfigError(
                f"the width {self.name} needs a policy whose agents judge themselves: challenge"
            )
        a, b = self.bounds
        level = math.log(self.arms - 1) - math.log(split(self.delta, certain=self.certain))
        return Evidence(Scale(bounded=True, low=a, unit=b - a), level, MIDDLE)

    def objection(self) -> str | None:
        """None: docs/evidence.md has the proof."""
        return None
