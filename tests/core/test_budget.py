"""The phases of a fixed budget: their laws, the published counts, and what is done in each."""

import math
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.budget import spend
from bitarm.core.confidence import ArmView
from bitarm.core.outcome import Outcome
from bitarm.core.phases import Phase, messages, pulls
from bitarm.core.policies import SequentialHalving, SuccessiveRejects
from bitarm.core.policy import Advance, Drop, Stop
from bitarm.errors import ConfigError

_KINDS = (SequentialHalving, SuccessiveRejects)
every_kind = pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: str(kind.name))


def _least(kind: type[SequentialHalving | SuccessiveRejects], arms: int) -> int:
    return arms * math.ceil(math.log2(arms)) if kind is SequentialHalving else arms


@every_kind
@given(arms=st.integers(2, 300), above=st.integers(0, 40) | st.integers(0, 10**9))
def test_the_laws_of_phases(
    kind: type[SequentialHalving | SuccessiveRejects], arms: int, above: int
) -> None:
    budget = _least(kind, arms) + above
    phases = kind(pull_budget=budget).phases(arms)
    assert phases[0].arms == arms
    for one, other in pairwise(phases):
        assert one.arms > other.arms >= 2
        assert one.until < other.until
    assert budget - 1 <= pulls(phases) <= budget  # less than one more pull of the last two needs
    assert messages(phases) == sum(phase.arms for phase in phases)


@every_kind
@pytest.mark.parametrize("arms", [2, 3, 8, 9])
def test_a_budget_that_is_too_small_is_refused_with_the_least_that_would_do(
    kind: type[SequentialHalving | SuccessiveRejects], arms: int
) -> None:
    least = _least(kind, arms)
    kind(pull_budget=least).phases(arms)
    wanted = f"pull_budget must be at least {least} for {kind.name} with {arms} arms, got"
    with pytest.raises(ConfigError, match=f"{re.escape(wanted)} {least - 1}$"):
        kind(pull_budget=least - 1).phases(arms)


@every_kind
def test_a_budget_beyond_every_schedule_is_refused(
    kind: type[SequentialHalving | SuccessiveRejects],
) -> None:
    with pytest.raises(ConfigError, match="pull_budget must be at most 1,000,000,000,000"):
        kind(pull_budget=10**12 + 1).phases(2)


@pytest.mark.parametrize(("arms", "budget"), [(8, 240), (16, 640), (2, 10), (4, 16)])
def test_halving_is_as_published_where_nothing_is_rounded(arms: int, budget: int) -> None:
    rounds = int(math.log2(arms))
    each = [budget // ((arms >> r) * rounds) for r in range(rounds)]
    expected = [Phase(arms=arms >> r, until=sum(each[: r + 1])) for r in range(rounds)]
    assert SequentialHalving(pull_budget=budget).phases(arms) == tuple(expected)


@pytest.mark.parametrize(("arms", "budget"), [(5, 1000), (20, 4000), (20, 2000), (8, 60)])
def test_rejects_are_as_published_up_to_the_last_phase(arms: int, budget: int) -> None:
    log = 1 / 2 + sum(1 / i for i in range(2, arms + 1))
    n = [math.ceil((budget - arms) / (log * (arms + 1 - k))) for k in range(1, arms)]
    first_of = {until: arms - k for k, until in reversed(list(enumerate(n)))}
    published = [Phase(arms=active, until=until) for until, active in sorted(first_of.items())]
    phases = SuccessiveRejects(pull_budget=budget).phases(arms)
    assert list(phases[:-1]) == published[: len(phases) - 1]
    assert phases[-1].until >= n[-1]


# -- what is done in a phase ----------------------------------------------------------------------

_PHASES = (Phase(arms=4, until=5), Phase(arms=2, until=11))


def _views(pulls: int, *means: float) -> list[ArmView]:
    heard = 1 if pulls else 0
    return [
        ArmView(arm=arm, mean=mean, pulls=pulls, messages=heard, index=heard, error=0.0)
        for arm, mean in enumerate(means)
        if not math.isnan(mean)
    ]


def test_all_arms_begin_together() -> None:
    actions = spend(_PHASES, _views(0, 0.0, 0.0, 0.0, 0.0))
    assert actions == tuple(Advance(arm=arm, until=5) for arm in range(4))


def test_the_highest_go_on_and_the_others_fall_for_the_leader() -> None:
    assert spend(_PHASES, _views(5, 0.1, 0.4, 0.3, 0.2)) == (
        Drop(arm=0, because=1),
        Drop(arm=3, because=1),
        Advance(arm=1, until=11),
        Advance(arm=2, until=11),
    )


def test_of_arms_that_tie_the_lowest_goes_on() -> None:
    actions = spend(_PHASES, _views(5, 0.3, 0.5, 0.3, 0.3))
    assert [action.arm for action in actions if isinstance(action, Advance)] == [0, 1]


def test_at_the_end_the_leader_is_the_answer() -> None:
    assert spend(_PHASES, _views(11, math.nan, 0.4, 0.7)) == (
        Drop(arm=1, because=2),
        Stop(outcome=Outcome.BUDGET_SPENT, best_arm=2),
    )


def test_a_lost_arm_leaves_its_room_to_the_others() -> None:
    assert spend(_PHASES, _views(5, 0.1, math.nan, math.nan, 0.2)) == (
        Advance(arm=0, until=11),
        Advance(arm=3, until=11),
    )
