"""What a killed writer leaves behind, and what others see while it lives."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bitarm.core.events import CaveatNoted, RunOpened, dump_event
from bitarm.store import SqliteJournal

WRITER = Path(__file__).with_name("endless_writer.py")
Notes = Callable[..., list[CaveatNoted]]


@contextmanager
def endless_writer(path: Path, opened: RunOpened, size: int) -> Iterator["subprocess.Popen[str]"]:
    """A real process; on leaving, it is killed in the middle of whatever it does."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, str(WRITER), str(path), dump_event(opened), str(size)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def texts(journal: SqliteJournal, run: int) -> list[str]:
    events = [entry.event for entry in journal.read(run)]
    assert isinstance(events[0], RunOpened)
    return [event.text for event in events[1:] if isinstance(event, CaveatNoted)]


def whole(transactions: int, size: int) -> list[str]:
    return [f"{number}/{part}" for number in range(1, transactions + 1) for part in range(size)]


@pytest.mark.parametrize(("size", "acknowledged"), [(1, 1), (3, 40), (400, 2), (400, 5)])
def test_kill_9_leaves_exactly_the_committed_transactions(
    path: Path, opened: RunOpened, notes: Notes, size: int, acknowledged: int
) -> None:
    with endless_writer(path, opened, size) as process:
        assert process.stdout is not None
        for number in range(1, acknowledged + 1):
            assert int(process.stdout.readline()) == number
    reader = SqliteJournal.open_read_only(path)
    kept = texts(reader, 1)
    reader.close()
    transactions = len(kept) // size
    assert transactions >= acknowledged
    assert kept == whole(transactions, size)

    heir = SqliteJournal.open(path)
    assert texts(heir, 1) == kept
    heir.append(1, notes("and on"))
    assert texts(heir, 1) == [*kept, "and on"]
    assert heir.runs()[0].entries == len(kept) + 2
    heir.close()


def test_a_reader_sees_only_whole_transactions_while_a_run_goes_on(
    path: Path, opened: RunOpened
) -> None:
    size = 50
    looks: list[int] = []
    with endless_writer(path, opened, size) as process:
        assert process.stdout is not None
        process.stdout.readline()
        reader = SqliteJournal.open_read_only(path)
        while len(looks) < 100 and (not looks or looks[-1] < 20):
            kept = texts(reader, 1)
            assert kept == whole(len(kept) // size, size)
            entries = reader.runs()[0].entries - 1
            assert entries % size == 0
            assert entries >= len(kept)
            looks.append(len(kept) // size)
        reader.close()
    assert looks == sorted(looks)
    assert looks[0] < looks[-1]
