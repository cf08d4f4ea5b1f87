"""Places that cannot be looked at: each command says which, and what is wrong with it."""

import errno
import os
from pathlib import Path

import pytest
from cli.program import Command, problem

IMPOSSIBLE = "a" * 300  # no file can have so long a name: not even whether it is there is known

_INPUTS = [
    f"identify {IMPOSSIBLE}.csv",
    f"simulate {IMPOSSIBLE}.csv",
    f"plan {IMPOSSIBLE}.csv --per-bit 1",
    f"agent {IMPOSSIBLE}.csv --agent a --run x --broker mqtt://localhost:1",
    f"agent FILE --agent high --run x --broker mqtts://localhost:1 --ca {IMPOSSIBLE}",
    f"learner {IMPOSSIBLE}.csv --run x --broker mqtt://localhost:1",
    f"plan --arms 2 --gap 0.1 --sigma 1 --per-bit 1 --save {IMPOSSIBLE}/plan.toml",
    f"schema {IMPOSSIBLE}",
    f"schema --new {IMPOSSIBLE}",
    f"reproduce {IMPOSSIBLE}.py",
    f"reproduce bits --out {IMPOSSIBLE}",
    f"broker init {IMPOSSIBLE} --agents a",
    f"broker run {IMPOSSIBLE}",
]
_STORES = ["identify --seed 1", "runs list", "runs export 1", "runs prune --keep 1"]


def _file(folder: Path) -> Path:
    file = folder / "problem.toml"
    file.write_text(problem(), encoding="utf-8")
    return file


@pytest.mark.parametrize("words", _INPUTS, ids=lambda words: words.replace(IMPOSSIBLE, "…"))
def test_a_file_or_folder_of_the_user_is_a_wrong_input(
    words: str, bitarm: Command, tmp_path: Path
) -> None:
    file = str(_file(tmp_path))
    done = bitarm(*(file if word == "FILE" else word for word in words.split()))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bitarm: ")
    assert IMPOSSIBLE in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("words", _STORES)
def test_a_journal_that_cannot_be_looked_at_is_not_taken_for_a_new_one(
    words: str, bitarm: Command
) -> None:
    done = bitarm(*words.split(), "--store", IMPOSSIBLE)
    assert (done.code, done.out) == (1, "")
    assert "cannot be opened" in done.err
    assert "Traceback" not in done.err


def test_a_full_disk_takes_nothing_from_a_file_that_is_to_name_its_schema(
    bitarm: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _file(tmp_path)
    before = file.read_bytes()

    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    done = bitarm("schema", file)
    assert (done.code, done.err) == (1, f"bitarm: cannot write {file}: No space left on device\n")
    assert file.read_bytes() == before


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_file_keeps_its_line_ends_and_its_mode(
    mark: bytes, bitarm: Command, tmp_path: Path
) -> None:
    file = _file(tmp_path)
    lines = file.read_bytes().replace(b"\n", b"\r\n")
    file.write_bytes(mark + lines)
    file.chmod(0o640)
    assert bitarm("schema", file).code == 0
    assert file.read_bytes().endswith(lines)
    assert file.stat().st_mode & 0o777 == 0o640
