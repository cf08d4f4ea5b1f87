"""The default, with no word of a scheme given, on rewards and levels at the edge of what may be."""

import random
from typing import Any

import pytest

from bitarm import RunResult, identify
from bitarm.core.outcome import Outcome
from bitarm.errors import ConfigError, RewardError

UNIT = (0.0, 1.0)


def _coin(p: float, seed: int) -> Any:
    rng = random.Random(seed)
    return lambda: float(rng.random() < p)


def _is_the_default(result: RunResult, width: str = "bounded") -> bool:
    return (result.quantizer, result.policy, result.width) == ("dyadic", "challenge", width)


def test_rewards_beyond_the_bounds_are_refused_by_the_name_of_their_arm() -> None:
    arms = {"inside": lambda: 0.5, "outside": lambda: 1.5}
    with pytest.raises(RewardError, match=r"'?outside'?.*1\.5.*bounds"):
        identify(arms, bounds=UNIT, seed=1)


def test_clipped_to_the_bounds_they_decide_without_a_guarantee() -> None:
    arms = {"inside": lambda: 0.5, "outside": lambda: 1.5}
    result = identify(arms, bounds=UNIT, seed=1, clip=True)
    assert (result.best_arm_name, result.guarantee) == ("outside", None)


def test_rewards_of_which_nothing_is_known_are_refused_before_a_pull() -> None:
    def reward() -> float:
        raise AssertionError("an arm was pulled")

    with pytest.raises(ConfigError, match=r"give bounds .* or a sigma"):
        identify({"a": reward, "b": reward}, seed=1)


@pytest.mark.parametrize("known", [{"bounds": UNIT}, {"sigma": 0.25}, {"sigma": 1e-3}], ids=str)
@pytest.mark.parametrize("constants", [(0.25, 0.75), (0.0, 1.0), (0.5, 0.5625)], ids=str)
def test_arms_that_never_vary_are_told_apart(
    known: dict[str, Any], constants: tuple[float, float]
) -> None:
    low, high = constants
    result = identify({"low": lambda: low, "high": lambda: high}, seed=1, **known)
    assert (result.best_arm_name, result.guarantee) == ("high", 0.05)
    assert _is_the_default(result, "bounded" if "bounds" in known else "sub-gaussian")


def test_a_constant_arm_beside_one_that_varies() -> None:
    result = identify({"fixed": lambda: 0.5, "coin": _coin(0.9, 2)}, bounds=UNIT, seed=1)
    assert (result.best_arm_name, result.guarantee) == ("coin", 0.05)


@pytest.mark.parametrize(
    ("limit", "outcome"),
    [
        ({"max_rounds": 12}, Outcome.ROUND_LIMIT),
        ({"max_samples": 3000}, Outcome.SAMPLE_LIMIT),
        ({"max_bits": 24}, Outcome.BIT_LIMIT),
    ],
    ids=str,
)
@pytest.mark.parametrize("p", [0.0, 0.5], ids=["constants", "coins"])
def test_two_equal_arms_end_at_the_limit_and_name_none(
    limit: dict[str, Any], outcome: Outcome, p: float
) -> None:
    result = identify({"one": _coin(p, 1), "other": _coin(p, 2)}, bounds=UNIT, seed=1, **limit)
    assert (result.outcome, result.best_arm, result.guarantee) == (outcome, None, None)
    assert result.contenders == ("one", "other")
    assert result.rounds <= limit.get("max_rounds", result.rounds)
    assert result.samples <= limit.get("max_samples", result.samples)


def test_a_smaller_delta_takes_more_samples() -> None:
    taken = []
    for delta in (0.999999, 0.05, 1e-12):
        arms = {"bad": _coin(0.2, 3), "good": _coin(0.8, 4)}
        result = identify(arms, bounds=UNIT, seed=1, delta=delta)
        assert (result.best_arm_name, result.guarantee) == ("good", delta)
        taken.append(result.samples)
    assert taken == sorted(taken)
    assert taken[-1] < 1000


@pytest.mark.parametrize("known", [{"bounds": UNIT}, {"sigma": 0.5}], ids=["bounds", "sigma"])
def test_the_least_delta_is_reached_and_a_lesser_one_refused(known: dict[str, Any]) -> None:
    """Hurdles are bytes: with a δ that they cannot express no arm would ever fall."""
    arms = {"bad": _coin(0.45, 3), "good": _coin(0.55, 4)}
    result = identify(arms, delta=1e-60, seed=1, max_samples=200_000, **known)
    assert (result.best_arm_name, result.guarantee) == ("good", 1e-60)
    with pytest.raises(ConfigError, match="delta must be at least 1e-60, got 1e-61"):
        identify(arms, delta=1e-61, **known)


def _knowns(low: float) -> list[dict[str, Any]]:
    return [{"sigma": 0.125}, {"bounds": (low, low + 0.25)}]


@pytest.mark.parametrize("place", [0, 1], ids=["sigma", "bounds"])
def test_what_doubles_do_not_resolve_is_not_claimed(place: int) -> None:
    """Rewards that vary by a quarter, on top of 0, 2^26 and 2^50."""

    def found(low: float) -> RunResult:
        coins = {"bad": _coin(0.4, 1), "good": _coin(0.6, 2)}
        arms = {name: (lambda coin=coin: low + coin() / 4) for name, coin in coins.items()}
        return identify(arms, seed=1, **_knowns(low)[place])

    near, far = found(0.0), found(2.0**26)
    assert near.guarantee == 0.05
    assert far.guarantee is None
    assert "64-bit floats: subtract from all rewards what they have in common" in (
        far.guarantee_reason
    )
    with pytest.raises(RewardError, match="subtract what is common to all arms"):
        found(2.0**50)


def test_what_is_assumed_is_a_sentence_and_a_list_of_its_clauses() -> None:
    arms = {"bad": _coin(0.2, 3), "good": _coin(0.8, 4)}
    result = identify(arms, bounds=UNIT, seed=1, epsilon=0.01)
    told = result.to_json()
    assert told["guarantee"] == 0.05
    assert len(told["assumptions"]) == 4
    for clause in told["assumptions"][:3]:
        assert clause in told["guarantee_reason"]
    assert told["assumptions"][3] == "wrong means more than 0.01 below the best"


@pytest.mark.slow
def test_thousands_of_arms_are_heard_of_in_a_few_pulls_each() -> None:
    arms: dict[str, Any] = {f"arm-{number}": (lambda: 0.0) for number in range(10_000)}
    arms["arm-7000"] = lambda: 1.0
    result = identify(arms, bounds=UNIT, seed=1)
    assert (result.best_arm_name, result.guarantee) == ("arm-7000", 0.05)
    assert result.samples < 50 * len(arms)
    assert result.payload_bits < 8 * len(arms)
