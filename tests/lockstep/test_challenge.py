"""Elimination by challenge: its kernel is the machines, agents that judge themselves included."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lockstep.cases import blank_tape, setup
from lockstep.stories import Story, told_by_kernels, told_by_machines

from bitarm.core.limits import Limits
from bitarm.core.policies import ChallengeElimination
from bitarm.core.quantizers import Dyadic
from bitarm.core.schedule import LooksSchedule
from bitarm.core.setup import Setup
from bitarm.sim.engine import Engine
from bitarm.sim.environment import environment_of
from bitarm.sim.kernels import challenge
from bitarm.sim.models import Bernoulli, Beta, Gaussian, RewardModel

pytestmark = pytest.mark.slow  # a kernel of this size is compiled for many seconds

_TRIALS = 3

quantizers = st.builds(
    Dyadic,
    **{
        word: st.floats(0.1, 8.0)
        for word in ("kappa", "kappa_first", "kappa_cut", "kappa_pilot", "kappa_place")
    },
)
policies = st.builds(
    ChallengeElimination,
    cap=st.floats(1.0, 12.0),
    patience=st.floats(0.3, 3.0),
    behind=st.floats(0.1, 1.0),
    aim=st.floats(0.0, 1.0),
    epsilon=st.sampled_from([0.0, 0.0, 0.01, 0.2, 1.0]),
)
limits = st.builds(
    Limits,
    rounds=st.none() | st.integers(1, 30),
    samples=st.integers(1, 4000),
    bits=st.none() | st.integers(1, 60),
)


def _stories(one: Setup, models: list[RewardModel], seed: int) -> tuple[list[Story], list[Story]]:
    """By machines, and by the kernel from the same draws."""
    environment, rng = environment_of(models), np.random.default_rng
    tape = blank_tape([one], rng(0), _TRIALS)
    told = told_by_machines(one, tape, environment, rng(seed))
    (again,) = told_by_kernels(Engine([one], environment), tape, rng(seed))
    return told, again


_SETTINGS = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)


@given(
    data=st.data(),
    quantizer=quantizers,
    policy=policies,
    limit=limits,
    delta=st.sampled_from([0.5, 0.05, 1e-6]),
    seed=st.integers(0, 2**32),
)
@_SETTINGS
def test_agents_that_bet_on_every_reward(
    data: st.DataObject,
    quantizer: Dyadic,
    policy: ChallengeElimination,
    limit: Limits,
    delta: float,
    seed: int,
) -> None:
    means = data.draw(st.lists(st.floats(0.02, 0.98), min_size=2, max_size=6))
    models: list[RewardModel] = [
        Bernoulli(mean=mean) if place % 2 else Beta(mean=mean, concentration=5.0)
        for place, mean in enumerate(means)
    ]
    words: dict[str, Any] = {"width": "bounded", "sigma": 0.5, "delta": delta}
    one = setup(len(means), quantizer, policy, LooksSchedule(), limits=limit, **words)
    told, again = _stories(one, models, seed)
    assert again == told


@given(
    data=st.data(),
    quantizer=quantizers,
    policy=policies,
    limit=limits,
    delta=st.sampled_from([0.5, 0.05, 1e-6]),
    seed=st.integers(0, 2**32),
)
@_SETTINGS
def test_agents_that_know_sigma(
    data: st.DataObject,
    quantizer: Dyadic,
    policy: ChallengeElimination,
    limit: Limits,
    delta: float,
    seed: int,
) -> None:
    means = data.draw(st.lists(st.floats(-3.0, 3.0), min_size=2, max_size=6))
    sigma = data.draw(st.sampled_from([0.125, 0.7, 1.0]))
    models: list[RewardModel] = [Gaussian(mean=mean, sd=sigma) for mean in means]
    words: dict[str, Any] = {"width": "sub-gaussian", "sigma": sigma, "delta": delta}
    bounds = data.draw(st.sampled_from([None, (-40.0, 40.0)]))
    one = setup(
        len(means), quantizer, policy, LooksSchedule(), limits=limit, bounds=bounds, **words
    )
    told, again = _stories(one, models, seed)
    assert again == told


def _usual(width: str) -> tuple[Setup, list[RewardModel]]:
    if width == "bounded":
        coins: list[RewardModel] = [Bernoulli(mean=mean) for mean in (0.3, 0.9, 0.5, 0.6)]
        one = setup(4, Dyadic(), ChallengeElimination(), LooksSchedule(), width=width, sigma=0.5)
        return one, coins
    normal: list[RewardModel] = [Gaussian(mean=mean, sd=0.125) for mean in (0.0, 0.3, 0.1, 0.0)]
    one = setup(
        4, Dyadic(), ChallengeElimination(), LooksSchedule(),
        width=width, sigma=0.125, bounds=None, delta=1e-4,
    )  # fmt: skip
    return one, normal


@pytest.mark.parametrize("width", ["bounded", "sub-gaussian"])
@pytest.mark.parametrize("field", ["level", "unit"])
def test_a_number_that_is_a_little_off_is_found(
    width: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Controls: a comparison that could not fail would say nothing."""
    one, models = _usual(width)
    told, again = _stories(one, models, 5)
    assert again == told
    assert all(story.messages > 6 for story in told)
    run = challenge.compiled()

    def with_another(*given: Any) -> None:
        *before, arrays, race, output = given
        rules = arrays.rules.copy()
        rules[field] *= 1.1
        run(*before, arrays._replace(rules=rules), race, output)

    monkeypatch.setattr(challenge, "compiled", lambda: with_another)
    assert _stories(one, models, 5)[1] != told
