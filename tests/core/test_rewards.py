"""Rewards on their way in: what passes, what is clipped and counted, what is refused."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.bounds import Bounds
from bitarm.core.rewards import Batch, collect, pull_from
from bitarm.errors import NoMoreRewardsError, RefusedRewardError, RewardError

_UNIT: Bounds = (0.0, 1.0)
_NOT_FINITE = [math.nan, math.inf, -math.inf]


@pytest.mark.parametrize(
    ("rewards", "bounds", "expected"),
    [
        ([], None, 0.0),
        ([], _UNIT, 0.0),
        ([0.25, 0.5], _UNIT, 0.75),
        ([0.0, 1.0], _UNIT, 1.0),
        ((-5.0, 7.5), None, 2.5),
        ([0.1] * 10, None, 1.0),
        ([1e16, 1.0, -1e16], None, 1.0),
    ],
)
@pytest.mark.parametrize("clip", [False, True])
def test_rewards_that_pass_are_added_up_exactly_rounded(
    rewards: list[float], bounds: Bounds | None, expected: float, *, clip: bool
) -> None:
    assert collect(rewards, bounds, clip=clip) == Batch(
        rewards=list(rewards), total=expected, clipped=0
    )


@given(rewards=st.lists(st.floats(-1e6, 1e6)))
def test_a_sum_is_the_float_nearest_to_the_true_sum(rewards: list[float]) -> None:
    batch = collect(rewards, None, clip=False)
    assert batch.total == float(sum(map(Fraction, rewards)))
    assert batch.count == len(rewards)


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("bounds", [None, _UNIT])
@pytest.mark.parametrize("bad", _NOT_FINITE)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_reward_that_is_not_finite_is_refused_wherever_it_stands(
    bad: float, bounds: Bounds | None, at: int, *, clip: bool
) -> None:
    rewards = [0.5, 0.25]
    rewards.insert(at, bad)
    with pytest.raises(RewardError, match=f"must be a finite number, got {bad}"):
        collect(rewards, bounds, clip=clip)


@pytest.mark.parametrize("clip", [False, True])
def test_opposite_infinities_do_not_cancel(*, clip: bool) -> None:
    with pytest.raises(RewardError, match="must be a finite number"):
        collect([math.inf, -math.inf], None, clip=clip)


@pytest.mark.parametrize("reward", [1.5, -0.5, math.nextafter(1.0, 2.0), -5e-324, 1e308])
def test_a_reward_outside_the_bounds_is_refused_and_named(reward: float) -> None:
    outside = re.escape(f"a reward of {reward} lies outside the bounds [0.0, 1.0]")
    with pytest.raises(RewardError, match=outside):
        collect([0.5, reward, 0.5], _UNIT, clip=False)


@pytest.mark.parametrize(
    ("rewards", "bounds", "expected"),
    [
        (
            [0.5, 1.5, -0.25, 0.75],
            _UNIT,
            Batch(rewards=[0.5, 1.0, 0.0, 0.75], total=2.25, clipped=2),
        ),
        ([2.0, 2.0], _UNIT, Batch(rewards=[1.0, 1.0], total=2.0, clipped=2)),
        ([1e308, 1e308], _UNIT, Batch(rewards=[1.0, 1.0], total=2.0, clipped=2)),
        ([-9.0, 0.0], (-1.0, 3.0), Batch(rewards=[-1.0, 0.0], total=-1.0, clipped=1)),
        ([0.5], _UNIT, Batch(rewards=[0.5], total=0.5, clipped=0)),
    ],
)
def test_a_reward_outside_the_bounds_is_clipped_and_counted_on_request(
    rewards: list[float], bounds: Bounds, expected: Batch
) -> None:
    assert collect(rewards, bounds, clip=True) == expected


@given(rewards=st.lists(st.floats(-3, 3), min_size=1))
def test_clipping_counts_what_was_outside_and_leaves_the_rest(rewards: list[float]) -> None:
    batch = collect(rewards, _UNIT, clip=True)
    assert batch.clipped == sum(not 0 <= reward <= 1 for reward in rewards)
    assert batch.total == math.fsum(min(max(reward, 0.0), 1.0) for reward in rewards)
    assert 0 <= batch.total <= batch.count


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("rewards", [[1e308] * 2, [-1e308] * 3, [1.7e308, 1e308, 1.0]])
def test_a_sum_that_a_float_cannot_hold_is_refused(rewards: list[float], *, clip: bool) -> None:
    with pytest.raises(RewardError, match="more than a float can hold"):
        collect(rewards, None, clip=clip)


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("bounds", [None, _UNIT])
def test_an_integer_that_no_float_can_hold_is_refused(bounds: Bounds | None, *, clip: bool) -> None:
    with pytest.raises(RewardError):
        collect([0.5, 10**400], bounds, clip=clip)


@pytest.mark.parametrize("reward", ["x", None, [0.5], 1j])
def test_what_is_no_number_is_refused(reward: Any) -> None:
    with pytest.raises(RefusedRewardError, match="a reward must be a number: "):
        collect([0.5, reward], None, clip=False)


@dataclass
class _Source:
    """A source that somebody wrote: it gives this, whatever it is asked for, or raises it."""

    given: Any

    def pull(self, count: int) -> Sequence[float]:
        if isinstance(self.given, BaseException):
            raise self.given
        result: Sequence[float] = self.given
        return result


def test_what_a_source_gives_is_passed_on() -> None:
    assert pull_from(_Source((0.5, 0.25)), 2) == (0.5, 0.25)
    for own in (NoMoreRewardsError("no more"), RefusedRewardError("no number")):
        with pytest.raises(type(own), match=str(own)):
            pull_from(_Source(own), 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (OSError("no antenna"), "its source raised OSError: no antenna"),
        (None, "its source raised TypeError: object of type 'NoneType' has no len"),
        ([0.5], "2 rewards were asked for, the source gave 1"),
        ([0.5] * 3, "2 rewards were asked for, the source gave 3"),
    ],
)
def test_whatever_else_a_source_does_is_its_own_fault(given: Any, said: str) -> None:
    with pytest.raises(RewardError, match=said):
        pull_from(_Source(given), 2)


def test_the_rewards_themselves_are_left_alone() -> None:
    rewards = [0.5, 1.5]
    collect(rewards, _UNIT, clip=True)
    assert rewards == [0.5, 1.5]
