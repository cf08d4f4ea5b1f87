"""`--no-code`: a problem file may name programs and functions, and nothing of them is run."""

from pathlib import Path

import pytest
from cli.program import ARMS, Command, callables, problem

_MARK = "ran.txt"
_COMMAND = (
    f'[[arm]]\nname = "third"\nagent = "gw-3"\nsource = "command"\ncommand = "touch {_MARK}"\n'
)


def _file(folder: Path, arms: str) -> Path:
    file = folder / "problem.toml"
    file.write_text(problem(arms=arms), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "words", ["identify {}", "agent {} --agent gw-3 --run lab --broker mqtt://localhost:1"]
)
def test_a_command_is_refused_and_not_started(bitarm: Command, tmp_path: Path, words: str) -> None:
    file = _file(tmp_path, ARMS + _COMMAND)
    done = bitarm(*words.format(file).split(), "--no-code")
    assert (done.code, done.out) == (2, "")
    assert "arm 'third' has a command source, which runs code that the problem" in done.err
    assert "leave --no-code out if you trust the file" in done.err
    assert not (tmp_path / _MARK).exists()


def test_a_function_is_refused_and_its_module_not_imported(bitarm: Command, tmp_path: Path) -> None:
    (tmp_path / "probes.py").write_text(f"open({_MARK!r}, 'w').close()\n", encoding="utf-8")
    done = bitarm("identify", _file(tmp_path, callables("probes", "a", "b")), "--no-code")
    assert done.code == 2
    assert "has a callable source, which runs code" in done.err
    assert not list(tmp_path.rglob(_MARK))


def test_an_agent_cares_for_its_own_arms_only(bitarm: Command, tmp_path: Path) -> None:
    file = _file(tmp_path, ARMS + _COMMAND)
    flags = ("--agent", "low", "--run", "lab", "--broker", "mqtt://localhost:1")
    done = bitarm("agent", file, *flags, "--connect-within", 0.1, "--no-code")
    assert done.code == 4  # there is no broker: it would have begun
    assert "code" not in done.err


def test_data_is_no_code(bitarm: Command, tmp_path: Path) -> None:
    assert bitarm("identify", _file(tmp_path, ARMS), "--no-code", "--seed", 1).code == 0
