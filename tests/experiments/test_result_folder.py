import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bitarm.errors import ConfigError, StoreError
from bitarm.experiments.result_folder import Origin, ResultFolder

_ORIGIN = Origin(version="1.0", code="abc", seed=1, trials=None, instance="fitted", full=False)


def _claim(path: Path, origin: Origin = _ORIGIN, *, overwrite: bool = False) -> ResultFolder:
    return ResultFolder(path, origin, overwrite=overwrite)


def test_a_folder_that_is_missing_or_empty_is_ours(tmp_path: Path) -> None:
    _claim(tmp_path).write({"a.txt": b"1"})
    _claim(tmp_path / "deep" / "er").write({"a.txt": b"1"})
    assert (tmp_path / "deep" / "er" / "a.txt").read_bytes() == b"1"


def test_the_same_origin_may_write_again(tmp_path: Path) -> None:
    _claim(tmp_path).write({"a.txt": b"1"})
    _claim(tmp_path).write({"a.txt": b"2"})
    assert (tmp_path / "a.txt").read_bytes() == b"2"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "reproduction.json"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": "2.0"}, "results with version 1.0; these would have version 2.0"),
        ({"code": "xyz"}, "results with code abc; these would have code xyz"),
        ({"seed": 7}, "results with seed 1; these would have seed 7"),
        ({"trials": 10}, "results with trials None; these would have trials 10"),
    ],
)
def test_results_of_another_origin_are_kept(
    tmp_path: Path, change: dict[str, object], told: str
) -> None:
    _claim(tmp_path).write({"a.txt": b"1"})
    other = replace(_ORIGIN, **change)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=told):
        _claim(tmp_path, other)
    assert (tmp_path / "a.txt").read_bytes() == b"1"
    _claim(tmp_path, other, overwrite=True).write({"a.txt": b"2"})
    assert (tmp_path / "a.txt").read_bytes() == b"2"


def test_somebody_elses_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("do not touch")
    with pytest.raises(ConfigError, match="holds files that no reproduction wrote"):
        _claim(tmp_path)
    (tmp_path / "reproduction.json").write_text(json.dumps([1]))
    with pytest.raises(ConfigError, match="holds files that no reproduction wrote"):
        _claim(tmp_path)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(ConfigError, match="--out must be a folder"):
        _claim(tmp_path / "out")
    with pytest.raises(ConfigError, match="cannot be made"):
        _claim(tmp_path / "out" / "below")


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(ConfigError, match="is not writable"):
        _claim(tmp_path)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    folder = _claim(tmp_path)
    folder.write({"a.txt": b"1"})
    (tmp_path / ".a.txt.part").symlink_to("/dev/full")
    with pytest.raises(StoreError, match="No space left on device"):
        folder.write({"a.txt": b"2"})
    assert (tmp_path / "a.txt").read_bytes() == b"1"
