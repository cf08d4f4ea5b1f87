"""A quantizer or a policy may be a value that was made in Python, somebody's own too."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from lockstep.test_modes import Unseen

from bitarm import identify, simulate
from bitarm.core.policies import ChallengeElimination, Lucb, SuccessiveElimination
from bitarm.core.quantizers import Dicq, Dyadic, Icq
from bitarm.errors import ConfigError
from bitarm.sim.models import Bernoulli

_COINS = (Bernoulli(mean=0.9), Bernoulli(mean=0.2))


def _arms() -> dict[str, Callable[[], float]]:
    rng = random.Random(1)
    return {f"{p}": lambda p=p: float(rng.random() < p) for p in (0.2, 0.9)}  # type: ignore[misc]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"quantizer": Dyadic(kappa=1.5)}, {"kappa": 1.5}),
        ({"policy": ChallengeElimination(cap=3, aim=0.5)}, {"cap": 3.0, "aim": 0.5}),
        (
            {"quantizer": Icq(bits=2, prior="midpoint"), "policy": Lucb(epsilon=0.1)},
            {
                "quantizer": "icq",
                "bits": 2,
                "prior": "midpoint",
                "policy": "lucb",
                "epsilon": 0.1,
            },
        ),
    ],
    ids=["quantizer", "policy", "both"],
)
def test_a_value_is_what_its_words_are(value: dict[str, Any], words: dict[str, Any]) -> None:
    common: dict[str, Any] = {"bounds": (0.0, 1.0), "delta": 0.1, "seed": 3}
    assert identify(_arms(), **common, **value) == identify(_arms(), **common, **words)


def test_a_value_can_be_simulated_beside_a_name() -> None:
    result = simulate(_COINS, trials=20, seed=1, quantizer=[Dicq(kappa=1.0), "exact"]).to_json()
    assert [point["quantizer"] for point in result["results"]] == ["dicq", "exact"]
    assert result["results"][0]["kappa"] == 1.0


def test_somebody_s_own_quantizer_runs() -> None:
    result = identify(_arms(), sigma=0.5, delta=0.1, seed=3, quantizer=Unseen())
    assert (result.best_arm, result.quantizer, result.policy) == (1, "somebody's", "se")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            {"quantizer": Dicq(), "kappa": 1.0},
            "kappa belongs to the quantizer dicq, which was given as a value: set it there",
        ),
        (
            {"policy": SuccessiveElimination(), "epsilon": 0.1},
            "epsilon belongs to the policy se, which was given as a value: set it there",
        ),
        ({"quantizer": Dicq}, "quantizer must be an instance, not a class: Dicq"),
        ({"policy": 3}, "policy must be a name, or in Python an instance, got 3"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        identify(_arms(), bounds=(0.0, 1.0), **words)
