"""From version 1 to today, shown on a file that version 1 wrote."""

import hashlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bitarm.core.events import RunEnded
from bitarm.core.journal import RunSummary
from bitarm.core.learner_state import LearnerPhase
from bitarm.core.policy import Outcome
from bitarm.core.replay import replay
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal
from bitarm.store.migrations import VERSION

Open = Callable[..., SqliteJournal]
GOLDEN = Path(__file__).parents[1] / "golden" / "journal_v1.sqlite"
START = 1_750_000_000.25


@pytest.fixture
def golden(path: Path) -> Iterator[Path]:
    """A copy; the original must stay as it is."""
    before = hashlib.sha256(GOLDEN.read_bytes()).digest()
    shutil.copyfile(GOLDEN, path)
    yield path
    assert hashlib.sha256(GOLDEN.read_bytes()).digest() == before
    assert sorted(file.name for file in GOLDEN.parent.glob("journal_v1.sqlite*")) == [GOLDEN.name]


def dump(path: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


def change(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement, values)
    connection.commit()
    connection.close()


def test_the_golden_file_is_of_version_1() -> None:
    head = GOLDEN.read_bytes()[:100]
    assert head[60:64] == (1).to_bytes(4)
    assert head[68:72] == b"BArm"


def test_the_summaries_are_filled_from_the_events(golden: Path, open_journal: Open) -> None:
    cut_off, round_limit, decided = open_journal().runs()
    assert decided == RunSummary(
        run=1,
        fingerprint=2222607276,
        arms=3,
        opened_at=START,
        ended_at=START + 13,
        outcome="decided",
        best_arm="möwe",
        entries=23,
    )
    assert round_limit == RunSummary(
        run=2,
        fingerprint=1289527274,
        arms=3,
        opened_at=START + 15,
        ended_at=START + 22,
        outcome="round_limit",
        best_arm=None,
        entries=11,
    )
    assert cut_off == RunSummary(
        run=3,
        fingerprint=1289666522,
        arms=3,
        opened_at=START + 23,
        ended_at=None,
        outcome=None,
        best_arm=None,
        entries=7,
    )


def test_no_event_is_changed(golden: Path, open_journal: Open) -> None:
    before = dump(golden, "SELECT * FROM events ORDER BY run, sequence")
    open_journal()
    assert dump(golden, "SELECT * FROM events ORDER BY run, sequence") == before
    assert len(before) == 23 + 11 + 7


@pytest.mark.parametrize(
    ("run", "outcome", "rounds", "samples", "payload_bits"),
    [(1, Outcome.DECIDED, 5, 72, 42), (2, Outcome.ROUND_LIMIT, 2, 12, 44)],
)
def test_replay_gives_the_ending_that_was_kept(
    golden: Path,
    open_journal: Open,
    run: int,
    outcome: Outcome,
    rounds: int,
    samples: int,
    payload_bits: int,
) -> None:
    events = [entry.event for entry in open_journal().read(run)]
    (kept,) = (event for event in events if isinstance(event, RunEnded))
    ending = replay(events).ending
    assert ending == kept
    assert (ending.outcome, ending.rounds, ending.samples) == (outcome, rounds, samples)
    assert ending.payload_bits == payload_bits


def test_the_run_that_was_cut_off_can_go_on(golden: Path, open_journal: Open) -> None:
    journal = open_journal()
    learner = replay(entry.event for entry in journal.read(3))
    assert learner.phase is LearnerPhase.RUNNING
    assert [(request.arm, request.until) for request in learner.pending] == [(1, 4), (2, 4)]
    journal.append(3, learner.interrupt().events)
    assert journal.runs()[0].outcome == "interrupted"


def test_a_new_file_has_the_same_schema_as_a_migrated_one(
    golden: Path, open_journal: Open, tmp_path: Path
) -> None:
    open_journal()
    new = tmp_path / "new.sqlite"
    SqliteJournal.open(new).close()
    schema = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
    columns = [f"PRAGMA table_info({table})" for table in ("runs", "events")]
    for query in (schema, *columns, "PRAGMA user_version", "PRAGMA application_id"):
        assert dump(new, query) == dump(golden, query)
    assert dump(new, "PRAGMA user_version") == [(VERSION,)] == [(2,)]


def test_a_migration_happens_once(golden: Path, open_journal: Open) -> None:
    open_journal().close()
    before = dump(golden, "SELECT * FROM runs")
    open_journal().close()
    assert dump(golden, "SELECT * FROM runs") == before


def test_a_reader_does_not_migrate(golden: Path, open_journal: Open) -> None:
    before = golden.read_bytes()
    with pytest.raises(StoreError, match=r"version 1 .* need 2: open it once for writing"):
        open_journal(read_only=True)
    assert golden.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        (
            'UPDATE events SET body = \'{"name":"run_opened"\' WHERE run = 2 AND sequence = 1',
            "run 2",
        ),
        (
            'UPDATE events SET body = \'{"name":"run_opened"}\' WHERE run = 2 AND sequence = 1',
            "spec",
        ),
        (
            'UPDATE events SET body = \'["name","run_opened"]\' WHERE run = 2 AND sequence = 1',
            "run 2",
        ),
        ("DELETE FROM events WHERE run = 2 AND sequence = 4", "an entry is missing"),
        ("DELETE FROM events WHERE run = 2", "an entry is missing"),
    ],
)
def test_a_migration_that_fails_changes_nothing(
    golden: Path, open_journal: Open, statement: str, why: str
) -> None:
    change(golden, statement)
    query = "SELECT * FROM runs"
    before = dump(golden, query)
    with pytest.raises(StoreError, match="run 2 cannot be migrated") as caught:
        open_journal()
    assert str(golden) in str(caught.value)
    assert why in str(caught.value)
    assert dump(golden, query) == before
    assert dump(golden, "PRAGMA user_version") == [(1,)]


def test_a_newer_version_is_refused_by_both_numbers(path: Path, open_journal: Open) -> None:
    open_journal().close()
    change(path, "PRAGMA user_version = 3")
    for read_only in (False, True):
        with pytest.raises(StoreError, match=r"has version 3 .* up to 2.* upgrade"):
            open_journal(read_only=read_only)
    assert dump(path, "PRAGMA user_version") == [(3,)]
