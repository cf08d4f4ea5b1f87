"""Optional packages: found, or named with what installs them."""

import json
import shlex
import sys
from pathlib import Path

import pytest

import bitarm
from bitarm.api.extras import install_line, require
from bitarm.api.problem import parse_problem
from bitarm.errors import ConfigError, MissingExtraError

_PROBLEM = "[problem]\nsigma = 1\n" + '[[arm]]\nsource = "gaussian"\nmean = 0\nsd = 1\n' * 2


def test_a_package_that_is_there_is_returned() -> None:
    assert require("json", extra="cli", what="this test") is json


def test_a_package_that_is_missing_is_named_with_its_extra() -> None:
    with pytest.raises(MissingExtraError) as caught:
        require("no_such_package", extra="sim", what="the gaussian model")
    assert str(caught.value) == (f"the gaussian model needs no_such_package: {install_line('sim')}")
    assert isinstance(caught.value, ConfigError)


def test_a_part_of_a_package_that_is_missing_is_missing_too() -> None:
    with pytest.raises(MissingExtraError, match="a broker needs no_such_package: "):
        require("no_such_package.client", extra="net", what="a broker")


def test_from_a_clone_the_line_installs_the_clone() -> None:
    words = shlex.split(install_line("sim"))
    assert words[:5] == [sys.executable, "-m", "pip", "install", "--editable"]
    clone = Path(words[5].removesuffix("[sim]"))
    assert (clone / "pyproject.toml").is_file()


def test_an_installed_package_is_extended_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "lib" / "bitarm" / "api" / "extras.py"
    monkeypatch.setattr("bitarm.api.extras.__file__", str(installed))
    assert install_line("sim") == f"{sys.executable} -m pip install 'bitarm[sim]'"


def test_a_package_that_is_there_but_broken_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_package.py").write_text("import no_such_package\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        require("broken_package", extra="sim", what="this test")


@pytest.mark.parametrize("name", ["simulate", "plan"])
def test_a_call_that_needs_the_simulator_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(vars(bitarm), name, raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(MissingExtraError, match=rf"bitarm.{name} needs numba: .*\[sim\]"):
        getattr(bitarm, name)


def test_a_model_without_numpy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = parse_problem(_PROBLEM, Path())
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtraError, match=r"gaussian.* needs numpy: .*\[sim\]"):
        problem.sources(seed=1)
