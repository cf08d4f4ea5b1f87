import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from bitarm.api.simulate import simulate
from bitarm.errors import ConfigError
from bitarm.sim.models import Bernoulli, Beta
from bitarm.theory import answer_bits, counting_bound

_MEANS = (0.2, 0.5, 0.9, 0.4)


def test_every_arm_must_be_heard() -> None:
    bound = counting_bound(_MEANS, delta=0.1)
    assert bound.arms == 4
    assert bound.payload_bits == pytest.approx(3.2)
    assert counting_bound(_MEANS, delta=0.5).payload_bits == 0


@pytest.mark.parametrize(
    ("bounds", "epsilon", "arms"),
    [
        ((0.0, 1.0), 0.0, 4),
        ((0.0, 0.9), 0.0, 1),  # none can be better than 0.9; that arm could still be worse
        ((0.5, 1.0), 0.0, 3),  # the best arm cannot fall below 0.5
        ((0.0, 1.0), 0.2, 1),  # nothing is better than 0.9 by more than 0.2
        ((0.0, 1.0), 0.5, 0),  # 0.5 is within the tolerance of anything: answer it unheard
        (None, 0.5, 4),
    ],
)
def test_an_arm_that_cannot_change_the_answer_need_not_speak(
    bounds: tuple[float, float] | None, epsilon: float, arms: int
) -> None:
    means = (0.5, 0.5, 0.9, 0.5)
    assert counting_bound(means, delta=0.1, bounds=bounds, epsilon=epsilon).arms == arms


def test_arms_that_tie_for_the_best_count_too() -> None:
    assert counting_bound((1.0, 1.0, 0.0), delta=0.01).arms == 3


@pytest.mark.parametrize(
    "words",
    [
        {"quantizer": "icq", "bits": [1, 3], "prior": ["midpoint", "lower"]},
        {"quantizer": "icq", "bits": 1, "policy": ["lucb", "lil-ucb"], "width": ["paper"]},
        {"quantizer": ["quban", "fed-sel", "exact"]},
        {"quantizer": "dicq", "width": ["pairwise", "pairwise-mixture"], "kappa": [1.0, 8.0]},
    ],
)
@pytest.mark.parametrize("delta", [0.2, 1e-5])
def test_no_scheme_is_below_it(words: dict[str, Any], delta: float) -> None:
    for means in (_MEANS, (0.05, 0.95)):
        models = [Bernoulli(mean=mean) for mean in means]
        run = simulate(models, trials=200, seed=4, delta=delta, bounds=(0.0, 1.0), **words)
        bound = counting_bound(means, delta=delta, bounds=(0.0, 1.0))
        for point in run.points:
            assert point.result.payload_bits.mean >= bound.payload_bits


@pytest.mark.parametrize("arms", [9, 40])
def test_it_is_nearly_reached_so_a_larger_one_would_be_wrong(arms: int) -> None:
    """Where arms are far apart one round decides, in one bit for each but the best."""
    models = [Beta(mean=m, concentration=1e6) for m in [0.5] * (arms - 1) + [0.99]]
    coarse = 0.3 * math.sqrt(2) / models[0].sigma  # steps of 0.3
    (point,) = simulate(
        models,
        trials=100,
        seed=1,
        quantizer="dicq",
        width="pairwise",
        kappa_first=coarse,
        delta=1e-6,
        sigma=models[0].sigma,
        bounds=(0.0, 1.0),
    ).points
    assert point.result.errors == 0
    bound = counting_bound([model.mean for model in models], delta=1e-6, bounds=(0.0, 1.0))
    assert arms == bound.arms
    assert bound.payload_bits <= point.result.payload_bits.mean < 1.5 * bound.payload_bits


@given(arms=st.integers(2, 100), delta=st.floats(1e-12, 0.4))
def test_with_one_agent_an_arm_counting_says_more_than_the_answer(arms: int, delta: float) -> None:
    bound = counting_bound([0.0] * (arms - 1) + [1.0], delta=delta)
    assert bound.payload_bits > answer_bits(arms, delta=delta)


@pytest.mark.parametrize("arms", [2, 5, 64])
def test_the_answer_of_a_channel_that_errs_evenly_has_just_fanos_information(arms: int) -> None:
    """K equally likely answers, each wrong one with probability δ/(K − 1): equality in Fano's."""
    for delta in (1e-6, 0.05, 0.3):
        wrong = delta / (arms - 1)
        entropy = -(1 - delta) * math.log2(1 - delta) - (arms - 1) * wrong * math.log2(wrong)
        assert answer_bits(arms, delta=delta) == pytest.approx(math.log2(arms) - entropy)


def test_a_blind_guess_needs_no_bits() -> None:
    assert answer_bits(4, delta=0.75) == 0
    assert answer_bits(4, delta=0.8) == 0
    nearly = brentq(lambda delta: answer_bits(4, delta=delta) - 1e-6, 0.5, 0.75)
    assert 0.74 < nearly < 0.75


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: counting_bound([1.0], delta=0.1), "at least 2 means"),
        (lambda: counting_bound(_MEANS, delta=0.0), "delta must lie in"),
        (lambda: counting_bound(_MEANS, delta=0.1, epsilon=-1.0), "epsilon must be"),
        (lambda: counting_bound(_MEANS, delta=0.1, bounds=(1.0, 0.0)), "bounds"),
        (lambda: answer_bits(1, delta=0.1), "at least 2 arms"),
        (lambda: answer_bits(3, delta=1.0), "delta must lie in"),
    ],
)
def test_what_has_no_bound_is_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ConfigError, match=message):
        call()
