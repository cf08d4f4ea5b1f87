"""The examples run as they are, decide, and decide right."""

import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from docs_blocks import blocks_run_by
from loopback import PATIENCE

EXAMPLES = Path(__file__).parents[1] / "examples"

_BEST = {
    "antennas.toml": "yagi",
    "firmware.toml": "2.0.0-lowpower",
    "gateways.toml": "water-tower",
    "pages.toml": "grid",
}

_SCRIPTS = {
    "by_hand.py": "roof after ",
    "comparing_quantizers.py": "dicq   delta 0.01 ",
    "gateway_from_recordings.py": "best gateway: silo, wrong at most once in 100 times",
    "planning_for_lorawan.py": "then run it: bitarm.identify(sites, bounds=(0, 1), **plan.words)",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _SCRIPTS)
def test_a_script_runs_from_any_folder_and_says_what_it_found(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert _SCRIPTS[name] in done.stdout


def _identify(home: Path, *words: object) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "bitarm", "identify", *map(str, words), "--json"],
        env=dict(os.environ) | {"XDG_DATA_HOME": str(home)},
        cwd=home,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("name", _BEST)
def test_an_example_decides_with_a_guarantee_from_any_folder(name: str, tmp_path: Path) -> None:
    result = _identify(tmp_path, EXAMPLES / name, "--seed", 3)
    assert (result["outcome"], result["best_arm_name"]) == ("decided", _BEST[name])
    assert result["guarantee"] == result["delta"]


def test_every_example_is_tested() -> None:
    assert {file.name for file in EXAMPLES.glob("*.toml")} == {*_BEST, "budget.toml"}


def test_the_budget_is_kept_and_its_answer_claims_nothing(tmp_path: Path) -> None:
    result = _identify(tmp_path, EXAMPLES / "budget.toml", "--seed", 3)
    assert (result["outcome"], result["best_arm_name"]) == ("budget_spent", "water-tower")
    assert (result["samples"], result["payload_bits"]) == (60, 24)
    assert (result["guarantee"], result["delta"]) == (None, None)


def test_the_gateways_are_the_built_in_example(tmp_path: Path) -> None:
    """All but the first line, which names the schema from where each of the two lies."""
    built_in = resources.files("bitarm.cli").joinpath("gateways.toml").read_text("utf-8")
    example = (EXAMPLES / "gateways.toml").read_text("utf-8")
    assert example.splitlines()[1:] == built_in.splitlines()[1:]
    by_file = _identify(tmp_path, EXAMPLES / "gateways.toml", "--seed", 5)
    assert _identify(tmp_path, "--seed", 5) == by_file | {"run": 2}


@pytest.mark.slow
def test_the_experiment_of_ones_own_runs_and_its_claims_hold(tmp_path: Path) -> None:
    commands = [block.commands for block in blocks_run_by("tests/test_examples.py")]
    ((program, *words),) = commands[0]
    assert program == "bitarm"
    assert commands == [commands[0]] * 2  # two pages name the same command
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    done = subprocess.run(
        [sys.executable, "-m", "bitarm", *words, "--trials", "300", "--json"],
        env=dict(os.environ) | {"XDG_CACHE_HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=True,
    )
    (only,) = json.loads(done.stdout)["experiments"]
    assert [claim["holds"] for claim in only["claims"]] == [True, True, True]
