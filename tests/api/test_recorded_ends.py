"""Recorded rewards end: what is there is read, and one arm's end does not stop the others."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

import bitarm
from bitarm.core.events import LearnerEvent, ReportAccepted, RoundOpened
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.replay import replay

_BOUNDED = {"bounds": (0.0, 1.0)}
_SCHEMES: list[dict[str, Any]] = [
    _BOUNDED,
    {**_BOUNDED, "epsilon": 0.05},
    {"sigma": 0.5},
    {"sigma": 0.5, "policy": "se"},
    {"sigma": 0.5, "policy": "se", "width": "paper"},
    {"sigma": 0.5, "policy": "lucb"},
    {"sigma": 0.5, "policy": "lil-ucb"},
    {"sigma": 0.5, "policy": "top-two"},
]


def _coins(means: Sequence[float], rows: Sequence[int], seed: int) -> dict[str, list[float]]:
    rng = random.Random(seed)
    return {
        f"coin-{arm}": [float(rng.random() < mean) for _ in range(count)]
        for arm, (mean, count) in enumerate(zip(means, rows, strict=True))
    }


def _run(
    means: Sequence[float], rows: Sequence[int], seed: int = 1, **words: Any
) -> tuple[bitarm.Identification, list[LearnerEvent]]:
    events: list[LearnerEvent] = []
    arms = _coins(means, rows, seed)
    result = bitarm.identify(arms, seed=seed, watch=events.extend, **words)
    return result, events


@pytest.mark.parametrize("words", _SCHEMES, ids=str)
def test_columns_that_do_not_decide_are_read_nearly_to_their_ends(words: dict[str, Any]) -> None:
    result, events = _run([0.5, 0.5, 0.5], [137, 137, 137], delta=0.001, **words)
    if result.outcome.value == "decided":
        assert words.get("epsilon")
        return
    assert result.outcome.value == "data_exhausted"
    assert all(arm.pulls >= 137 * 15 / 16 for arm in result.arms if arm.dropped_in is None)
    assert "no more recorded rewards of coin-0 (rows: 137)" in result.guarantee_reason
    replay(events)  # an audit comes to the same end


@pytest.mark.parametrize("words", [_BOUNDED, {"sigma": 0.5}, {"sigma": 0.5, "policy": "lucb"}])
def test_the_end_of_one_column_does_not_stop_the_others(words: dict[str, Any]) -> None:
    result, _ = _run([0.6, 0.9, 0.1], [12, 400, 400], **words)
    assert result.outcome.value == "data_exhausted"  # 12 rows say too little of the first
    assert result.arms[1].pulls > 12
    if words.get("policy") is None:  # lucb drops nobody
        assert "coin-2" in result.excluded


def test_a_short_column_is_beaten_by_one_that_goes_on() -> None:
    """At 60 pulls of both nothing is certain: the longer one must go past the other's end."""
    result, events = _run([0.9, 0.6], [3000, 60], seed=3, **_BOUNDED)
    assert result.best_arm == 0
    assert result.arms[0].pulls > 60
    assert result.rounds < 20  # it goes there at once, not look by look
    replay(events)


@pytest.mark.parametrize("rows", [(90, 90, 90), (5, 200, 80), (400, 60, 61), (1, 2, 3)])
def test_a_challenge_is_always_put_at_the_leaders_own_count(rows: tuple[int, ...]) -> None:
    """An agent takes `until` for the leader's pulls: any other count would be false evidence."""
    challenges = 0
    for seed in range(6):
        _, events = _run([0.55, 0.5, 0.45], rows, seed=seed, delta=0.3, **_BOUNDED)
        told: dict[int, int] = {}
        for event in events:
            if isinstance(event, ReportAccepted):
                told[event.arm] = event.pulls
            elif isinstance(event, RoundOpened):
                for request in event.requests:
                    if isinstance(request.question.task, Challenge):
                        challenges += 1
                        others = {told[arm] for arm in told if arm != request.arm}
                        assert request.question.until in others
    assert challenges or max(rows) < 5


def test_a_rule_that_counts_pulls_is_not_fed_with_what_is_left() -> None:
    """lil'UCB's own stopping rule is about whom it chose: others must not be pulled instead."""
    words: dict[str, Any] = {"policy": "lil-ucb-count", "quantizer": "exact"}
    words["checkpoints"] = tuple(range(1, 3000))
    result, _ = _run([0.9, 0.1, 0.1], [5, 2000, 2000], sigma=0.5, **words)
    assert result.outcome.value == "data_exhausted"
    assert result.arms[1].pulls < 2000


def test_where_rewards_are_measured_on_demand_nothing_ends() -> None:
    rng = random.Random(3)
    arms: dict[str, Any] = {"live": lambda: float(rng.random() < 0.9), "old": [0.0, 1.0] * 400}
    result = bitarm.identify(arms, bounds=(0, 1), seed=1)
    assert result.best_arm_name == "live"


def test_checkpoints_of_your_own_stay_what_they_are() -> None:
    result, _ = _run([0.5, 0.5], [100, 100], sigma=0.5, policy="se", checkpoints=(8, 64, 512))
    assert {told.pulls for told in result.history} == {8, 64}
    assert result.outcome.value == "data_exhausted"
    assert result.words["checkpoints"] == (8, 64, 512)


def test_ends_close_to_each_other_share_a_checkpoint() -> None:
    rows = [1000 + arm for arm in range(8)]
    result, _ = _run([0.5] * 8, rows, delta=0.001, sigma=0.5, policy="se")
    assert sorted({told.pulls for told in result.history})[-2:] == [512, 1000]
    assert result.words["growth"] == 2.0


def test_of_few_rows_the_last_word_is_not_the_first() -> None:
    """First words are coarse: a best guess by them alone is often not the highest mean."""
    result, _ = _run([0.5, 0.6, 0.55], [20, 20, 20], bounds=(0.0, 1.0))
    assert result.outcome.value == "data_exhausted"
    assert all(arm.messages > 1 and arm.pulls == 20 for arm in result.arms)
