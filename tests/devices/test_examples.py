"""The examples of devices.md: arms at a desk, in both languages, with the real learner."""

import subprocess
import sys
from pathlib import Path

import pytest
from devices.benches import DEVICES, WARNINGS


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("example") / "arm"
    names = [str(DEVICES / "c" / name) for name in ("example.c", "bitarm_agent.c")]
    subprocess.run(["gcc", *WARNINGS, *names, "-lm", "-o", str(program)], check=True)
    return program


def at_the_desk(folder: Path, *commands: str) -> str:
    command = [sys.executable, str(DEVICES / "desk.py"), *commands]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_arms_in_both_languages_find_the_best(tmp_path: Path, arm: Path) -> None:
    example = f"{sys.executable} -u {DEVICES / 'micropython' / 'example.py'}"
    best = f"{arm} 0.9 b-"
    said = at_the_desk(tmp_path, f"{example} 0.2 a-", best, f"{example} 0.3 c-")
    assert said.startswith(f"best: {best}; ")
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {f"{name}-{slot}" for name in "abc" for slot in (0, 1)}


def test_files_of_another_run_are_not_gone_on_with(tmp_path: Path, arm: Path) -> None:
    arms = f"{arm} 0.1 a-", f"{arm} 0.9 b-"
    assert "best" in at_the_desk(tmp_path, *arms)
    assert "best" not in at_the_desk(tmp_path, *arms)
