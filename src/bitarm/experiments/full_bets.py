"""What the evidence of `bounded` can do where nothing is spared: all rewards in one place.

No scheme of messages. All arms that are left are pulled in turn, one after the other, and every
arm's bets are known exactly after every pull. The arm with the highest sum is held against each
other one: it beats an arm when their evidence reaches (K − 1)/δ, and that one is out. So this is
what agents that tell only a few bits are to be measured by, and it is comparable with strategies of
the literature, which see every reward too.

Both arms of a pair have equally many pulls, so they are paired at equal rates: then m cancels from
E(m), and evidence is one number. The law is the weights of the ladder on that diagonal, fixed
before the first reward, and the proof is that of docs/evidence.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from bitarm.core.evidence.bounded import MIDDLE
from bitarm.core.evidence.ladder import log_weights
from bitarm.core.schedule import LooksSchedule
from bitarm.sim.kernels.arrays import Integers
from bitarm.sim.kernels.full_bets import blank_bets, compiled
from bitarm.sim.statistics import Moments

_MOST_PULLS = 1_000_000  # of an arm: a run that goes on has lost its best arm


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FullBets:
    """What so many runs took."""

    samples: Moments  # of runs that named the best arm
    wrong: int  # that named another one, or none


def run_full_bets(
    means: Sequence[float], *, delta: float, trials: int, seed: int, every_pull: bool = False
) -> FullBets:
    """Runs with coins of these means, looked at as a challenged agent looks, or after every pull.

    A challenged agent looks after every pull, and from 64 on after every 1/32 more.
    """
    arms = len(means)
    samples, answers = np.empty(trials, np.int64), np.empty(trials, np.int64)
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
    compiled()(
        rng,
        np.array(means, dtype=np.float64),
        math.log((arms - 1) / delta),
        np.array(log_weights(MIDDLE)),
        _looks(every_pull=every_pull),
        blank_bets(arms),
        samples,
        answers,
    )
    right = answers == int(np.argmax(means))
    return FullBets(samples=Moments.of(samples[right]), wrong=int(np.count_nonzero(~right)))


def _looks(*, every_pull: bool) -> Integers:
    """The pulls of each arm at which evidence is weighed."""
    if every_pull:
        return np.arange(1, _MOST_PULLS + 1)
    schedule = LooksSchedule()
    return np.array(
        [schedule.pulls_at(index) for index in range(1, schedule.index_at(_MOST_PULLS) + 1)]
    )
