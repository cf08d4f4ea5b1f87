"""The program: what it imports for a command, and what it says where a package is missing."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.program import Command, environment, run_apart

from bitarm.api.extras import install_line
from bitarm.cli.app import COMMANDS

_HEAVY = {"numpy", "numba", "scipy", "matplotlib", "distributed", "paho", "fastapi"}


def _imported(home: Path, *words: str) -> tuple[str, set[str]]:
    """What a command prints, and the modules that are there when it ends."""
    code = (
        "import json, sys; from bitarm.cli.app import run; code = run();"
        "print(); print(json.dumps([code, *sys.modules]))"
    )
    done = run_apart(code, *words, env=environment(home), command=(sys.executable, "-c"))
    out, last = done.out.rsplit("\n", 2)[:2]
    code, *modules = json.loads(last)
    assert code == 0, done.err
    return out, set(modules)


def _commands(modules: set[str]) -> set[str]:
    package = "bitarm.cli.commands."
    return {name.removeprefix(package) for name in modules if name.startswith(package)}


def test_the_help_lists_every_command_and_loads_nothing_heavy(home: Path) -> None:
    out, modules = _imported(home, "--help")
    assert re.findall("^│ ([a-z]+)", out, re.MULTILINE) == [*COMMANDS]
    assert modules & _HEAVY == set()


_PARTS = {"runs": {"prune"}}  # modules of a command's own commands
_OTHER_SIDE = {
    "agent": {"bitarm.core.learner", "bitarm.core.policies", "bitarm.store", "bitarm.links"},
    "learner": {"bitarm.core.agent", "bitarm.runtime.agent", "bitarm.runtime.embedded"},
}
"""What an end of a run over a broker does without, since only the other end needs it."""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_loads_no_other_and_its_help_nothing_heavy(command: str, home: Path) -> None:
    out, modules = _imported(home, command, "--help")
    assert f"{command} [OPTIONS]" in out
    assert modules & _HEAVY == set()
    assert _commands(modules) == {command, *_PARTS.get(command, ())}
    assert modules & _OTHER_SIDE.get(command, set()) == set()


@pytest.mark.parametrize("package", ["rich", "platformdirs"])
def test_a_package_that_is_missing_is_named_with_what_installs_it(package: str, home: Path) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; import bitarm.__main__ as m; m.main()"
    done = run_apart(code, "runs", env=environment(home), command=(sys.executable, "-c"))
    assert (done.code, done.out) == (2, "")
    assert done.err == f"bitarm: the command line needs {package}: {install_line('cli')}\n"


def test_a_terminal_that_lacks_a_sign_gets_another(home: Path) -> None:
    env = environment(home, PYTHONIOENCODING="ascii")
    assert run_apart("identify", "--seed", "1", env=env).code == 0
    done = run_apart("runs", "show", "last", env=env)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"mean \|\s+\? \|pulls", done.out)  # ±


@pytest.mark.parametrize("command", ["--version", "schema"], ids=["at its end", "amid"])
def test_a_full_disk_under_the_output_is_said_and_is_no_defect(command: str, home: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bitarm", command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment(home),
        )
    assert done.returncode == 1
    assert done.stderr == "bitarm: the output could not be written: No space left on device\n"


@pytest.mark.parametrize("output", ["| true", ">&-"], ids=["nobody reads it", "there is none"])
def test_output_that_nobody_wants_is_no_failure(output: str, home: Path) -> None:
    line = f"set -o pipefail; {shlex.quote(sys.executable)} -m bitarm --version {output}"
    done = subprocess.run(
        ["bash", "-c", line], stderr=subprocess.PIPE, text=True, check=False, env=environment(home)
    )
    assert (done.returncode, done.stderr) == (0, "")


_INTERRUPTED_WHILE_LOADING = """
import sys
import bitarm.__main__ as program

class Interrupting:
    def find_spec(self, name, *rest):
        if name == "bitarm.cli.app":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
program.main()
"""


def test_an_interrupt_while_the_program_loads_shows_no_traceback(home: Path) -> None:
    done = run_apart(
        _INTERRUPTED_WHILE_LOADING, env=environment(home), command=(sys.executable, "-c")
    )
    assert (done.code, done.out, done.err) == (130, "", "bitarm: interrupted\n")


@pytest.mark.parametrize("words", [("identify",), ("runs", "list")])
def test_an_interrupt_that_a_command_does_not_expect_is_said(
    bitarm: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def interrupt(*given: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bitarm.cli.commands.identify.new_seed", interrupt)
    monkeypatch.setattr("bitarm.cli.commands.runs.store_path", interrupt)
    done = bitarm(*words)
    assert (done.code, done.out, done.err) == (130, "", "bitarm: interrupted\n")
