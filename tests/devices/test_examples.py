"""The examples of devices.md: arms at a desk, in both languages, with the real learner."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from devices.benches import DEVICES, WARNINGS
from docs_blocks import blocks_run_by


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


def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    (block,) = blocks_run_by("tests/devices/test_examples.py")
    (tmp_path / "devices").symlink_to(DEVICES)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    said = subprocess.run(
        ["/bin/sh", "-ec", block.text],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said.startswith("best: ./arm 0.7 b-; ")
    assert len(list(tmp_path.glob("?-[01]"))) == 6
