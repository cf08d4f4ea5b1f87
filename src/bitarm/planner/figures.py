"""What a setting costs, as numbers: means over simulated runs, with their errors."""

import math
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from bitarm.sim.kernels.arrays import Floats, Integers

SimulatedBy = Literal["kernels", "machines"]
"""By what runs were simulated: compiled kernels, or the learner and the agents themselves."""

PLAN_MEASURES = ("cost", "samples", "rounds", "messages", "payload_bits")
"""What is measured of a setting, each a `Spread` of `Figures`."""

_TASTE = 0.004
"""How much the samples, bits and rounds count beside the cost: half of one of them is worth 0.3
percent. So of settings that cost nearly the same, the one that takes less of what is free wins."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A mean, the standard deviation over runs, and the standard error of the mean."""

    mean: float
    sd: float
    sem: float

    @classmethod
    def of(cls, values: Floats, environment: Integers) -> "Spread":
        """The spread of runs in several environments, which share gaps and offset within each.

        The error of the mean is that of a sample of environments, as for any sample of clusters.
        """
        mean = float(values.mean())
        off = np.bincount(environment, values - mean)
        drawn = int(np.count_nonzero(np.bincount(environment)))
        few = drawn / max(drawn - 1, 1)
        return cls(
            mean=mean,
            sd=float(values.std(ddof=1)) if values.size > 1 else 0.0,
            sem=math.sqrt(few * float(np.square(off).sum())) / values.size,
        )

    def to_json(self) -> dict[str, float]:
        """Plain numbers."""
        return {"mean": self.mean, "sd": self.sd, "sem": self.sem}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a setting costs: averages over the simulated runs that name the best arm.

    A run that dropped it, which happens with probability at most δ, may be left with arms that are
    equally good and never end; so it has no part in the averages.
    """

    measured_by: SimulatedBy
    most_bits: int | None = None  # of an answer, where a link cut longer ones short
    runs: int
    wrong: int  # decided for another arm
    undecided: int  # far beyond what the others needed, and still no answer
    stretch: float  # pulls that each simulated one stands for: above 1 in a rehearsal
    rounds: Spread
    samples: Spread
    payload_bits: Spread
    messages: Spread
    cost: Spread

    @property
    def score(self) -> float:
        """What a search makes small: the cost, and a little of what is free."""
        rest = self.rounds.mean * self.samples.mean * max(self.payload_bits.mean, 1.0)
        return self.cost.mean * math.pow(rest, _TASTE)

    def to_json(self) -> dict[str, Any]:
        """Plain types, each measure under its own name."""
        return {
            "measured_by": self.measured_by,
            "most_bits": self.most_bits,
            "trials": self.runs,
            "wrong": self.wrong,
            "undecided": self.undecided,
            "stretch": self.stretch,
            **{name: getattr(self, name).to_json() for name in PLAN_MEASURES},
        }
