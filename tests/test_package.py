"""The package from outside: its public names, what importing it costs, and the README's lines."""

import ast
import email
import importlib
import importlib.metadata
import json
import os
import random
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from hatchling.builders.wheel import WheelBuilder
from loopback import PATIENCE

import bitarm
from bitarm.api.extras import install_line
from bitarm.api.identification import Identification
from bitarm.api.identify import identify, identify_problem
from bitarm.api.problem import Problem, load_problem
from bitarm.api.scheme import setup
from bitarm.api.simulate import Simulation, simulate
from bitarm.core.agent import Agent
from bitarm.core.learner import Learner
from bitarm.core.result import RunResult
from bitarm.errors import BitarmError
from bitarm.planner.plan import Plan, plan, plan_problem

ROOT = Path(__file__).parents[1]
SOURCE = str(Path(bitarm.__file__).parents[1])


def _python(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        env=dict(os.environ) | env,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


_MAPPED = (
    *("api", "core", "core/evidence", "dashboard", "experiments", "links", "planner", "rewards"),
    *("runtime", "runtime/agent", "runtime/broker", "runtime/learner", "sim", "wire"),
    "wire/frames",
)


@pytest.mark.parametrize("package", _MAPPED)
def test_a_package_says_what_each_of_its_files_is_for(package: str) -> None:
    folder = Path(SOURCE) / "bitarm" / package
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert files <= set(re.findall(r"\w+", docstring))
    named = re.findall(r"^ *([a-z_]+/?(?:, [a-z_]+/?)*) {2,}\S", docstring, re.MULTILINE)
    entries = {entry for entries in named for entry in entries.split(", ")}
    functions = set(dir(importlib.import_module(f"bitarm.{package.replace('/', '.')}")))
    assert entries <= files | {f"{path.name}/" for path in folder.iterdir()} | functions


def test_the_public_names_are_these() -> None:
    public = {
        "Agent": Agent,
        "BitarmError": BitarmError,
        "Identification": Identification,
        "Learner": Learner,
        "Plan": Plan,
        "Problem": Problem,
        "RunResult": RunResult,
        "Simulation": Simulation,
        "identify": identify,
        "identify_problem": identify_problem,
        "load_problem": load_problem,
        "plan": plan,
        "plan_problem": plan_problem,
        "setup": setup,
        "simulate": simulate,
    }
    assert set(public) | {"__version__"} == set(bitarm.__all__)
    assert {name: getattr(bitarm, name) for name in public} == public


def test_every_public_name_resolves_and_is_listed() -> None:
    assert len(set(bitarm.__all__)) == len(bitarm.__all__)
    assert list(bitarm.__all__) == sorted(bitarm.__all__)
    assert dir(bitarm) == sorted(bitarm.__all__)
    assert all(getattr(bitarm, name) is not None for name in bitarm.__all__)


def test_a_name_that_is_not_public_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="module 'bitarm' has no attribute 'identfy'"):
        _ = bitarm.identfy


def test_the_version_is_that_of_the_distribution() -> None:
    assert bitarm.__version__ == importlib.metadata.version("bitarm")


def _loaded_after(statement: str) -> set[str]:
    program = f"import sys, json; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = _python("-c", program)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


_HEAVY = {"numpy", "scipy", "numba", "matplotlib", "typer", "rich", "platformdirs", "click"}


@pytest.mark.parametrize(
    "statement",
    [
        "import bitarm",
        "import bitarm; bitarm.BitarmError",
        "import bitarm; bitarm.identify({'a': float, 'b': lambda: 1.0}, bounds=(0, 1), seed=1)",
        "import bitarm.wire, bitarm.store, bitarm.core.agent, bitarm.core.learner",
    ],
)
def test_what_needs_no_package_imports_none(statement: str) -> None:
    assert _loaded_after(statement) & _HEAVY == set()


def test_importing_the_package_imports_no_layer() -> None:
    ours = {name for name in _loaded_after("import bitarm") if name.startswith("bitarm")}
    assert ours == {"bitarm"}


def _readme_python() -> str:
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## Ten lines of Python")[1]
    return section.split("```python")[1].split("```")[0]


def test_the_ten_lines_of_the_readme_run_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    code = _readme_python()
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    state = random.getstate()
    random.seed(1)
    try:
        names: dict[str, Any] = {}
        exec(compile(code, "README.md", "exec"), names)
    finally:
        random.setstate(state)
    said, price = capsys.readouterr().out.splitlines()
    assert f"# {said}" in code  # the comment in the README is what is printed
    result = names["result"]
    assert price == f"{result.samples} {result.payload_bits} {result.wire_bytes}"
    assert (result.best_arm_name, result.guarantee) == ("gold", 0.05)


