"""The workflow of .github, which cannot be run here: its shape, its Pythons, that every command in
it exists; and files for other people's programs, by the schemas that those publish."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
_TEXT = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
_FLOW: dict[Any, Any] = yaml.safe_load(_TEXT)
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
_MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def _steps() -> list[dict[str, Any]]:
    return [step for job in _FLOW["jobs"].values() for step in job["steps"]]


def _commands() -> list[list[str]]:
    lines = [line for step in _steps() for line in step.get("run", "").splitlines()]
    return [shlex.split(line) for line in lines if line.strip()]


def test_it_has_the_shape_of_a_workflow() -> None:
    assert _FLOW[True] == {"push": {"branches": ["main"]}, "pull_request": None}  # YAML's `on`
    assert _FLOW["permissions"] == {"contents": "read"}
    for job in _FLOW["jobs"].values():
        assert job["timeout-minutes"] <= 60
        assert job["steps"][0]["uses"].startswith("actions/checkout@")
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step


_PUBLISHED = {
    ".github/workflows/ci.yml": "github-workflows",
    "CITATION.cff": "citation-file-format",
    "deploy/compose.yaml": "compose-spec",
}


def _objection(file: Path, schema: str) -> str:
    """What the published schema, which comes with check-jsonschema, has against it."""
    words = ("-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(file))
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize(("name", "schema"), _PUBLISHED.items())
def test_what_other_programs_read_is_as_they_want_it(name: str, schema: str) -> None:
    assert not _objection(ROOT / name, schema)


def test_a_workflow_with_a_slip_is_objected_to(tmp_path: Path) -> None:
    slipped = tmp_path / "ci.yml"
    slipped.write_text(_TEXT.replace("runs-on:", "run-on:"), "utf-8")
    assert "run-on" in _objection(slipped, "github-workflows")


def test_linux_runs_make_test_with_every_supported_python() -> None:
    linux = _FLOW["jobs"]["linux"]
    assert {"name": "Check and test", "run": "make test"} in linux["steps"]
    claimed = [
        found[1]
        for line in _PROJECT["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line))
    ]
    assert linux["strategy"]["matrix"]["python"] == claimed
    assert _PROJECT["requires-python"] == f">={claimed[0]}"


def test_elsewhere_the_oldest_and_the_newest_are_run() -> None:
    pythons = _FLOW["jobs"]["linux"]["strategy"]["matrix"]["python"]
    matrix = _FLOW["jobs"]["elsewhere"]["strategy"]["matrix"]
    assert matrix["python"] == [pythons[0], pythons[-1]]
    assert [system.split("-")[0] for system in matrix["system"]] == ["macos", "windows"]


def test_every_expression_names_something_that_is_there() -> None:
    for expression in re.findall(r"\$\{\{ (\S+) \}\}", _TEXT):
        parts = expression.split(".")
        if parts[0] == "matrix":
            jobs = [job for job in _FLOW["jobs"].values() if "strategy" in job]
            assert any(parts[1] in job["strategy"]["matrix"] for job in jobs), expression
        else:
            assert expression in ("github.workflow", "github.ref")


def test_every_command_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", _MAKEFILE, re.MULTILINE))
    development = "\n".join(
        line for extra in ("dev", "docs") for line in _PROJECT["optional-dependencies"][extra]
    )
    known = 0
    for words in _commands():
        if words[0] == "make":
            assert set(words[1:]) <= targets
        elif words[0] in ("python", ".venv/bin/python"):
            assert words[1] == "-m"
            assert words[2] == "pip" or words[2] in development
        else:
            assert words[:2] == ["sudo", "ln"]
        known += 1
    assert known == len(_commands()) >= 6


def test_the_tests_that_it_names_are_there() -> None:
    (words,) = (words for words in _commands() if "pytest" in words)
    places = [word for word in words if word.startswith("tests/")]
    assert len(places) == 7
    for place in places:
        assert list((ROOT / place).rglob("test_*.py")), place


_UNIX = ("fcntl", "grp", "pty", "pwd", "resource", "termios")
_UNIX_IMPORT = re.compile(rf"^\s*(?:import|from) (?:{'|'.join(_UNIX)})\b", re.MULTILINE)


def test_what_is_tested_elsewhere_imports_nothing_that_windows_lacks() -> None:
    (words,) = (words for words in _commands() if "pytest" in words)
    places = [word for word in words if word.startswith("tests/")]
    for place in places:
        for file in (ROOT / place).rglob("*.py"):
            assert not _UNIX_IMPORT.search(file.read_text("utf-8")), file
    packages = ("core", "theory", "wire", "links", "sim", "store", "rewards", "api", "cli.app")
    program = f"""
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys({_UNIX!r}))
for name in {packages!r}:
    package = importlib.import_module("bitarm." + name)
    for found in pkgutil.iter_modules(getattr(package, "__path__", []), package.__name__ + "."):
        importlib.import_module(found.name)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_what_is_tested_elsewhere_is_collected_where_signals_lack() -> None:
    """Windows knows no SIGHUP: a conftest that asks for it would fail every test there."""
    (words,) = (words for words in _commands() if "pytest" in words)
    places = [word for word in words if word.startswith("tests/")]
    program = f"""
import signal, sys
import pytest
for name in ("SIGHUP", "SIGKILL", "SIGSTOP", "SIGCONT", "SIGUSR1"):
    delattr(signal, name)
sys.exit(pytest.main(["--collect-only", "--quiet", *{places!r}]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


@pytest.mark.parametrize("target", ["test", "docs"])
def test_make_would_run_it(target: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_an_environment_that_was_half_made_is_made_again(tmp_path: Path) -> None:
    """As where Debian's python3-venv is missing: its venv leaves an environment without pip."""
    python = tmp_path / "python"
    halfway = "mkdir -p .venv/bin; touch .venv/bin/python; exit 1"
    python.write_text(f'#!/bin/sh\n[ "$2" != venv ] || {{ {halfway}; }}\n')
    python.chmod(0o755)
    make = ("make", "--file", ROOT / "Makefile", f"PYTHON={python}", ".venv/bin/python")
    done = subprocess.run(make, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert (tmp_path / ".venv" / "bin").is_dir()
    assert not (tmp_path / ".venv" / "bin" / "python").exists()


def test_the_hooks_before_a_commit_are_make_targets() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    (local,) = config["repos"]
    assert local["repo"] == "local"  # nothing is fetched
    targets = set(re.findall(r"^([a-z-]+):", _MAKEFILE, re.MULTILINE))
    for hook in local["hooks"]:
        make, target = hook["entry"].split()
        assert make == "make"
        assert target in targets


def test_the_hook_of_generated_pages_watches_every_script_that_makes_one() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    (hook,) = (hook for hook in config["repos"][0]["hooks"] if hook["entry"] == "make generated")
    recipe = _MAKEFILE.split("\ngenerated:")[1].split("\n\n")[0]
    scripts = re.findall(r"scripts/\w+\.py", recipe)
    assert len(scripts) >= 5
    for watched in (*scripts, "src/bitarm/core/words.py", "docs/words.md", "docs/pictures/run.svg"):
        assert re.search(hook["files"], watched), watched
