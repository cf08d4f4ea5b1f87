"""A store in every state: what cannot be read is said, and read as soon as it can be."""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import pytest
from dashboard.conftest import client_of
from dashboard.stores import SlowRun, identify_into

from bitarm.dashboard.library import Library, UnknownEntryError
from bitarm.errors import StoreError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


@pytest.fixture
def library(path: Path) -> Iterator[Library]:
    it = Library(path)
    yield it
    it.close()


def _reason(path: Path) -> str:
    """Why the store cannot be shown, by the API; every route gives the same answer."""
    with client_of(path) as client:
        store = client.get("/api/v1/store").json()
        runs = client.get("/api/v1/runs")
        assert not store["ready"]
        assert (runs.status_code, runs.json()) == (503, {"error": store["reason"]})
        reason: str = store["reason"]
        return reason


def test_a_missing_store(path: Path) -> None:
    assert f"there is no journal at {path}" in _reason(path)


def test_an_empty_file(path: Path) -> None:
    path.touch()
    assert "is empty, it holds no journal yet" in _reason(path)


def test_a_folder(path: Path) -> None:
    path.mkdir()
    assert "is a folder" in _reason(path)


def test_a_file_of_something_else(path: Path) -> None:
    path.write_text("no database " * 100)
    assert "is not a journal" in _reason(path)


def test_a_damaged_store(path: Path, decided_store: Path) -> None:
    shutil.copy(decided_store, path)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    assert "is damaged" in _reason(path)


def test_a_newer_store(path: Path) -> None:
    identify_into(path, seed=1, max_rounds=1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
    assert "has version 99" in _reason(path)
    assert "upgrade bitarm" in _reason(path)


def test_a_locked_store(path: Path) -> None:
    identify_into(path, seed=1, max_rounds=1)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("UPDATE runs SET arms = arms")
        assert "is locked by another process" in _reason(path)


def test_a_store_without_runs_is_ready(path: Path) -> None:
    identify_into(path, seed=1, max_rounds=1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM events")
        connection.execute("DELETE FROM runs")
        connection.commit()
    with client_of(path) as client:
        assert client.get("/api/v1/runs").json() == {"runs": [], "total": 0}


def test_a_store_that_appears_is_read(path: Path, library: Library) -> None:
    with pytest.raises(StoreError):
        library.look()
    identify_into(path, seed=1)
    library.look()
    assert library.row(1).outcome == "decided"


def test_a_store_that_was_replaced_is_read_anew(path: Path, library: Library) -> None:
    identify_into(path, seed=1)
    library.look()
    other = path.with_name("other.sqlite")
    identify_into(other, seed=2, max_rounds=2)
    for leftover in path.parent.glob("runs.sqlite-*"):
        leftover.unlink()
    other.replace(path)
    library.look()
    assert library.row(1).outcome == "round_limit"
    path.unlink()
    with pytest.raises(StoreError, match="there is no journal"):
        library.look()


def _put_into(path: Path, backup: Path) -> None:
    """Put a backup into the very file, as sqlite3's .restore does: others may have it open."""
    with closing(sqlite3.connect(backup)) as source, closing(sqlite3.connect(path)) as there:
        source.backup(there)


def test_a_run_that_was_put_back_in_time_is_read_anew(path: Path, library: Library) -> None:
    slow, backup = SlowRun(path), path.with_name("backup.sqlite")
    slow.play_round()
    _put_into(backup, path)
    before = library.row(slow.run) if library.look() else None
    while not slow.ended:
        slow.play_round()
    slow.close()
    library.look()
    assert library.row(slow.run).state == "ended"
    _put_into(path, backup)
    library.look()
    assert library.row(slow.run) == before
    with library.history(slow.run) as history:
        assert history.row() == before


def test_another_run_under_the_same_number_is_read_anew(path: Path, library: Library) -> None:
    identify_into(path, seed=1, max_rounds=2)
    other = path.with_name("other.sqlite")
    identify_into(other, seed=2)
    library.look()
    assert library.row(1).outcome == "round_limit"
    _put_into(path, other)
    library.look()
    assert library.row(1).outcome == "decided"
    with library.history(1) as history:
        assert history.spec.seed == 2


def test_a_look_grows_with_every_change_whoever_looked_before(path: Path, library: Library) -> None:
    slow = SlowRun(path)
    first = library.look()
    assert library.look() == first
    slow.play_round()
    with library.history(slow.run):  # looks too, and takes the news from nobody
        pass
    assert library.look() == first + 1
    slow.close()


def test_a_history_grows_with_its_run(path: Path, library: Library) -> None:
    slow = SlowRun(path)
    while not slow.ended:
        slow.play_round()
        library.look()
        with library.history(slow.run) as history:
            assert history.row().rounds == slow.standings().round
            assert history.entries == library.row(slow.run).entries
    assert library.row(slow.run).best_arm_name == "north"
    slow.close()


def test_the_row_of_an_ended_run_needs_no_history(decided_store: Path) -> None:
    short, long = Library(decided_store), Library(decided_store)
    short.look()
    long.look()
    for run in (1, 2):
        with long.history(run) as history:
            assert short.row(run) == history.row()
    short.close()
    long.close()


def test_an_unknown_run(decided_store: Path) -> None:
    library = Library(decided_store)
    with pytest.raises(UnknownEntryError, match="there is no run 9"), library.history(9):
        pass
    library.close()


def test_readers_never_meet_a_run_that_is_being_folded(path: Path, library: Library) -> None:
    slow = SlowRun(path, {f"arm-{number}": 0.5 for number in range(20)}, growth=1.2)
    torn: list[int] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            with library.history(slow.run) as history:
                reports = history.view().timeline.reports
            if len({len(getattr(reports, column.name)) for column in fields(reports)}) > 1:
                torn.append(len(reports.sequence))

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for _ in range(40):
        slow.play_round()
    done.set()
    for reader in readers:
        reader.join()
    slow.close()
    assert torn == []


def test_nothing_is_written(path: Path) -> None:
    identify_into(path, seed=1)
    before = path.read_bytes()
    with client_of(path) as client:
        for route in ("runs", "runs/1", "runs/1/events", "runs/1/events/3/frames"):
            assert client.get(f"/api/v1/{route}").status_code == 200
        compared = client.post("/api/v1/compare", json={"runs": [1], "results": []})
        assert compared.status_code == 200
    assert path.read_bytes() == before
