"""Rewards from a command: numbers, and three ways to fail."""

import sys
from pathlib import Path

import pytest

from bitarm.errors import ConfigError, RewardError
from bitarm.rewards.commands import CommandSource


def _source(code: str, timeout: float = 20.0) -> CommandSource:
    return CommandSource(
        (sys.executable, "-c", code), folder=Path.cwd(), timeout=timeout, label="a"
    )


def test_numbers_come_in_the_order_in_which_they_are_printed() -> None:
    source = _source("for i in range(9): print(i / 4, flush=True)")
    assert [*source.pull(3), *source.pull(2)] == [0.0, 0.25, 0.5, 0.75, 1.0]
    source.close()


def test_a_command_that_ends_says_why() -> None:
    source = _source("import sys; print(1); sys.exit('no signal')")
    with pytest.raises(RewardError, match=r"ended \(1\) after 1 rewards; it said: no signal"):
        source.pull(2)
    source.close()


def test_a_command_that_falls_silent_is_ended() -> None:
    source = _source("import time; print(1, flush=True); time.sleep(600)", timeout=0.3)
    with pytest.raises(RewardError, match=r"printed nothing for 0\.3 seconds and was ended"):
        source.pull(100)
    source.close()


@pytest.mark.parametrize("said", ["hello", "", "nan", "inf", "1 2", "x" * 9000])
def test_words_are_no_rewards(said: str) -> None:
    source = _source(f"print({said!r})")
    with pytest.raises(RewardError, match=r"must print a number a line|without a line's end"):
        source.pull(1)
    source.close()


def test_a_command_that_is_not_there() -> None:
    source = CommandSource("no-such-probe", folder=Path.cwd(), timeout=1, label="a")
    with pytest.raises(RewardError, match=r"\(no-such-probe\) cannot be started"):
        source.pull(1)


@pytest.mark.parametrize(("command", "timeout"), [("", 1.0), ("echo 1", 0.0)])
def test_settings_that_cannot_work(command: str, timeout: float) -> None:
    with pytest.raises(ConfigError):
        CommandSource(command, folder=Path.cwd(), timeout=timeout, label="a")
