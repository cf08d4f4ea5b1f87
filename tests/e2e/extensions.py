"""The package of docs/extending.md, installed as anybody would, and bitarm beside it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from docs_blocks import blocks_run_by
from loopback import PATIENCE

ROOT = Path(__file__).parents[2]
(_PROJECT, COMMANDS, *_MODULES) = blocks_run_by("tests/e2e/test_extending.py")
FILES = dict(
    block.text.removeprefix("# ").split("\n", maxsplit=1) for block in (_PROJECT, *_MODULES)
)
"""The package's files by their names, which stand in the first line of each block."""
COINS = ("--arms", "bernoulli:0.9,0.2", "--trials", "4", "--seed", "1")
PROBLEM = """
[problem]
bounds = [0.0, 1.0]

[scheme]
quantizer = "lattice"
coarseness = 0.5
policy = "racing"
grace = 3

[[arm]]
name = "one"
source = "dice"

[[arm]]
name = "three"
source = "dice"
dice = 3
"""


def _install(package: Path, folder: Path) -> None:
    """With pip, as anybody would, but for what it would fetch."""
    quiet = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *quiet, "--target", str(folder), str(package)],
        check=True,
        env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's package is installed."""
    package = tmp_path_factory.mktemp("package")
    assert FILES.keys() >= {"pyproject.toml", "bitarm_lattice/quantizer.py"}
    for name, text in FILES.items():
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text(text, "utf-8")
    (package / "bitarm_lattice" / "__init__.py").touch()
    folder = tmp_path_factory.mktemp("site")
    _install(package, folder)
    return folder


class Shell:
    """Runs bitarm where the package is installed, or where it is not."""

    def __init__(self, folder: Path, packages: Path | None) -> None:
        self.folder = folder
        self.environment = dict(os.environ) | {"XDG_DATA_HOME": str(folder / "data")}
        if packages is not None:
            self.environment["PYTHONPATH"] = str(packages)

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "bitarm", *words],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *words: str, code: int = 0) -> tuple[str, str]:
        with self.start(*words) as process:
            out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == code, (words, out, err)
        assert "Traceback" not in err
        return out, err

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json")[0])


@pytest.fixture
def shell(installed: Path, tmp_path: Path) -> Shell:
    return Shell(tmp_path, installed)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Shell:
    """A machine on which the package is not installed."""
    return Shell(tmp_path, None)


@pytest.fixture
def extended_problem(tmp_path: Path) -> str:
    (tmp_path / "problem.toml").write_text(PROBLEM, "utf-8")
    return "problem.toml"
