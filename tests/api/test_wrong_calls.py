"""What a program may give by mistake: each is refused with the word that was typed, or taken."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import bitarm
from bitarm.api.simulate import claim_of, setup_of
from bitarm.errors import ConfigError, RefusedRewardError
from bitarm.sim.models import Bernoulli, Gaussian

_ARMS = {"a": [0.1] * 200, "b": [0.9] * 200}

_TEXT: dict[str, Any] = {"bounds": (0, 1), "seed": "1"}

_REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "journal": (lambda: _identify(journal="runs.sqlite"), "SqliteJournal.open(path)"),
    "watch": (lambda: _identify(watch=3), "watch must be a function of events, got 3"),
    "seed": (lambda: _identify(seed=1.5), "seed must be a whole number between"),
    "text as seed": (lambda: bitarm.setup(["a", "b"], **_TEXT), "seed must be a whole number"),
    "limit": (lambda: _identify(max_samples=1e5), "max_samples must be a whole number: write 10"),
    "limit in part": (lambda: _identify(max_rounds=1.5), "max_rounds must be a whole number, got"),
    "bounds": (lambda: _identify(bounds=np.array([0, 1, 2])), "bounds must be two numbers, got"),
    "learner": (lambda: bitarm.Learner(["a"]), "a learner takes a setup, such as bitarm.setup("),  # type: ignore[arg-type]
    "texts": (lambda: _arms(["0.1"]), "at index 0 is '0.1': convert all to floats first"),
    "decimals": (lambda: _arms([Decimal("0.1")]), "is Decimal('0.1'): convert all to floats first"),
    "a gap": (lambda: _arms([0.5, None]), "at index 1 is None: leave it out, or fill it in"),
    "a set": (
        lambda: _arms({0.1, 0.2}),
        "arm 'a' is a set, which has no order and no number twice",
    ),
    "no model": (lambda: _simulate(models=[1.0, 2.0]), "is a model of bitarm.sim.models, such as"),
    "trials": (lambda: _simulate(trials="5"), "trials must be a whole number, got '5'"),
    "no values": (lambda: _simulate(delta=[]), "delta is an empty list: there is no value of it"),
    "names": (lambda: bitarm.setup("abc", bounds=(0, 1)), "arms must be a list of names"),
    "number of arms": (lambda: bitarm.setup(5, bounds=(0, 1)), "arms must be a list of names"),  # type: ignore[arg-type]
    "number of models": (
        lambda: _simulate(models=5),
        "are a list of models of bitarm.sim.models",
    ),
}


def _identify(**words: Any) -> object:
    return bitarm.identify(_ARMS, **{"bounds": (0, 1), **words})


def _arms(rewards: list[Any] | set[float]) -> object:
    return bitarm.identify({"a": rewards, "b": rewards}, bounds=(0, 1))


def _simulate(**words: Any) -> object:
    coins = [Bernoulli(mean=0.9), Bernoulli(mean=0.2)]
    return bitarm.simulate(**{"models": coins, "trials": 1, **words})


@pytest.mark.parametrize("name", _REFUSED)
def test_a_wrong_argument_is_refused_by_its_own_name(name: str) -> None:
    call, sentence = _REFUSED[name]
    with pytest.raises((ConfigError, RefusedRewardError), match=re.escape(sentence)):
        call()


def test_numbers_of_numpy_will_do() -> None:
    result = bitarm.identify(
        _ARMS,
        bounds=np.array([0, 1]),  # type: ignore[arg-type]
        seed=np.int64(3),  # type: ignore[arg-type]
        max_samples=np.int32(5000),  # type: ignore[arg-type]
    )
    assert (result.best_arm_name, result.seed) == ("b", 3)


def test_a_run_by_hand_is_named_by_policy_and_limits_too() -> None:
    words: dict[str, Any] = {"bounds": (0, 1), "seed": 1}
    setups = [
        bitarm.setup(["a", "b"], **words),
        bitarm.setup(["a", "b"], **words, epsilon=0.1),
        bitarm.setup(["a", "b"], **words, max_rounds=9),
    ]
    learners = [bitarm.Learner(setup) for setup in setups]
    assert len({learner.opening for learner in learners}) == 3
    assert len({learner.run for learner in learners}) == 3


def test_the_same_words_mean_the_same_sigma_in_a_run_and_in_a_simulation() -> None:
    coins = [Bernoulli(mean=0.9), Bernoulli(mean=0.2)]
    settings: list[dict[str, Any]] = [
        {"quantizer": "icq"},
        {"policy": "se"},
        {"policy": "lucb"},
        {},
    ]
    for words in settings:
        run = bitarm.setup(["a", "b"], bounds=(0, 1), **words)
        simulated = setup_of(coins, {"bounds": (0, 1), **words})
        assert simulated.words == run.words
        assert claim_of(simulated, coins).delta == 0.05
    normal = [Gaussian(mean=0, sd=2.0), Gaussian(mean=9, sd=1.0)]
    assert setup_of(normal, {}).spec.sigma == 2.0  # where a run would ask for one
