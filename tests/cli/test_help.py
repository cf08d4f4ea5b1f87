"""Help at 80 columns: grouped, with defaults, nothing cut off or eaten, and completion is on."""

import re

import pytest
from cli.program import Command

_GROUPS = {
    "identify": ["Arguments", "Options", "Problem", "Scheme", "Limits", "Planning", "Output"],
    "simulate": ["Arguments", "Options", "Problem", "Scheme", "Limits", "Output"],
}


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", _GROUPS)
def test_flags_are_grouped_and_fit_the_screen(
    command: str, width: int, bitarm: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = bitarm(command, "--help").out
    assert max(map(len, shown.splitlines())) <= width
    assert sorted(re.findall(r"╭─ (\w+) ─", shown)) == sorted(_GROUPS[command])
    assert "…" not in shown.replace("N,N,…", "")  # nothing is cut off
    assert "[[" not in shown


def test_defaults_are_told_where_they_are_the_same_for_all(bitarm: Command) -> None:
    shown = re.sub(r"[│\s]+", " ", bitarm("identify", "--help").out)
    assert "Allowed probability of a wrong answer; default 0.05" in shown
    assert "an arm this close to the best will do; default 0" in shown
    assert "[default: 0.4]" in shown  # of --pace: brackets are no markup here
    assert "[default: warning]" in shown


def test_a_shell_can_complete_commands(bitarm: Command) -> None:
    assert "--install-completion" in bitarm("--help").out
