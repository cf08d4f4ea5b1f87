"""Which runs are forgotten, and that nothing else is."""

import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bitarm.core.events import CaveatNoted, RunOpened
from bitarm.core.journal import RunSummary
from bitarm.errors import ConfigError, StoreError
from bitarm.store import SqliteJournal
from bitarm.store.pruning import Pruning, prunable

Open = Callable[..., SqliteJournal]
Notes = Callable[..., list[CaveatNoted]]
DAY = 86_400.0
NOW = 1_000 * DAY


def _run(number: int, ended_days_ago: float | None) -> RunSummary:
    ended_at = None if ended_days_ago is None else NOW - ended_days_ago * DAY
    return RunSummary(
        run=number,
        fingerprint=number,
        arms=2,
        opened_at=NOW - 500 * DAY,
        ended_at=ended_at,
        outcome=None if ended_at is None else "decided",
        best_arm=None,
        entries=3,
    )


# The newest first: 6 just ended, 5 and 2 have no end.
RUNS = [_run(6, 0.01), _run(5, None), _run(4, 1), _run(3, 10), _run(2, None), _run(1, 100)]
SILENCE = {5: 0.5, 2: 40.0}


def _pruned(rule: Pruning) -> list[int]:
    found = prunable(
        rule,
        RUNS,
        now=NOW,
        sizes=dict.fromkeys(range(1, 7), 1_000),
        last_at=lambda run: NOW - SILENCE[run] * DAY,
    )
    return [run.run for run in found]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Pruning(older_than=30 * DAY), [1]),
        (Pruning(older_than=5 * DAY), [1, 3]),
        (Pruning(older_than=0), [1, 3, 4]),  # 6 ended within the hour
        (Pruning(newest=2), [1, 3]),
        (Pruning(newest=0), [1, 3, 4]),
        (Pruning(most_bytes=3_500), [1]),
        (Pruning(most_bytes=0), [1, 3, 4]),
        (Pruning(newest=3, most_bytes=2_000), [1, 3]),
        (Pruning(silent_for=30 * DAY), [2]),
        (Pruning(silent_for=0), [2, 5]),
        (Pruning(older_than=30 * DAY, silent_for=30 * DAY), [1, 2]),
    ],
)
def test_what_a_rule_names(rule: Pruning, expected: list[int]) -> None:
    assert _pruned(rule) == expected


@pytest.mark.parametrize("rule", [{}, {"newest": -1}, {"older_than": math.nan}])
def test_rules_that_say_nothing_are_refused(rule: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        Pruning(**rule)


def test_a_run_is_forgotten_and_its_number_not_used_again(
    open_journal: Open, opened: RunOpened, notes: Notes
) -> None:
    journal = open_journal()
    for text in "abc":
        journal.append(journal.open_run(opened), notes(text, text))
    _, second, _ = journal.runs()
    assert journal.sizes().keys() == {1, 2, 3}
    journal.delete(second)
    assert [run.run for run in journal.runs()] == [3, 1]
    assert journal.sizes().keys() == {1, 3}
    assert len(list(journal.read(3))) == 3
    with pytest.raises(StoreError, match="has no run 2"):
        journal.read(2)
    assert journal.open_run(opened) == 4


def test_a_run_that_goes_on_meanwhile_is_left(
    open_journal: Open, opened: RunOpened, notes: Notes
) -> None:
    journal = open_journal()
    run = journal.open_run(opened)
    (seen,) = journal.runs()
    journal.append(run, notes("a"))
    with pytest.raises(StoreError, match="has changed since it was looked at"):
        journal.delete(seen)
    assert len(list(journal.read(run))) == 2
    with pytest.raises(StoreError, match="has no run 9"):
        journal.delete(replace(seen, run=9))


def test_when_something_happened_last(path: Path, opened: RunOpened, notes: Notes) -> None:
    ticks = iter([5.0, 8.0])
    journal = SqliteJournal.open(path, clock=lambda: next(ticks))
    run = journal.open_run(opened)
    assert journal.last_at(run) == 5.0
    journal.append(run, notes("a"))
    assert journal.last_at(run) == 8.0
    journal.close()


def test_when_something_happened_is_told_of_events_that_nobody_can_read(
    path: Path, opened: RunOpened, notes: Notes
) -> None:
    ticks = iter([5.0, 8.0])
    journal = SqliteJournal.open(path, clock=lambda: next(ticks))
    run = journal.open_run(opened)
    journal.append(run, notes("a"))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE events SET body = 'of a later version' WHERE sequence = 2")
    assert journal.last_at(run) == 8.0
    journal.close()


def test_to_ask_when_something_happened_is_not_to_have_read_the_run(
    open_journal: Open, opened: RunOpened, notes: Notes
) -> None:
    run = open_journal().open_run(opened)
    other = open_journal()
    other.last_at(run)
    with pytest.raises(StoreError, match="never read here"):
        other.append(run, notes("a"))
