"""Whoever waits says so: soon, then less and less often."""

import math

from bitarm.runtime.patience import Patience


def _told(patience: Patience, until: int) -> list[float]:
    told = [patience.waited(float(now)) for now in range(until)]
    return [seconds for seconds in told if seconds is not None]


def test_the_first_line_comes_after_a_few_seconds_and_the_others_at_growing_intervals() -> None:
    assert _told(Patience(), 400) == [5, 15, 35, 75, 155, 315]


def test_the_intervals_stop_growing() -> None:
    told = _told(Patience(), 10_000)
    assert told[-1] - told[-2] == 600


def test_a_wait_that_is_over_begins_anew() -> None:
    patience = Patience(2.0)
    assert patience.waited(100.0) is None
    assert patience.due_at == 102.0
    patience.over()
    assert math.isinf(patience.due_at)
    assert patience.waited(500.0) is None
    assert patience.waited(502.0) == 2.0


def test_a_clock_that_stood_still_for_hours_brings_one_line() -> None:
    patience = Patience()
    patience.waited(0.0)
    assert patience.waited(36_000.0) == 36_000.0
    assert patience.waited(36_001.0) is None
