"""Rewards drawn from a model: a function of seed, arm and place in the order."""

from bitarm.rewards.draws import ModelSource
from bitarm.sim.models import Gaussian


def test_a_model_draws_by_seed_and_arm() -> None:
    model = Gaussian(mean=0.0, sd=1.0)
    draws = {
        (seed, arm): tuple(ModelSource(model, seed=seed, arm=arm).pull(5))
        for seed in (1, 2, 2**64 - 1)
        for arm in (0, 1)
    }
    assert len(set(draws.values())) == len(draws)
    assert tuple(ModelSource(model, seed=1, arm=0).pull(5)) == draws[1, 0]
