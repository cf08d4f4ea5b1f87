"""RunSpec: the problem and the scheme of a run, frozen.

The rules by which it is decided (policy, tolerance) and its limits stand beside it.
"""

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Annotated, final

from bitarm.core.bounds import Bounds, check_bounds
from bitarm.core.confidence import Width
from bitarm.core.hint import Hint
from bitarm.core.plain import Families, dumps
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.quantizers import QUANTIZERS
from bitarm.core.schedule import SCHEDULES, Schedule
from bitarm.core.widths import WIDTHS
from bitarm.core.words import Word
from bitarm.errors import ConfigError

SPEC_FAMILIES: Families = {Quantizer: QUANTIZERS, Schedule: SCHEDULES}

_OCCASIONS_KEPT = 4096
LEAST_DELTA = 1e-60
"""Below, what beats an arm outgrows the bytes in which challenges tell it: none would ever fall."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunSpec:
    """One identification problem and how its messages are made; ConfigError if that cannot be.

    Two specs are equal if and only if their canonical bytes are. Derived are `canonical`, those
    bytes, and `sampling`, the width for these arms, δ and σ.
    """

    arms: tuple[str, ...]  # names, all different
    delta: Annotated[
        float,
        Word(
            "Allowed probability of a wrong answer",
            sign="δ=",
            table="problem",
            least=LEAST_DELTA,
            below=1,
        ),
    ]
    sigma: Annotated[
        float, Word("Sub-Gaussian parameter of the rewards", sign="σ=", table="problem", above=0)
    ]
    bounds: Annotated[Bounds | None, Word("Range of the rewards", table="problem")]
    quantizer: Quantizer
    width: str  # its name in the registry of widths
    schedule: Schedule  # the checkpoints
    priors: tuple[float, ...]  # μ̃_{j,0} where the quantizer wants them, else empty
    seed: int  # keys the dithers, and keeps runs of the same problem apart

    canonical: bytes = field(init=False, repr=False)
    sampling: Width = field(init=False, repr=False)
    _occasions: dict[tuple[int, int], Occasion] = field(
        init=False, repr=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        _make_floats(self)  # 1 and 1.0 are one setting and must have one spelling
        check_arms(self.arms)
        check_delta(self.delta)
        check_sigma(self.sigma)
        check_bounds(self.bounds)
        if self.width not in WIDTHS:
            raise ConfigError(f"width must be one of {', '.join(WIDTHS)}, got {self.width!r}")
        check_seed(self.seed)
        if self.priors and len(self.priors) != len(self.arms):
            raise ConfigError(f"{len(self.arms)} arms need as many priors, got {len(self.priors)}")
        canonical = dumps(self).encode()
        width = WIDTHS[self.width](
            arms=len(self.arms),
            delta=self.delta,
            sigma=self.sigma,
            bounds=self.bounds,
            certain=self.quantizer.certain,
        )
        object.__setattr__(self, "canonical", canonical)
        object.__setattr__(self, "sampling", width)
        for arm in range(len(self.priors) or 1):
            self.start(arm)  # refuses a quantizer that does not fit the bounds or the priors

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunSpec) and self.canonical == other.canonical

    def __hash__(self) -> int:
        return hash(self.canonical)

    def start(self, arm: int) -> Estimate:
        """What is held of an arm before its first message."""
        return self.quantizer.start(self.priors[arm] if self.priors else None, self.bounds)

    def occasion(self, message: int, pulls: int, hint: Hint | None = None) -> Occasion:
        """The occasion of an arm's message number `message`, asked for after `pulls` pulls.

        `hint` is what the policy tells the quantizer of the other arms, if anything.
        """
        occasion = self._occasion(message, pulls)
        return occasion if hint is None else replace(occasion, hint=hint)

    def _occasion(self, message: int, pulls: int) -> Occasion:
        known = self._occasions.get((message, pulls))
        if known is None:
            if len(self._occasions) >= _OCCASIONS_KEPT:
                self._occasions.clear()
            index = self.schedule.index_at(pulls)
            known = self._occasions[message, pulls] = Occasion(
                message=message,
                pulls=pulls,
                index=index,
                u_prime=self.sampling.u_prime(pulls, index),
                sigma=self.sigma,
                bounds=self.bounds,
            )
        return known

    def label(self, arm: int) -> str:
        """An arm as a person knows it."""
        return f"{self.arms[arm]} (arm {arm})"


def _make_floats(spec: RunSpec) -> None:
    object.__setattr__(spec, "delta", float(spec.delta))
    object.__setattr__(spec, "sigma", float(spec.sigma))
    object.__setattr__(spec, "priors", tuple(float(prior) + 0.0 for prior in spec.priors))
    if spec.bounds is not None:
        a, b = spec.bounds
        object.__setattr__(spec, "bounds", (float(a) + 0.0, float(b) + 0.0))  # −0.0 is 0.0


def check_arms(arms: tuple[str, ...]) -> None:
    """Refuse fewer than two arms, two arms of one name, and a name that nobody would see."""
    if len(arms) < 2:
        raise ConfigError(f"at least 2 arms are needed to tell which is best, got {len(arms)}")
    for number, arm in enumerate(arms):
        if not arm.strip():
            raise ConfigError(f"arm {number} needs a name that can be read, got {arm!r}")
    name, count = Counter(arms).most_common(1)[0]
    if count > 1:
        raise ConfigError(f"arms need different names, {name!r} stands {count} times")
    try:
        "".join(arms).encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"a name of an arm is no valid text: {error}") from None


def check_delta(delta: float, word: str = "delta") -> None:
    """Refuse a δ that is no probability, or one so small that no arm would ever fall."""
    if not 0 < delta < 1:
        raise ConfigError(f"{word} must lie in (0, 1), got {delta}")
    if delta < LEAST_DELTA:
        raise ConfigError(f"{word} must be at least {LEAST_DELTA}, got {delta}: take that instead")


def check_seed(seed: int) -> None:
    """Refuse what cannot be the key of all dithers and priors."""
    if not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise ConfigError(f"seed must be a whole number between 0 and 2^64 − 1, got {seed!r}")


def sigma_of(sigma: float | None, bounds: Bounds | None) -> float:
    """σ as given; rewards in [a, b] are (b − a)/2-sub-Gaussian whatever they are (Hoeffding)."""
    if sigma is not None:
        return sigma
    if bounds is None:
        raise ConfigError(
            "sigma is needed where rewards have no bounds: give bounds between which all rewards "
            "lie, such as bounds = [0.0, 1.0], or a sigma for which they are sub-Gaussian; for "
            "Gaussian noise that is its standard deviation"
        )
    a, b = bounds
    return (b - a) / 2


def check_sigma(sigma: float) -> None:
    """Refuse a σ that no rewards can have."""
    if not (math.isfinite(sigma) and sigma > 0):
        raise ConfigError(f"sigma must be a finite number above 0, got {sigma}")
