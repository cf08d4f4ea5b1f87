"""Tapes of rewards, and small problems whose runs they determine."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from bitarm.core.agent import Agent
from bitarm.core.dither import uniform_priors
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.policies import (
    Policy,
)
from bitarm.core.quantizers import (
    Exact,
    Quantizer,
)
from bitarm.core.schedule import Schedule, paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec

Total = Callable[[int, int, int], float]
"""The sum of an arm's next rewards: (arm, pulls done, count)."""

UNIT = 1024


@dataclass(frozen=True, kw_only=True)
class Tape:
    """Rewards as a function of arm and pull index, in multiples of 1/1024.

    Sums of such numbers are exact in a float64, in any grouping: a batch that is observed in parts
    and one that is observed at once must then lead to the very same bits.
    """

    seed: int
    means: tuple[int, ...]  # in 1024ths
    spread: int  # in 1024ths, to either side
    bounds: tuple[int, int] | None  # in 1024ths
    _sums: dict[int, list[int]] = field(init=False, repr=False, compare=False, default_factory=dict)
    _draws: dict[int, random.Random] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def total(self, arm: int, done: int, count: int) -> float:
        """The sum of rewards done + 1 … done + count."""
        sums = self._known(arm, done + count)
        return (sums[done + count] - sums[done]) / UNIT

    def rewards(self, arm: int, done: int, count: int) -> list[float]:
        """The rewards done + 1 … done + count, one by one."""
        sums = self._known(arm, done + count)
        return [(sums[n + 1] - sums[n]) / UNIT for n in range(done, done + count)]

    def _known(self, arm: int, pulls: int) -> list[int]:
        """The sums of an arm after 0, 1, 2, … pulls, to `pulls` at least."""
        if arm not in self._draws:
            self._sums.setdefault(arm, [0])
            self._draws[arm] = random.Random(f"{self.seed}/{arm}")
        sums, draw = self._sums[arm], self._draws[arm]
        while len(sums) <= pulls:
            reward = self.means[arm] + draw.randint(-self.spread, self.spread)
            if self.bounds is not None:
                reward = min(max(reward, self.bounds[0]), self.bounds[1])
            sums.append(sums[-1] + reward)
        return sums


@dataclass(frozen=True, kw_only=True)
class Problem:
    """All that determines a run."""

    spec: RunSpec
    policy: Policy
    limits: Limits
    tape: Tape

    @property
    def setup(self) -> Setup:
        return Setup(spec=self.spec, policy=self.policy, limits=self.limits)

    def learner(self) -> Learner:
        return Learner(self.setup)

    def agents(self) -> list[Agent]:
        return agents_of(self.learner())


def make_spec(
    *,
    arms: int = 3,
    delta: float = 0.2,
    sigma: float = 0.25,
    bounds: tuple[float, float] | None = (0.0, 1.0),
    quantizer: Quantizer | None = None,
    width: str = "paper",
    schedule: Schedule | None = None,
    seed: int = 7,
) -> RunSpec:
    """A spec that draws its priors where the quantizer wants them."""
    quantizer = quantizer or Exact()
    drawn_from = quantizer.prior_range(bounds)
    return RunSpec(
        arms=tuple(f"arm-{arm}" for arm in range(arms)),
        delta=delta,
        sigma=sigma,
        bounds=bounds,
        quantizer=quantizer,
        width=width,
        schedule=schedule or paper_schedule(2.0),
        priors=() if drawn_from is None else uniform_priors(seed, arms, drawn_from),
        seed=seed,
    )


def agents_of(learner: Learner) -> list[Agent]:
    """One agent for each arm of a learner's run."""
    return [Agent(learner.run, arm) for arm in range(len(learner.arms))]