def test_the_command_without_any_package_says_what_to_install() -> None:
    done = _python("-S", "-m", "bitarm", "identify", PYTHONPATH=SOURCE)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("bitarm: the command line needs ")
    assert line.endswith(install_line("cli"))


def test_the_library_without_any_package_still_identifies() -> None:
    program = (
        "import bitarm; arms = {'a': float, 'b': lambda: 1.0};"
        "print(bitarm.identify(arms, bounds=(0, 1), seed=1).best_arm_name)"
    )
    done = _python("-S", "-c", program, PYTHONPATH=SOURCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "b\n", "")


def test_the_extra_of_the_command_brings_these() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["optional-dependencies"]["cli"]
    assert {re.split("[^a-z]", line)[0] for line in lines} == {
        "typer",
        "rich",
        "platformdirs",
        "numpy",
    }
    assert project["dependencies"] == []


_OTHERS = ("click", "msgspec", "scipy", "numba", "hypothesis", "distributed", "matplotlib")


def _command_alone(*words: str, home: Path, without: tuple[str, ...]) -> tuple[int, str, str]:
    """The command where some packages cannot be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({without!r}))"
    program = f"{blocked}; from bitarm.__main__ import main; main()"
    done = _python("-c", program, *words, XDG_DATA_HOME=str(home))
    return done.returncode, done.stdout, done.stderr


def test_the_command_needs_only_what_its_extra_installs(tmp_path: Path) -> None:
    """Click, for one, comes with other packages but not with every typer."""
    code, out, err = _command_alone("runs", "list", home=tmp_path, without=_OTHERS)
    assert (code, err) == (0, "")
    assert out.startswith("no runs in ")


def test_the_first_run_needs_only_what_the_extra_installs(tmp_path: Path) -> None:
    code, out, _ = _command_alone(
        "identify", "--json", "--seed", "1", home=tmp_path, without=_OTHERS
    )
    assert code == 0
    assert json.loads(out)["best_arm_name"] == "water-tower"


def test_runs_are_listed_without_numpy(tmp_path: Path) -> None:
    code, out, err = _command_alone("runs", "list", home=tmp_path, without=(*_OTHERS, "numpy"))
    assert (code, err) == (0, "")
    assert out.startswith("no runs in ")


def test_a_model_without_numpy_is_refused_without_a_traceback(tmp_path: Path) -> None:
    program = "import sys; sys.modules['numpy'] = None; from bitarm.__main__ import main; main()"
    done = _python("-c", program, "identify", XDG_DATA_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"numpy: {install_line('sim')}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it would be uploaded."""
    folder = tmp_path_factory.mktemp("wheel")
    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))


def test_the_wheel_has_what_it_needs_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        metadata = email.message_from_bytes(
            packed.read(f"bitarm-{bitarm.__version__}.dist-info/METADATA")
        )
    assert {"bitarm/py.typed", "bitarm/problem.schema.json", "bitarm/cli/gateways.toml"} <= set(
        names
    )
    assert {name.split("/")[0] for name in names} == {
        "bitarm",
        f"bitarm-{bitarm.__version__}.dist-info",
    }
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert not [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    extras = set(metadata.get_all("Provides-Extra", []))
    assert {"cli", "sim", "net", "cluster", "dashboard", "metrics", "frames", "all"} <= extras


def test_the_wheel_with_nothing_else_identifies_and_has_an_agent(
    wheel: Path, tmp_path: Path
) -> None:
    """Python imports from the file as it is; `-S` leaves out every installed package."""
    program = (
        "import bitarm; from bitarm.wire import decode; arms = {'a': float, 'b': lambda: 1.0};"
        "result = bitarm.identify(arms, bounds=(0, 1), seed=1);"
        "print(result.best_arm_name, bitarm.Agent.__name__, bitarm.__file__)"
    )
    done = _python("-S", "-c", program, PYTHONPATH=str(wheel))
    assert (done.returncode, done.stderr) == (0, "")
    name, agent, place = done.stdout.split()
    assert (name, agent) == ("b", "Agent")
    assert place.startswith(str(wheel))


def test_the_version_is_the_same_wherever_it_stands() -> None:
    version = bitarm.__version__
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] == (
        version
    )
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == version
    assert f"## {version} (" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_citation_names_the_paper() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    (paper,) = cited["references"]
    assert paper["year"] == 2023
    names = [author["family-names"] for author in paper["authors"]]
    assert names == ["Faizal", "Girish", "Hanawal", "Karamchandani"]
    page = (ROOT / "docs" / "paper.md").read_text("utf-8")
    assert paper["title"] in page
    assert all(name in page for name in names)
