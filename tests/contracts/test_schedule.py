"""The laws of `Schedule`, for every schedule there is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.schedule import (
    MAX_PULLS,
    SCHEDULES,
    GeometricSchedule,
    ListedSchedule,
    LooksSchedule,
    RecordedSchedule,
    Schedule,
    batch,
)

geometric = st.builds(
    GeometricSchedule,
    growth=st.floats(min_value=1.02, max_value=1e4),
    first=st.one_of(st.integers(1, 50), st.integers(1, MAX_PULLS)),
)
listed = st.builds(
    ListedSchedule,
    checkpoints=st.sets(st.integers(1, MAX_PULLS), min_size=1, max_size=30).map(
        lambda points: tuple(sorted(points))
    ),
)
SETTINGS: dict[str, st.SearchStrategy[Schedule]] = {
    "geometric": geometric,
    "listed": listed,
    "looks": st.builds(LooksSchedule),
    "recorded": st.builds(
        RecordedSchedule,
        grid=st.one_of(geometric, listed, st.builds(LooksSchedule)),
        rows=st.lists(st.integers(1, MAX_PULLS), min_size=1, max_size=8).map(tuple),
    ),
}

schedules = pytest.mark.parametrize("name", SETTINGS)


def test_the_suite_covers_every_schedule() -> None:
    assert set(SETTINGS) == set(SCHEDULES)
    assert all(SCHEDULES[name].name == name for name in SCHEDULES)


@schedules
@given(data=st.data())
def test_pull_counts_increase_until_the_end_and_then_there_are_none(
    name: str, data: st.DataObject
) -> None:
    schedule = data.draw(SETTINGS[name])
    assert schedule.name == name
    before, index = 0, 1
    while (t_i := schedule.pulls_at(index)) is not None:
        assert before < t_i <= MAX_PULLS
        assert batch(schedule, index) == t_i - before
        before, index = t_i, index + 1
    assert index > 1
    for past in (index, index + 1, index + 17):
        assert schedule.pulls_at(past) is None
        assert batch(schedule, past) is None


@schedules
@given(data=st.data())
def test_the_index_at_a_checkpoint_is_its_number(name: str, data: st.DataObject) -> None:
    schedule = data.draw(SETTINGS[name])
    index = 1
    while (t_i := schedule.pulls_at(index)) is not None:
        assert schedule.index_at(t_i) == index
        assert schedule.index_at(t_i - 1) == index - 1
        index += 1


@schedules
@given(data=st.data(), pulls=st.integers(0, MAX_PULLS))
def test_the_checkpoint_after_any_pulls_adds_pulls(
    name: str, data: st.DataObject, pulls: int
) -> None:
    schedule = data.draw(SETTINGS[name])
    index = schedule.index_at(pulls)
    after = schedule.pulls_at(index + 1)
    assert after is None or after > pulls
    at = schedule.pulls_at(index) if index else 0
    assert at is not None
    assert at <= pulls
