"""The laws of `Schedule`, for every schedule there is."""

import sys
from collections.abc import Callable, Iterator
from threading import Barrier, Thread

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
        before, index = t_i, index + 1
    assert index > 1
    for past in (index, index + 1, index + 17):
        assert schedule.pulls_at(past) is None


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


@pytest.fixture
def _impatient_threads() -> Iterator[None]:
    """Threads that give way to each other at nearly every step."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_impatient_threads")
@pytest.mark.parametrize("make", [lambda: GeometricSchedule(growth=1.05, first=2), LooksSchedule])
def test_threads_that_share_a_schedule_have_the_grid_of_one_that_is_alone(
    make: Callable[[], Schedule],
) -> None:
    alone, seen = make(), set[tuple[int, ...]]()
    farthest = 10**6
    expected = tuple(alone.pulls_at(index) or 0 for index in range(1, alone.index_at(farthest) + 1))
    for _ in range(50):
        shared, start = make(), Barrier(4)

        def ask(shared: Schedule = shared, start: Barrier = start) -> None:
            start.wait()
            count = shared.index_at(farthest)
            seen.add(tuple(shared.pulls_at(index) or 0 for index in range(1, count + 1)))

        threads = [Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert seen == {expected}
