"""The examples of devices.md: arms at a desk, in both languages, with the real learner."""

import subprocess
import sys
from pathlib import Path

import pytest
from devices.benches import DEVICES, HOME, WARNINGS
from docs_blocks import blocks_run_by


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("example") / "arm"
    names = [str(DEVICES / "c" / name) for name in ("example.c", "bitarm_agent.c")]
    subprocess.run(["gcc", *WARNINGS, *names, "-lm", "-o", str(program)], check=True)
    return program


def test_the_page_word_for_word_in_an_empty_folder(tmp_path: Path) -> None:
    (block,) = blocks_run_by("tests/devices/test_examples.py")
    ran = subprocess.run(
        ["bash", "-ec", block.text.replace("~/bitarm", str(HOME))],
        cwd=tmp_path,
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("best: ./arm 0.7 b-; ")
    kept = {path.name for path in tmp_path.glob("?-?")}
    assert kept == {f"{name}-{slot}" for name in "abc" for slot in (0, 1)}


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


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        ([], "at least 2 arms are needed"),
        (["{arm} 0.5 a-"], "at least 2 arms are needed"),
        (["{arm} 0.5 a-", "{arm} 0.5 a-"], "arms need different names"),
        (["{arm} 0.5 a-", "no-such-program 1"], "'no-such-program 1' is no program"),
        (["{arm} 0.5 a-", ""], "arm 1 needs a name that can be read, got ''"),
        (["{arm} 0.5 a-", "false"], "'false' has ended"),
        (["{arm} 0.5 a-", "{arm}"], "usage: "),
        (["{arm} 0.5 a-", "yes 8001"], "'yes 8001' sends the frame 8001: "),
        (["{arm} 0.5 a-", "yes hello"], "'yes hello' does not take the frame 8002"),
    ],
)
def test_what_is_wrong_at_the_desk_is_said(
    tmp_path: Path, arm: Path, commands: list[str], said: str
) -> None:
    words = [command.format(arm=arm) for command in commands]
    command = [sys.executable, str(DEVICES / "desk.py"), *words]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_files_of_another_run_are_not_gone_on_with(tmp_path: Path, arm: Path) -> None:
    arms = f"{arm} 0.1 a-", f"{arm} 0.9 b-"
    assert "best" in at_the_desk(tmp_path, *arms)
    assert "best" not in at_the_desk(tmp_path, *arms)
