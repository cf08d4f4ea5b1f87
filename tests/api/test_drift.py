"""Means that wander: how far from the best an answer may then be (docs/assumptions.md)."""

import random
from collections.abc import Callable
from itertools import count

from chances import tail

import bitarm

_VALUES = (0.55, 0.4, 0.33)
_DRIFT = 0.1  # every mean stays so near to its value
_RUNS = 10


def _arms(seed: int) -> list[Callable[[], float]]:
    """The best stays low. The next is high until that one has fallen, and sinks; the third is high
    all the time, and has more noise.
    """
    chance, pulls = random.Random(seed), count(1)
    return [
        lambda: 0.45,
        lambda: 0.5 if next(pulls) <= 300 else 0.31,
        lambda: float(chance.random() < 0.43),
    ]


def _lost(policy: str, runs: int) -> list[float]:
    """By how much the value of each answer is below the best."""
    ends = [
        bitarm.identify(
            _arms(seed), bounds=(0, 1), policy=policy, seed=seed, max_samples=10**6, delta=0.05
        )
        for seed in range(runs)
    ]
    return [_VALUES[0] - _VALUES[end.best_arm] for end in ends if end.best_arm is not None]


def test_who_must_beat_every_other_arm_is_within_two_drifts_of_the_best() -> None:
    for policy in ("lucb", "top-two", "lil-ucb"):
        lost = _lost(policy, 2)
        assert len(lost) == 2
        assert max(lost) <= 2 * _DRIFT


def test_where_arms_fall_every_fall_may_cost_two_drifts() -> None:
    """The second beats the best, and the third the second: each within 2d of the one before."""
    lost = _lost("challenge", _RUNS)
    assert tail(sum(each > 2 * _DRIFT for each in lost), _RUNS, 0.05) < 1e-4
    assert max(lost) <= 2 * _DRIFT * (len(_VALUES) - 1)
