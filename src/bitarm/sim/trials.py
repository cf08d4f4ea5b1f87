"""The outcome and the costs of each trial, as columns."""

from dataclasses import dataclass
from typing import final

import numpy as np

from bitarm.core.outcome import Outcome
from bitarm.sim.kernels.arrays import Integers
from bitarm.sim.kernels.status import (
    BEST,
    BIT_LIMIT,
    BITS,
    BUDGET_SPENT,
    COLUMNS,
    DECIDED,
    MESSAGES,
    MISSED,
    OUTCOME,
    ROUND_LIMIT,
    ROUNDS,
    SAMPLE_LIMIT,
    SAMPLES,
)

OUTCOMES: dict[int, Outcome] = {
    DECIDED: Outcome.DECIDED,
    ROUND_LIMIT: Outcome.ROUND_LIMIT,
    SAMPLE_LIMIT: Outcome.SAMPLE_LIMIT,
    BIT_LIMIT: Outcome.BIT_LIMIT,
    BUDGET_SPENT: Outcome.BUDGET_SPENT,
}


@final
@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """One row a trial, in the order of the tape."""

    table: Integers  # [trial, column], see kernels/status.py

    @property
    def rounds(self) -> Integers:
        """Rounds until the end."""
        return self.table[:, ROUNDS]

    @property
    def samples(self) -> Integers:
        """Pulls of all arms."""
        return self.table[:, SAMPLES]

    @property
    def payload_bits(self) -> Integers:
        """Uplink bits."""
        return self.table[:, BITS]

    @property
    def messages(self) -> Integers:
        """Reports of all arms."""
        return self.table[:, MESSAGES]

    @property
    def best_arm(self) -> Integers:
        """The answer, −1 where there is none."""
        return self.table[:, BEST]

    @property
    def outcome(self) -> Integers:
        """Keys of `OUTCOMES`."""
        return self.table[:, OUTCOME]

    @property
    def missed(self) -> Integers:
        """1 where every arm that is a right answer fell: wrong, even if nothing was answered."""
        return self.table[:, MISSED]


def blank(trials: int) -> Trials:
    """The columns of so many trials, zero, for a kernel to fill in."""
    return Trials(np.zeros((trials, COLUMNS), dtype=np.int64))
