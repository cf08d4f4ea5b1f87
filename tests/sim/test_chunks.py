"""Finished chunks on disk: kept whole or not at all, found again, and computed anew if damaged."""

import errno
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bitarm.core.limits import Limits
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Exact
from bitarm.core.schedule import GeometricSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import StoreError
from bitarm.sim import sweep as sweep_module
from bitarm.sim.chunks import ChunkStore, _digest, forget_oldest
from bitarm.sim.execute import ChunkTask, Done, execute, run_here, run_task
from bitarm.sim.models import Bernoulli
from bitarm.sim.sweep import PointResult, Sweep, run_chunk

_SETUP = Setup(
    spec=RunSpec(
        arms=("a", "b"),
        delta=0.05,
        sigma=0.5,
        bounds=(0.0, 1.0),
        quantizer=Exact(),
        width="paper",
        schedule=GeometricSchedule(growth=2.0, first=2),
        priors=(),
        seed=0,
    ),
    policy=SuccessiveElimination(),
    limits=Limits(),
)
_SWEEP = Sweep(
    setups=(_SETUP,), models=(Bernoulli(mean=0.7), Bernoulli(mean=0.3)), trials=2100, seed=3
)
_CHUNKS = 5


class Counting:
    """Runs chunks here and remembers which."""

    def __init__(self) -> None:
        self.ran: list[int] = []

    def __call__(self, tasks: Sequence[ChunkTask]) -> Iterator[Done]:
        for task in tasks:
            self.ran.append(task.index)
            yield run_task(task)


def _run(folder: Path, sweep: Sweep = _SWEEP) -> tuple[list[PointResult], list[int]]:
    """The result, and the chunks that had to be run for it."""
    runner = Counting()
    result = execute(
        sweep, runner, store=ChunkStore(folder, sweep), progress=lambda done, trials: None
    )
    return result, runner.ran


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def expected() -> list[PointResult]:
    """The result of the sweep, without a store."""
    return execute(_SWEEP, run_here, store=None, progress=lambda done, trials: None)


