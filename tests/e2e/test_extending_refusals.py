"""A package that is missing, of another version, or wrong is refused by name, and harms nobody."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e.extensions import PROBLEM, Shell

pytestmark = pytest.mark.slow


def test_where_it_is_not_installed_each_thing_is_refused_by_name(
    elsewhere: Shell, extended_problem: str
) -> None:
    _, said = elsewhere("identify", extended_problem, code=2)
    assert "arm 'one': source must be one of gaussian, bernoulli, " in said
    assert "got 'dice'. If a package of its own offers it, install that" in said
    text = PROBLEM.replace('source = "dice"', 'source = "bernoulli"\nmean = 0.5')
    (elsewhere.folder / "words.toml").write_text(text.replace("dice = 3\n", ""), "utf-8")
    _, said = elsewhere("identify", "words.toml", code=2)
    assert "a word of [scheme] must be one of quantizer, " in said
    assert "got 'coarseness'. If a package of its own offers it, install that" in said
    _, said = elsewhere("identify", "--quantizer", "lattice", code=2)
    assert "quantizer must be one of exact, icq, quban, fed-sel, fed-sel-paper, dicq" in said
    assert "If a package of its own offers it, install that" in said
    _, said = elsewhere("identify", "--coarseness", "2", code=2)
    assert "No such option: --coarseness" in said


def test_a_run_names_the_package_that_it_needs(
    shell: Shell, elsewhere: Shell, extended_problem: str
) -> None:
    run = str(shell.json("identify", extended_problem, "--seed", "1")["run"])
    assert "lattice" in shell("runs", "show", run)[0]
    assert run in elsewhere("runs", "list")[0]
    _, said = elsewhere("runs", "show", run, code=1)
    assert "the run was opened with bitarm-lattice 1.0" in said


def test_another_version_does_not_go_on_with_a_run(
    shell: Shell, extended_problem: str, installed: Path, tmp_path: Path
) -> None:
    run = str(shell.json("identify", extended_problem, "--seed", "1")["run"])
    shell("runs", "replay", run)
    newer = tmp_path / "newer"
    subprocess.run(["cp", "-r", str(installed), str(newer)], check=True)
    (metadata,) = newer.glob("bitarm_lattice-*.dist-info/METADATA")
    metadata.write_text(
        metadata.read_text("utf-8").replace("Version: 1.0", "Version: 1.1"), "utf-8"
    )
    _, said = Shell(tmp_path, newer)("runs", "replay", run, code=1)
    assert "opened with bitarm-lattice 1.0, installed here is bitarm-lattice 1.1" in said


# -- packages that are wrong -----------------------------------------------------------------------

_FIELDS = "    coarseness: Annotated"
_WRONG: dict[str, tuple[Callable[[str], str], str]] = {
    "raises": (
        lambda text: f"import nowhere\n{text}",
        "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'",
    ),
    "calls itself otherwise": (
        lambda text: text.replace('= "lattice"', '= "grid"'),
        "Lattice calls itself 'grid'",
    ),
    "lacks a method": (lambda text: text.replace("def error(", "def errs("), "Lattice lacks error"),
    "lacks what it is": (
        lambda text: re.sub(r"    certain: .*\n", "", text),
        "Lattice lacks certain",
    ),
    "is no quantizer": (
        lambda text: text.replace("class Lattice(Quantizer)", "class Lattice"),
        "it must be a class that inherits from bitarm.core.quantizer.Quantizer",
    ),
    "a field without a word": (
        lambda text: text.replace(_FIELDS, f"    edge: float = 1.0\n{_FIELDS}"),
        "Lattice.edge is no word",
    ),
    "a word without a type": (
        lambda text: text.replace(_FIELDS, f'    edge: Annotated[list, Word("?")] = 1\n{_FIELDS}'),
        "Lattice.edge is a word of type",
    ),
    "a word that clashes": (
        lambda text: text.replace(_FIELDS, f'    bits: Annotated[int, Word("?")] = 1\n{_FIELDS}'),
        "bits means one thing to Icq and another to Lattice",
    ),
    "a word of every run": (
        lambda text: text.replace(_FIELDS, f'    width: Annotated[int, Word("?")] = 1\n{_FIELDS}'),
        "width of Lattice is a word of every run",
    ),
    "a word that is a flag": (
        lambda text: text.replace(_FIELDS, f'    seed: Annotated[int, Word("?")] = 1\n{_FIELDS}'),
        "seed of Lattice is an argument or a flag already",
    ),
}


@pytest.mark.parametrize("wrong", _WRONG)
def test_a_package_that_is_wrong_is_refused_and_harms_nobody_else(
    wrong: str, installed: Path, tmp_path: Path
) -> None:
    spoil, sentence = _WRONG[wrong]
    spoilt = tmp_path / "spoilt"
    subprocess.run(["cp", "-r", str(installed), str(spoilt)], check=True)
    module = spoilt / "bitarm_lattice" / "quantizer.py"
    module.write_text(spoil(module.read_text("utf-8")), "utf-8")
    shell = Shell(tmp_path, spoilt)
    if wrong in ("raises", "lacks a method"):  # while it loads, and when it is looked at
        _, said = shell("identify", "--quantizer", "lattice", code=2)
        assert sentence in said
    shown, said = shell("identify", "--help")
    assert "--grace" in shown  # of the policy, which is well
    assert "--coarseness" not in shown
    assert sentence in said


def test_a_name_that_is_taken(installed: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    subprocess.run(["cp", "-r", str(installed), str(taken)], check=True)
    (points,) = taken.glob("bitarm_lattice-*.dist-info/entry_points.txt")
    points.write_text(points.read_text("utf-8").replace("lattice =", "icq ="), "utf-8")
    shell = Shell(tmp_path, taken)
    result = shell.json("identify", "--quantizer", "icq", "--bits", "2", "--seed", "1")
    assert result["bits"] == 2  # ours
    _, said = shell("identify", "--coarseness", "2", code=2)
    assert "bitarm-lattice 1.0 offers a quantizer named icq, as bitarm has: bitarm's own" in said


def test_two_packages_with_one_name(installed: Path, tmp_path: Path) -> None:
    both = tmp_path / "both"
    subprocess.run(["cp", "-r", str(installed), str(both)], check=True)
    (first,) = both.glob("bitarm_lattice-*.dist-info")
    second = both / "another_lattice-2.0.dist-info"
    subprocess.run(["cp", "-r", str(first), str(second)], check=True)
    metadata = (second / "METADATA").read_text("utf-8")
    metadata = metadata.replace("Name: bitarm-lattice", "Name: another-lattice")
    (second / "METADATA").write_text(metadata.replace("Version: 1.0", "Version: 2.0"), "utf-8")
    _, said = Shell(tmp_path, both)("identify", "--quantizer", "lattice", code=2)
    assert "both offer a quantizer named lattice: uninstall one of them" in said
    assert "another-lattice 2.0" in said
