"""What is known of a run without an answer: a guess, a claim on those that fell, an estimate."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

import bitarm
from bitarm.core.events import (
    CaveatNoted,
    EpochBegan,
    LearnerEvent,
    PositionTold,
    ReportAccepted,
    RoundOpened,
)
from bitarm.core.outcome import Outcome
from bitarm.core.outlook import outlook_of, sufficient_epsilon
from bitarm.core.result import RunResult, result_of
from bitarm.core.standings import Standings

_MEANS = (0.2, 0.52, 0.5, 0.1)


def _run(means: Sequence[float] = _MEANS, **words: object) -> tuple[RunResult, list[LearnerEvent]]:
    """A run on coins whose flips depend on their place alone."""
    events: list[LearnerEvent] = []
    rngs = [random.Random(f"{seed} {mean}") for seed, mean in enumerate(means)]

    def coin(rng: random.Random, mean: float) -> Callable[[], float]:
        return lambda: float(rng.random() < mean)

    arms = {f"arm-{n}": coin(rngs[n], mean) for n, mean in enumerate(means)}
    given = {"bounds": (0, 1), "policy": "se", "quantizer": "exact", **words}
    result = bitarm.identify(arms, seed=1, watch=events.extend, **given)  # type: ignore[arg-type]
    return result, events


def test_a_limit_leaves_a_leader_and_those_that_fell() -> None:
    result, events = _run(max_samples=3000)
    assert result.outcome is Outcome.SAMPLE_LIMIT
    assert (result.best_arm, result.guarantee) == (None, None)
    contenders = {arm.name: arm.mean for arm in result.arms if arm.dropped_in is None}
    highest, next_highest = sorted(contenders, key=lambda name: contenders[name] or 0)[::-1][:2]
    assert (result.leader_name, result.runner_up_name) == (highest, next_highest)
    assert result.arms[result.leader or 0].name == highest
    assert result.lead == (contenders[highest] or 0) - (contenders[next_highest] or 0)
    assert result.excluded == tuple(arm.name for arm in result.arms if arm.name not in contenders)
    assert result.excluded
    assert result.excluded_guarantee == 0.05
    assert result.excluded_reason.startswith("wrong with probability at most 0.05, if rewards")
    assert outlook_of(Standings.of(events)).excluded == (0, 3)


@pytest.mark.parametrize("scheme", [{}, {"policy": "challenge", "quantizer": "dyadic"}])
def test_no_arm_falls_by_a_tolerance_and_so_none_is_in_that_claim(scheme: dict[str, str]) -> None:
    """An arm that fell may be less than ε below the best: it is not claimed to be more."""
    words = {"sigma": 0.5, "epsilon": 0.01, "max_samples": 3000, **scheme}
    result, _ = _run((0.05, 0.5, 0.5), **words)
    assert result.epsilon == 0.01
    assert result.excluded == ("arm-0",)
    assert result.excluded_reason.startswith("wrong with probability at most 0.05, if rewards")
    assert result.excluded_guarantee == 0.05


def test_an_answer_needs_no_guess() -> None:
    result, _ = _run((0.1, 0.9))
    assert result.best_arm == 1
    assert (result.leader, result.leader_name, result.lead, result.to_decide) == (None,) * 4
    assert (result.excluded, result.excluded_guarantee) == (("arm-0",), 0.05)


def test_what_voids_an_answer_voids_what_is_excluded() -> None:
    _, events = _run(max_samples=3000)
    caveat = CaveatNoted(text="rewards were clipped")
    result = result_of(Standings.of([events[0], caveat, *events[1:]]))
    assert result.excluded
    assert result.excluded_guarantee is None
    assert result.excluded_reason == "rewards were clipped"


@pytest.mark.parametrize(("restores", "spent"), [(0, 1), (1, 3), (2, 9)])
def test_a_lost_past_is_paid_for_by_what_is_excluded_as_by_an_answer(
    restores: int, spent: int
) -> None:
    _, events = _run(max_samples=3000, policy="challenge", quantizer="dyadic")
    for epoch in range(2, 2 + restores):
        told = PositionTold(round=9, arm=1, pulls=3000)
        events += [EpochBegan(epoch=epoch), told, replace(told, arm=2)]
    exclusion = outlook_of(Standings.of(events)).exclusion
    assert exclusion.delta == pytest.approx(0.05 * spent)
    assert ("an older journal was resumed from" in exclusion.reason) is (restores > 0)


def test_a_width_without_a_proof_excludes_nothing_for_sure() -> None:
    result, _ = _run(max_samples=3000, policy="lil-ucb-count", width="lil")
    assert (result.excluded, result.excluded_guarantee) == ((), None)
    assert result.excluded_reason == "no arm has fallen"


def test_arms_that_a_budget_dropped_are_not_excluded_for_sure() -> None:
    result, _ = _run(policy="sequential-halving", pull_budget=200)
    assert result.outcome is Outcome.BUDGET_SPENT
    assert len(result.excluded) == 3
    assert result.excluded_guarantee is None
    assert "proves nothing" in result.excluded_reason


@pytest.mark.parametrize("scheme", [{}, {"policy": "challenge", "quantizer": "dyadic"}])
def test_the_cost_of_deciding_is_of_the_right_size(scheme: dict[str, str]) -> None:
    """On the same rewards, against a run without the limit: within a factor of 5 either way."""
    means = (0.3, 0.55, 0.45)
    part, _ = _run(means, max_samples=900, **scheme)
    whole, _ = _run(means, **scheme)
    assert whole.best_arm == 1
    assert part.to_decide is not None
    assert 0.2 < part.to_decide.samples / (whole.samples - part.samples) < 5
    assert "square root" in part.to_decide.rule


def test_equal_arms_have_no_cost_of_deciding() -> None:
    _, events = _run(max_samples=500)
    level = [
        replace(event, mean=0.5) if isinstance(event, ReportAccepted) else event for event in events
    ]
    outlook = outlook_of(Standings.of(level))
    assert outlook.lead == 0.0
    assert outlook.to_decide is None


def test_before_the_first_report_nothing_is_known() -> None:
    _, events = _run(max_samples=500)
    outlook = outlook_of(Standings.of(events[:2]))
    assert (outlook.leader, outlook.runner_up, outlook.lead, outlook.to_decide) == (None,) * 4
    assert sufficient_epsilon(Standings.of(events[:2])) is None


@pytest.mark.parametrize("quantizer", ["exact", "icq", "dicq"])
@pytest.mark.parametrize("samples", [1000, 3000, 20_000])
def test_with_the_sufficient_tolerance_the_run_ends_by_now(samples: int, quantizer: str) -> None:
    part, events = _run((0.52, 0.5, 0.51), max_samples=samples, quantizer=quantizer)
    assert part.best_arm is None
    needed = sufficient_epsilon(Standings.of(events))
    assert needed is not None
    ended, _ = _run((0.52, 0.5, 0.51), quantizer=quantizer, epsilon=needed * (1 + 1e-9))
    assert ended.outcome is Outcome.DECIDED
    assert ended.rounds <= part.rounds
    if ended.rounds == part.rounds:
        assert ended.best_arm == part.leader
    less, _ = _run(
        (0.52, 0.5, 0.51), quantizer=quantizer, epsilon=needed * 0.99, max_samples=samples
    )
    assert less.outcome is Outcome.SAMPLE_LIMIT


def test_no_tolerance_is_sufficient_while_a_round_is_open() -> None:
    """Half of the arms have told more than the others: such radii are not compared."""
    _, events = _run((0.52, 0.5, 0.51), max_samples=1000)
    opened = max(at for at, event in enumerate(events) if isinstance(event, RoundOpened))
    assert sufficient_epsilon(Standings.of(events[:opened])) is not None
    assert isinstance(events[opened + 1], ReportAccepted)
    assert sufficient_epsilon(Standings.of(events[: opened + 2])) is None


def test_no_tolerance_is_named_where_the_policy_knows_none() -> None:
    for words in ({"policy": "challenge", "quantizer": "dyadic"}, {"policy": "lucb"}):
        _, events = _run((0.52, 0.5), max_samples=2000, **words)
        assert sufficient_epsilon(Standings.of(events)) is None
