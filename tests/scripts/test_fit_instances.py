import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a fresh process compiles its kernels

HOME = Path(__file__).parents[2]
SHIPPED = HOME / "src" / "bitarm" / "experiments" / "instances.toml"
SMALL = ("--trials", "2", "--generations", "1")


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    program = HOME / "scripts" / "fit_instances.py"
    command = [sys.executable, str(program), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_a_fit_from_scratch_replaces_one_table_and_keeps_the_others(tmp_path: Path) -> None:
    out = tmp_path / "instances.toml"
    shutil.copy(SHIPPED, out)
    done = run("gaussian", *SMALL, "--screen", "2", "--out", out)
    assert done.returncode == 0, done.stderr
    before, after = tomllib.loads(SHIPPED.read_text()), tomllib.loads(out.read_text())
    assert [name for name in after if after[name] != before[name]] == ["gaussian"]
    assert "generation 1 of 1" in done.stderr
    assert "gaussian   quban-eps2    payload_bits" in done.stdout


def test_a_fit_from_the_shipped_instances_writes_tables_of_their_shape(tmp_path: Path) -> None:
    out = tmp_path / "instances.toml"
    done = run("--from", SHIPPED, *SMALL, "--seed", "7", "--out", out)
    assert done.returncode == 0, done.stderr
    shipped, written = tomllib.loads(SHIPPED.read_text()), tomllib.loads(out.read_text())
    assert {name: table.keys() for name, table in written.items()} == {
        name: table.keys() for name, table in shipped.items()
    }
    for table in written.values():
        assert table["means"] == sorted(table["means"], reverse=True)
        assert "--seed 7" in table["fitted"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hardness",), "FIGURE must be of bounded, gaussian, sweeps, got hardness"),
        (("--csv", "nowhere.csv"), "cannot read the published points"),
        (("--trials", "0"), "trials must be at least 1, got 0"),
    ],
)
def test_what_it_refuses(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = run(*words, "--out", tmp_path / "out.toml")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "out.toml").exists()
