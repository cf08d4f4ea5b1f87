"""`bitarm runs prune`: asks, forgets what the rule names, and never a run that may be live."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli.program import Command
from dashboard.stores import identify_into, open_run_in


@pytest.fixture
def old_store(store: Path) -> Path:
    """Runs 1 and 2 ended ten days ago, run 3 was cut off then, run 4 ended just now."""
    store.parent.mkdir(parents=True, exist_ok=True)
    for seed in (1, 2):
        identify_into(store, seed=seed)
    open_run_in(store, rounds=2)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE runs SET ended_at = ended_at - 864000 WHERE run < 3")
        connection.execute("UPDATE events SET at = at - 864000")
        connection.commit()
    identify_into(store, seed=4)
    return store


def _runs(store: Path) -> list[int]:
    with closing(sqlite3.connect(store)) as connection:
        return [run for (run,) in connection.execute("SELECT run FROM runs ORDER BY run")]


def test_it_forgets_what_ended_long_ago_and_nothing_that_may_be_live(
    bitarm: Command, old_store: Path
) -> None:
    done = bitarm("runs", "prune", "--older-than", 5, "--yes", "--json")
    assert (done.code, done.out) == (0, '{"pruned": [1, 2]}\n')
    assert _runs(old_store) == [3, 4]
    done = bitarm("runs", "prune", "--keep", 0, "--yes")
    assert done.out == "no run is to be forgotten\n"
    assert bitarm("runs", "prune", "--silent-for", 9, "--yes").out == "1 runs forgotten\n"
    assert _runs(old_store) == [4]


def test_without_yes_it_asks_and_takes_silence_for_no(bitarm: Command, old_store: Path) -> None:
    done = bitarm("runs", "prune", "--keep", 0)
    assert (done.code, done.out) == (2, "")
    assert "run 1: 4 arms, decided, best arm" in done.err
    assert "nothing was forgotten; --yes forgets without asking" in done.err
    assert _runs(old_store) == [1, 2, 3, 4]


def test_a_rule_is_needed(bitarm: Command, old_store: Path) -> None:
    done = bitarm("runs", "prune", "--yes")
    assert done.code == 2
    assert "say which runs to forget" in done.err
    assert len(_runs(old_store)) == 4


def test_a_journal_that_is_not_there_is_not_made(bitarm: Command, store: Path) -> None:
    assert bitarm("runs", "prune", "--keep", 1, "--yes").code == 0
    assert not store.exists()
