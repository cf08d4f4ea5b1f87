"""Means that floats do not resolve: nothing is claimed of answers that rest on them."""

from dataclasses import replace

import numpy as np
import pytest
from chances import tail
from core.claims import claimed
from drives import drive
from tapes import agents_of, make_spec

from bitarm.core.confidence import ArmView
from bitarm.core.events import RunEnded
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Dicq, Exact, Icq, Quantizer, QuBan
from bitarm.core.quantizers.fed_sel import FedSel
from bitarm.core.resolution import allowance, resolution
from bitarm.core.setup import Setup

_DELTA = 0.05


def _end(base: float, seed: int) -> RunEnded:
    """Two arms of rewards `base` or `base` + 1/4: the second is better, by less than 1/4."""
    rng = np.random.default_rng([7, seed])

    def total(arm: int, done: int, count: int) -> float:
        return base * count + 0.25 * rng.binomial(count, (0.47, 0.53)[arm])

    spec = make_spec(arms=2, delta=_DELTA, bounds=None, sigma=0.125, quantizer=Exact(), seed=seed)
    setup = Setup(spec=spec, policy=SuccessiveElimination(), limits=Limits(rounds=30))
    learner = Learner(setup)
    drive(learner, agents_of(learner), total)
    assert learner.ending is not None
    return learner.ending


def test_near_two_to_the_fifty_nothing_is_claimed_for_answers_that_are_often_wrong() -> None:
    runs = 200
    endings = [_end(2.0**50, seed) for seed in range(runs)]
    decided = [ending for ending in endings if ending.outcome is Outcome.DECIDED]
    assert decided
    assert all(ending.guarantee is None for ending in decided)
    assert all("too large beside sigma = 0.125" in ending.guarantee_reason for ending in decided)
    wrong = sum(ending.best_arm == 0 for ending in decided)
    assert tail(wrong, runs, _DELTA) < 1e-6  # the control: a claim of δ would be false


def test_the_same_rewards_near_zero_are_claimed() -> None:
    endings = [_end(0.0, seed) for seed in range(30)]
    assert all(ending.guarantee == _DELTA for ending in endings)
    assert all(ending.best_arm == 1 for ending in endings)


@pytest.mark.parametrize("quantizer", [Exact(), Icq(bits=3), QuBan(), FedSel()], ids=str)
def test_a_claim_ends_where_rounding_is_more_than_it_can_stand(quantizer: Quantizer) -> None:
    pulls, sigma = 400, 0.5
    limit = 2.0**30 * sigma / 20
    assert resolution(limit) == allowance(sigma, pulls)
    view = ArmView(arm=0, mean=limit, pulls=pulls, messages=1, index=1, error=0.0)
    assert claimed(views=(view,), quantizer=quantizer).delta == 0.05
    beyond = replace(view, mean=-limit * (1 + 2**-50))
    assert claimed(views=(beyond,), quantizer=quantizer).delta is None
    assert claimed(views=(replace(beyond, messages=0),), quantizer=quantizer).delta == 0.05
    assert claimed(views=(beyond,), quantizer=Dicq()).delta == 0.05  # it refuses what it must
