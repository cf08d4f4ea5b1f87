"""Help at 80 columns: grouped, with defaults, nothing cut off or eaten, and completion is on."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from cli.program import Command
from rich.text import Text
from typer.main import get_command

from bitarm.cli.app import make_app

_ORDER = ["Arguments", "Options", "Problem", "Scheme", "Limits", "Planning", "Output", "Commands"]


def _commands(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from _commands(below, *path, name)


_COMMANDS = dict(_commands(get_command(make_app())))


@pytest.mark.parametrize(
    ("command", "width"), [*((command, 80) for command in _COMMANDS), (("identify",), 120)]
)
def test_flags_are_grouped_and_fit_the_screen(
    command: tuple[str, ...],
    width: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    _COMMANDS[command](["--help"], prog_name="bitarm", standalone_mode=False)
    shown = capsys.readouterr().out
    assert "Show this message" in shown
    assert max(map(len, shown.splitlines())) <= width
    panels = re.findall(r"╭─ (\w+)(?:: [\w ]+)? ─", shown)
    assert panels == sorted(panels, key=_ORDER.index)
    assert "…" not in shown.replace("N,N,…", "")  # nothing is cut off
    assert "[[" not in shown
    assert "`" not in shown


@pytest.mark.parametrize("command", _COMMANDS, ids=" ".join)
def test_nothing_in_a_help_text_is_eaten_as_markup(command: tuple[str, ...]) -> None:
    meant = _COMMANDS[command]
    texts = [meant.help or "", *(getattr(flag, "help", None) or "" for flag in meant.params)]
    for text in texts:
        assert Text.from_markup(text).plain == text.replace("\\[", "[")


def test_defaults_are_told_and_where_they_hold(bitarm: Command) -> None:
    shown = re.sub(r"[│\s]+", " ", bitarm("identify", "--help").out)
    assert "Allowed probability of a wrong answer; default 0.05" in shown
    assert "an arm this close to the best will do; default 0" in shown
    assert "[default: 0.4]" in shown  # of --pace: brackets are no markup here
    assert "[default: warning]" in shown
    assert "top-two, sequential-halving, successive-rejects; default challenge or se, by" in shown
    assert "Step of a mean, in deviations (dicq, dyadic); default 2; 0.5 for dicq under" in shown


def test_a_shell_can_complete_commands(bitarm: Command) -> None:
    assert "--install-completion" in bitarm("--help").out


def test_help_has_a_short_flag(bitarm: Command) -> None:
    assert bitarm("schema", "-h").out == bitarm("schema", "--help").out != ""
