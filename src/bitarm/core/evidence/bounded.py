"""Evidence from rewards in [a, b] of which nothing else is known: no σ."""

from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.confidence import Confidence, Stride, Width, interval
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
    needs_sigma: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _ = self.scale  # refuses rewards without bounds

    @property
    def scale(self) -> Scale:
        """Rewards as shares of their range."""
        if self.bounds is None:
            raise ConfigError("the width bounded needs bounds: without them give sigma instead")
        a, b = self.bounds
        return Scale(bounded=True, low=a, unit=b - a)

    @classmethod
    def fits(cls, stride: Stride) -> bool:
        """True only where agents judge themselves: a told mean alone has no such evidence."""
        return stride is Stride.JUDGED

    def u_prime(self, pulls: int, index: int) -> float:
        """V_n with σ = (b − a)/2: sizes the intervals of a quantizer that has some."""
        return interval(pulls, index, self.arms, self.share, self.scale.unit / 2)

    def confidence(self, stride: Stride) -> Confidence:
        """The level, and forecasts; ConfigError where nobody but the agents could judge."""
        if not self.fits(stride):
            raise ConfigError(
                f"the width {self.name} needs a policy whose agents judge themselves: challenge"
            )
        return Evidence(self.scale, self.level, MIDDLE)

    def objection(self) -> str | None:
        """None: docs/evidence.md has the proof."""
        return None
