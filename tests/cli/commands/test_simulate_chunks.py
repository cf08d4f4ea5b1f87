"""`bitarm simulate`: chunks that are finished are kept, and read instead of run again."""

import errno
import os
from pathlib import Path

import pytest
from cli.program import Command, chunks

from bitarm.sim import execute
from bitarm.sim.sweep import ChunkResult, Sweep

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_LONGER = (
    *("simulate", "--arms", "bernoulli:0.7,0.4"),
    *("--seed", "1", "--trials", "1200", "--json"),
)


def test_a_sweep_that_was_run_before_is_read_from_the_cache(
    bitarm: Command, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bitarm(*_LONGER)
    assert [path.name for path in chunks(cache)] == ["000000.json", "000001.json", "000002.json"]

    def refuse(sweep: Sweep, index: int) -> ChunkResult:
        pytest.fail(f"chunk {index} was run again")

    monkeypatch.setattr(execute, "run_chunk", refuse)
    assert bitarm(*_LONGER) == first


def test_chunks_are_kept_where_one_says(bitarm: Command, cache: Path, tmp_path: Path) -> None:
    assert bitarm(*_LONGER, "--cache", tmp_path / "mine").code == 0
    assert len(list((tmp_path / "mine").rglob("*.json"))) == 3
    assert not cache.exists()


@pytest.mark.parametrize("words", [(), ("--log-json",)], ids=["text", "json"])
def test_a_damaged_chunk_is_named_and_the_result_unchanged(
    bitarm: Command, cache: Path, words: tuple[str, ...]
) -> None:
    first = bitarm(*_LONGER)
    path = chunks(cache)[1]
    path.write_bytes(path.read_bytes()[:-40])
    again = bitarm(*_LONGER, *words)
    assert again.code == 0
    assert again.out == first.out
    assert f"{path} is damaged" in again.err


def test_a_disk_without_room_is_an_error_that_says_how_to_go_on(
    bitarm: Command, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bitarm(*_LONGER, "--cache", cache / "other")
    sync, calls = os.fsync, 0

    def fill_up(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fill_up)
        done = bitarm(*_LONGER)
    assert done.code == 1
    assert done.out == ""
    assert "No space left on device" in done.err
    assert "run the same command again" in done.err
    assert "Traceback" not in done.err
    assert len(chunks(cache)) == 1
    assert bitarm(*_LONGER).out == expected.out


def test_a_cache_that_cannot_be_written_is_an_error_of_the_disk(
    bitarm: Command, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    done = bitarm(*_LONGER, "--cache", tmp_path / "file")
    assert done.code == 1
    assert str(tmp_path / "file") in done.err
    assert "Not a directory" in done.err
    assert "Traceback" not in done.err
