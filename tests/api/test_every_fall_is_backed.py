"""Whole runs of the default: no arm falls but by evidence that its rewards and its rival's hold.

The evidence is counted here from the rewards themselves, at all rungs and without any rounding to
steps, hurdles or edges. What runs decide by is less than that, so whoever falls has lost by it too.
"""

import math
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import bitarm
from bitarm.core.events import ArmDropped, LearnerEvent, PullsCounted, ReportAccepted
from bitarm.core.evidence import bounded, sub_gaussian
from bitarm.core.evidence.account import Account, Scale
from bitarm.core.evidence.bets import Bets
from bitarm.core.evidence.ladder import FOLLOWING, RUNGS, log_weights

Floats = npt.NDArray[np.float64]

_SIGMA = 0.5  # of all rewards in [0, 1]
_DELTA = 0.5
_RUNS = 12
_MEANS = np.linspace(0.0, 1.0, 401)  # at which evidence is looked at


class _Arm:
    """Rewards that are drawn as they are wanted, and kept."""

    def __init__(self, draw: Callable[[], float]) -> None:
        self.draw, self.rewards = draw, list[float]()

    def __call__(self) -> float:
        self.rewards.append(self.draw())
        return self.rewards[-1]

    def account(self, scale: Scale, pulls: int) -> Account:
        rewards = self.rewards[:pulls]
        assert len(rewards) == pulls
        bets = Bets().after(rewards, 0) if scale.bounded else None
        return Account(scale, pulls, math.fsum(rewards) / pulls, bets)


def _nats(winner: Account, loser: Account, middle: int, epsilon: float) -> float:
    """The logarithm of the least evidence that the winner, ε higher, is better than the loser."""
    scale, weights = winner.scale, log_weights(middle)
    if not scale.bounded:
        weights = log_weights(sub_gaussian.MIDDLE)
    total = np.full(_MEANS.shape, -np.inf)
    for rung in range(RUNGS):
        high = winner.above(rung) - scale.rates[rung] * winner.pulls * (_MEANS - epsilon) / (
            1.0 if scale.bounded else scale.unit
        )
        for climb, share in enumerate(FOLLOWING):
            other = max(rung - climb, 0)
            slope = scale.rates[other] * loser.pulls / (1.0 if scale.bounded else scale.unit)
            low = loser.below(other) + slope * _MEANS
            total = np.logaddexp(total, weights[rung] + math.log(share) + high + low)
    return float(total.min())


def _falls(
    means: tuple[float, ...], concentration: float, seed: int, epsilon: float, **words: Any
) -> list[float]:
    """For every arm that fell for good: by how many nats its evidence is above the level."""
    chance = random.Random(seed)

    def drawn(mean: float) -> Callable[[], float]:
        if not concentration:
            return lambda: float(chance.random() < mean)
        return lambda: chance.betavariate(mean * concentration, (1 - mean) * concentration)

    arms = [_Arm(drawn(mean)) for mean in means]
    events: list[LearnerEvent] = []
    bitarm.identify(
        arms,
        delta=_DELTA,
        epsilon=epsilon or None,
        seed=seed,
        max_samples=4_000,
        kappa=0.4,  # fine steps: less is lost to rounding
        kappa_cut=0.4,
        watch=events.extend,
        **words,
    )
    scale = Scale(bounded=True, low=0.0, unit=1.0)
    if "sigma" in words:
        scale = Scale.of_sigma(words["sigma"])
    level, last = math.log((len(means) - 1) / _DELTA), dict[int, ReportAccepted]()
    made = dict[int, int]()
    for event in events:
        if isinstance(event, PullsCounted):
            made.update(event.counts)
    falls, reports = dict[tuple[int, int], int](), dict[int, dict[int, int]]()
    for event in events:
        if isinstance(event, ReportAccepted):
            last[event.arm] = event
            reports.setdefault(event.arm, {})[event.round] = event.pulls
        elif isinstance(event, ArmDropped):
            falls[event.arm, event.because] = event.round
    if epsilon:
        for arm, event in last.items():
            if event.beaten_by is not None:
                falls.setdefault((arm, event.beaten_by), event.round)
    above = []
    for (arm, rival), fell_in in falls.items():
        report = last[arm]
        gave_up = report.beaten_by is not None
        if gave_up and report.beaten_by != rival:
            continue  # its conqueror fell in the same round, to this one
        # the rival's pulls when the arm fell: as of what it had told by then
        seen_in = report.round if gave_up else fell_in
        told = [pulls for round_, pulls in reports[rival].items() if round_ <= seen_in]
        winner = arms[rival].account(scale, max(told))
        loser = arms[arm].account(scale, made[arm] if gave_up else report.pulls)
        raised = epsilon if gave_up else 0.0
        above.append(_nats(winner, loser, bounded.MIDDLE, raised) - level)
    return above


@pytest.mark.parametrize("epsilon", [0.0, 0.15])
@pytest.mark.parametrize(
    "words", [{"bounds": (0.0, 1.0)}, {"sigma": _SIGMA}], ids=["bets", "sigma"]
)
@pytest.mark.parametrize("concentration", [0.0, 0.2, 30.0], ids=["coins", "two points", "narrow"])
def test_no_arm_falls_but_by_the_evidence_of_its_rewards(
    words: dict[str, Any], concentration: float, epsilon: float
) -> None:
    above: list[float] = []
    for seed in range(_RUNS):
        draw = random.Random(seed)
        means = tuple(draw.uniform(0.3, 0.9) for _ in range(2 + seed % 3))
        above += _falls(means, concentration, seed, epsilon, **words)
    assert len(above) > _RUNS / 2
    assert min(above) > -1e-9
    assert min(above) < 1.0  # little is to spare: who claims a nat more than there is fails here


def test_rewards_that_are_exchanged_back_no_fall() -> None:
    """The control: the evidence of the same rewards the other way round is far below the level."""
    draw = random.Random(4)
    scale = Scale(bounded=True, low=0.0, unit=1.0)
    accounts = []
    for mean in (0.4, 0.45, 0.9):
        arm = _Arm(lambda mean=mean: float(draw.random() < mean))  # type: ignore[misc]
        for _ in range(200):
            arm()
        accounts.append(arm.account(scale, 200))
    nats = [_nats(*pair, bounded.MIDDLE, 0.0) for pair in pairwise(accounts)]
    assert max(nats) < 1.0
    assert _nats(accounts[2], accounts[0], bounded.MIDDLE, 0.0) > 10.0
