"""docs/extending.md as it stands: one file and one line make a quantizer with a word of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[1]
_PAGE = (_ROOT / "docs" / "extending.md").read_text("utf-8")
_COINS = ("--arms", "bernoulli:0.9,0.2", "--trials", "20", "--seed", "1")


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with the page's quantizer in it."""
    source = tmp_path_factory.mktemp("extended") / "src"
    shutil.copytree(
        _ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
    )
    folder = source / "bitarm" / "core" / "quantizers"
    (block,) = (
        code for code in re.findall(r"```python\n(.*?)```", _PAGE, re.DOTALL) if "Lattice" in code
    )
    (folder / "lattice.py").write_text(f'"""The page\'s example."""\n\n{block}', "utf-8")
    listed = folder / "__init__.py"
    text = listed.read_text("utf-8")
    text = text.replace("(Exact, Icq,", "(Lattice, Exact, Icq,", 1)
    text = text.replace(
        "from bitarm.core.quantizers.quban",
        "from bitarm.core.quantizers.lattice import Lattice\nfrom bitarm.core.quantizers.quban",
        1,
    )
    listed.write_text(text, "utf-8")
    return source


def _run(source: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(source), "XDG_DATA_HOME": str(source.parent)}
    return subprocess.run(
        [sys.executable, "-m", "bitarm", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_its_word_is_a_flag_and_a_field_and_its_objection_is_quoted(extended: Path) -> None:
    done = _run(extended, "identify", "--quantizer", "lattice", "--coarseness", "2", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["quantizer"], result["coarseness"]) == ("lattice", 2.0)
    assert result["guarantee"] is None
    assert "the lattice has no proof" in result["guarantee_reason"]


def test_its_word_can_be_swept_and_told_apart(extended: Path) -> None:
    words = ("simulate", *_COINS, "--quantizer", "lattice", "--coarseness", "1,2")
    table = _run(extended, *words)
    assert table.returncode == 0, table.stderr
    assert "lattice coarseness 1" in table.stdout
    assert "lattice coarseness 2" in table.stdout
    results = json.loads(_run(extended, *words, "--json").stdout)["results"]
    assert [point["coarseness"] for point in results] == [1.0, 2.0]


def test_its_word_is_refused_for_others_and_its_values_are_checked(extended: Path) -> None:
    other = _run(extended, "identify", "--quantizer", "icq", "--coarseness", "2")
    assert other.returncode == 2
    assert "coarseness does not apply to the quantizer icq; it is for lattice" in other.stderr
    wrong = _run(extended, "identify", "--quantizer", "lattice", "--coarseness", "0")
    assert wrong.returncode == 2
    assert "coarseness must be a finite number above 0, got 0.0" in wrong.stderr


def test_its_word_is_in_the_help(extended: Path) -> None:
    shown = _run(extended, "identify", "--help").stdout
    assert "--coarseness" in shown
