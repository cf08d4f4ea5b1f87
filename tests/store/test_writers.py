"""Several writers: to different runs in turn, to one run not at all."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bitarm.core.events import CaveatNoted, RunOpened, dump_event
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal

Notes = Callable[..., list[CaveatNoted]]
Open = Callable[..., SqliteJournal]


def texts(journal: SqliteJournal, run: int) -> list[str]:
    return [e.event.text for e in journal.read(run) if isinstance(e.event, CaveatNoted)]


def test_a_second_writer_that_never_read_the_run_is_refused(
    open_journal: Open, opened: RunOpened, notes: Notes
) -> None:
    first, second = open_journal(), open_journal()
    run = first.open_run(opened)
    first.append(run, notes("a"))
    with pytest.raises(StoreError, match="has 2 entries, this writer knows 0"):
        second.append(run, notes("x"))
    first.append(run, notes("b"))
    assert texts(second, run) == ["a", "b"]


def test_whoever_read_to_the_end_goes_on_and_the_other_is_refused(
    open_journal: Open, opened: RunOpened, notes: Notes
) -> None:
    first, second = open_journal(), open_journal()
    run = first.open_run(opened)
    assert texts(second, run) == []
    second.append(run, notes("x"))
    assert texts(first, run) == ["x"]  # a look is not enough for one who was writing
    with pytest.raises(StoreError, match="another process wrote to the run"):
        first.append(run, notes("a"))
    assert texts(first, run) == ["x"]
    first.append(run, notes("b"))
    with pytest.raises(StoreError, match="has 3 entries, this writer knows 2"):
        second.append(run, notes("y"))
    assert texts(second, run) == ["x", "b"]


def test_reading_only_the_beginning_is_not_enough(
    open_journal: Open, opened: RunOpened, notes: Notes
) -> None:
    first, second = open_journal(), open_journal()
    run = first.open_run(opened)
    first.append(run, notes("a", "b"))
    next(second.read(run))
    with pytest.raises(StoreError, match="knows 1"):
        second.append(run, notes("x"))
    assert [entry.sequence for entry in second.read(run, after=1)] == [2, 3]
    second.append(run, notes("c"))
    assert texts(second, run) == ["a", "b", "c"]


def test_threads_share_one_journal(open_journal: Open, opened: RunOpened, notes: Notes) -> None:
    journal = open_journal()
    run = journal.open_run(opened)
    with ThreadPoolExecutor(8) as pool:
        done = [pool.submit(journal.append, run, notes(f"{n}a", f"{n}b")) for n in range(40)]
        seen = [pool.submit(texts, journal, run) for _ in range(40)]
    assert [future.result() for future in done] == [None] * 40
    assert all(len(future.result()) % 2 == 0 for future in seen)
    kept = texts(journal, run)
    assert sorted(kept[::2]) == sorted(f"{n}a" for n in range(40))
    assert [text[:-1] for text in kept[::2]] == [text[:-1] for text in kept[1::2]]


PROCESS = """
import sys, time
from pathlib import Path
from bitarm.core.events import CaveatNoted, load_event
from bitarm.store import SqliteJournal
path, go, opening = sys.argv[1:]
print(flush=True)
while not Path(go).exists():
    time.sleep(0.001)
journal = SqliteJournal.open(path)
run = journal.open_run(load_event(opening))
for number in range(20):
    journal.append(run, [CaveatNoted(text=f"{run}/{number}")])
journal.close()
"""


def test_processes_create_one_file_and_write_to_their_own_runs(
    path: Path, tmp_path: Path, open_journal: Open, opened: RunOpened
) -> None:
    go = tmp_path / "go"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(path), str(go), dump_event(opened)],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for _ in range(5)
    ]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    go.touch()
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0] * 5
    journal = open_journal(read_only=True)
    assert [run.run for run in journal.runs()] == [5, 4, 3, 2, 1]
    for run in range(1, 6):
        assert texts(journal, run) == [f"{run}/{number}" for number in range(20)]