@pytest.fixture(autouse=True)
def _heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line turns this off for its process, which other tests may have run in."""
    monkeypatch.setattr(logging.getLogger("bitarm"), "propagate", True)


def test_a_finished_sweep_is_not_run_again(tmp_path: Path, expected: list[PointResult]) -> None:
    assert _run(tmp_path) == (expected, list(range(_CHUNKS)))
    assert _run(tmp_path) == (expected, [])


def test_chunks_come_back_as_they_were_kept(tmp_path: Path) -> None:
    chunks = [run_chunk(_SWEEP, index) for index in (3, 0)]
    store = ChunkStore(tmp_path, _SWEEP)
    assert list(store.load()) == []
    for chunk in chunks:
        store.keep(chunk)
    assert list(store.load()) == sorted(chunks, key=lambda chunk: chunk.index)


def test_a_chunk_that_is_kept_twice_is_there_once(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path, _SWEEP)
    for _ in range(2):
        store.keep(run_chunk(_SWEEP, 1))
    assert len(_files(tmp_path)) == 1


def test_an_interrupted_sweep_runs_only_what_is_missing(
    tmp_path: Path, expected: list[PointResult]
) -> None:
    def interrupt(done: int, trials: int) -> None:
        if done >= 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(_SWEEP, run_here, store=ChunkStore(tmp_path, _SWEEP), progress=interrupt)
    assert len(_files(tmp_path)) == 2
    assert _run(tmp_path) == (expected, [2, 3, 4])


def test_another_sweep_does_not_read_these_chunks(tmp_path: Path) -> None:
    _run(tmp_path)
    assert _run(tmp_path, replace(_SWEEP, seed=4))[1] == list(range(_CHUNKS))


def test_another_version_of_the_code_does_not_read_these_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(tmp_path)
    monkeypatch.setattr(sweep_module, "code_version", lambda: {"bitarm": "of tomorrow"})
    assert _run(tmp_path)[1] == list(range(_CHUNKS))


def _flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def _signed(text: str) -> bytes:
    """A text of somebody else with a digest that fits."""
    return f"{_digest(text)}\n{text}\n".encode()


_DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut in the middle": lambda data: data[: len(data) // 2],
    "cut at the end": lambda data: data[:-2],
    "without its digest": lambda data: data.split(b"\n", 1)[1],
    "a bit flipped": _flipped,
    "a bit of the digest flipped": lambda data: bytes([data[0] ^ 1]) + data[1:],
    "zeros": lambda data: bytes(len(data)),
    "not UTF-8": lambda data: b"\xff\xfe" + data,
    "other lines": lambda data: b"what\nis\nthis\n",
    "other content, signed": lambda data: _signed("{}"),
    "no JSON, signed": lambda data: _signed("x"),
}


@pytest.mark.parametrize("damage", _DAMAGE.values(), ids=_DAMAGE.keys())
def test_a_damaged_chunk_is_computed_again_and_named(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    expected: list[PointResult],
    damage: Callable[[bytes], bytes],
) -> None:
    _run(tmp_path)
    path = _files(tmp_path)[2]
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with caplog.at_level(logging.WARNING, logger="bitarm.sim"):
        assert _run(tmp_path) == (expected, [2])
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert str(path) in caplog.text
    assert path.read_bytes() == whole


def test_a_folder_in_the_place_of_a_chunk_is_said_to_be_in_the_way(tmp_path: Path) -> None:
    _run(tmp_path)
    path = _files(tmp_path)[2]
    path.unlink()
    path.mkdir()
    with pytest.raises(StoreError, match="chunk 2 cannot be kept"):
        _run(tmp_path)


@pytest.mark.parametrize("fails", ["write", "fsync", "replace"])
def test_a_full_disk_ends_the_sweep_and_leaves_the_chunks_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: list[PointResult], fails: str
) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    calls = 0

    def after_two(original: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal calls
            calls += 1
            if calls > 2:
                raise full
            return original(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        match fails:
            case "write":
                patch.setattr(tempfile, "mkstemp", after_two(tempfile.mkstemp))
            case "fsync":
                patch.setattr(os, "fsync", after_two(os.fsync))
            case _:
                patch.setattr(Path, "replace", after_two(Path.replace))
        with pytest.raises(StoreError) as caught:
            _run(tmp_path)
    assert "chunk 2 cannot be kept" in str(caught.value)
    assert "No space left on device" in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert [path.name for path in _files(tmp_path)] == ["000000.json", "000001.json"]
    assert _run(tmp_path) == (expected, [2, 3, 4])


def test_an_interrupt_while_a_chunk_is_written_leaves_no_half_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ChunkStore(tmp_path, _SWEEP).keep(run_chunk(_SWEEP, 0))
    assert _files(tmp_path) == []


def test_half_a_chunk_that_a_killed_process_left_is_not_read(
    tmp_path: Path, expected: list[PointResult]
) -> None:
    _run(tmp_path)
    path = _files(tmp_path)[0]
    path.with_suffix(".part").write_text("half", encoding="utf-8")
    assert _run(tmp_path) == (expected, [])


def test_a_folder_that_cannot_be_made_is_an_error_of_the_store(tmp_path: Path) -> None:
    """A file stands where the folder should: this refuses root too, which permissions do not."""
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match=f"cannot be kept in {taken}.*Not a directory"):
        _run(taken)


def test_a_folder_without_the_right_to_write_is_an_error_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: Path, **options: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "mkdir", denied)
    with pytest.raises(StoreError, match=r"chunk 0 cannot be kept in .*Permission denied"):
        _run(tmp_path / "locked")


def _sweep_folder(folder: Path, name: str, *, hours_ago: float) -> Path:
    found = folder / (name * 32)
    found.mkdir()
    (found / "000000.json").write_bytes(b"x" * 1_000)
    moment = time.time() - 3600 * hours_ago
    os.utime(found, (moment, moment))
    return found


def test_sweeps_that_were_not_used_for_longest_are_forgotten(tmp_path: Path) -> None:
    a, b, c, d = (
        _sweep_folder(tmp_path, name, hours_ago=hours)
        for name, hours in (("a", 9), ("b", 30), ("c", 5), ("d", 0.1))
    )
    mine = tmp_path / "holidays"
    mine.mkdir()
    (mine / "beach.json").write_bytes(b"x" * 100_000)
    forget_oldest(tmp_path, most_bytes=4_000)
    assert all(found.exists() for found in (a, b, c, d))
    forget_oldest(tmp_path, most_bytes=2_500)
    assert [found.exists() for found in (a, b, c, d)] == [False, False, True, True]
    forget_oldest(tmp_path, most_bytes=0)
    assert [found.exists() for found in (c, d)] == [False, True]  # somebody may be at the last
    assert (mine / "beach.json").exists()
    forget_oldest(tmp_path / "nowhere", most_bytes=0)


def test_a_sweep_that_is_loaded_counts_as_used(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path, _SWEEP)
    store.keep(run_chunk(_SWEEP, 0))
    (folder,) = tmp_path.iterdir()
    os.utime(folder, (0, 0))
    assert len(list(store.load())) == 1
    assert time.time() - folder.stat().st_mtime < 600
    forget_oldest(tmp_path, most_bytes=0)
    assert folder.exists()
