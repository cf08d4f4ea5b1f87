"""Rewards from a command: numbers, and three ways to fail."""

import sys
import time
from pathlib import Path

import pytest
from loopback import eventually

from bitarm.errors import ConfigError, NoMoreRewardsError, RewardError
from bitarm.rewards.commands import CommandSource


def _source(code: str, timeout: float = 20.0) -> CommandSource:
    return CommandSource(
        (sys.executable, "-c", code), folder=Path.cwd(), timeout=timeout, label="a"
    )


@pytest.mark.parametrize("timeout", [1e10, 1e300, float("inf")])
def test_a_timeout_may_be_longer_than_a_system_can_wait(timeout: float) -> None:
    source = _source("import time; time.sleep(0.2); print(1)", timeout=timeout)
    assert source.pull(1) == [1.0]
    source.close()


class _Stopped:
    """A clock that jumps ahead while somebody waits for the first time: it was stopped."""

    def __init__(self, jump: float) -> None:
        self._jump = jump
        self._asked = 0

    def monotonic(self) -> float:
        self._asked += 1
        return time.monotonic() + (self._jump if self._asked > 1 else 0.0)


def test_a_command_is_not_hung_while_its_reader_was_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python's select says then that nothing came, without looking."""
    monkeypatch.setattr("bitarm.rewards.commands.time", _Stopped(jump=100.0))
    source = _source("import time; time.sleep(0.2); print(1, flush=True); time.sleep(600)")
    assert source.pull(1) == [1.0]
    source.close()


def test_numbers_come_in_the_order_in_which_they_are_printed() -> None:
    source = _source("for i in range(9): print(i / 4, flush=True)")
    assert [*source.pull(3), *source.pull(2)] == [0.0, 0.25, 0.5, 0.75, 1.0]
    source.close()


def test_a_command_that_ends_says_why() -> None:
    source = _source("import sys; print(1); sys.exit('no signal')")
    with pytest.raises(RewardError, match=r"ended \(1\) after 1 reward; it said: no signal"):
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
    source = CommandSource(("no-such-probe",), folder=Path.cwd(), timeout=1, label="a")
    with pytest.raises(RewardError, match=r"the command of a \(no-such-probe\) cannot be started"):
        source.pull(1)
    line = CommandSource("no-such-probe -x", folder=Path.cwd(), timeout=5, label="a")
    said = r"the shell line of a \(no-such-probe -x\) ended \(127\) .*not found"
    with pytest.raises(RewardError, match=said):
        line.pull(1)


def test_a_text_is_a_line_for_the_shell() -> None:
    line = "for i in 1 2 3; do echo 0.$i; done | sort -r"
    source = CommandSource(line, folder=Path.cwd(), timeout=5, label="a")
    assert list(source.pull(3)) == [0.3, 0.2, 0.1]


def test_a_list_is_run_without_a_shell() -> None:
    source = CommandSource(("echo", "$HOME | 1"), folder=Path.cwd(), timeout=5, label="a")
    with pytest.raises(RewardError, match=r"it printed '\$HOME \| 1'"):
        source.pull(1)


def test_a_command_that_ends_in_order_has_no_more_rewards() -> None:
    source = CommandSource("echo 1; echo 2", folder=Path.cwd(), timeout=5, label="a")
    with pytest.raises(NoMoreRewardsError, match=r"ended \(0\) after 2 rewards"):
        source.pull(3)


@pytest.mark.parametrize(
    ("command", "timeout"), [("", 1.0), (" ", 1.0), ((), 1.0), ("echo 1", 0.0)]
)
def test_settings_that_cannot_work(command: str | tuple[str, ...], timeout: float) -> None:
    with pytest.raises(ConfigError):
        CommandSource(command, folder=Path.cwd(), timeout=timeout, label="a")


@pytest.mark.parametrize(
    "line",
    [
        "while :; do echo 1; sleep 0.01; done",  # it is stopped as it runs
        "echo 1",  # it has ended, and who is left holds its output
        "echo 1; exec >&-",  # it ends its output
    ],
)
def test_what_a_line_leaves_in_the_background_ends_with_it(line: str, tmp_path: Path) -> None:
    left = tmp_path / "left"
    source = CommandSource(
        f"(exec sleep 600 {'>&-' if 'exec' in line else ''}) & echo $! > left; {line}",
        folder=tmp_path,
        timeout=0.5,
        label="a",
    )
    assert list(source.pull(1)) == [1.0]
    if "while" not in line:
        with pytest.raises(RewardError):
            source.pull(1)
    source.close()
    pid = int(left.read_text())
    eventually(lambda: not _is_alive(pid), "the end of what was left")


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_secrets_of_this_program_do_not_reach_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BITARM_PASSWORD", "hush-hush")
    monkeypatch.setenv("BITARM_TOKEN_OF_TOMORROW", "hush-hush")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/hush-hush")
    monkeypatch.setenv("PROBE_PORT", "7")
    source = _source(
        "import os\n"
        "print(sum('hush-hush' in value for value in os.environ.values()))\n"
        "print(os.environ['PROBE_PORT'])\n"
    )
    assert source.pull(2) == [0.0, 7.0]
    source.close()


def test_a_command_that_complains_without_end_goes_on_and_leaves_nothing_behind() -> None:
    code = (
        "import sys\n"
        "for number in range(100):\n"
        "    sys.stderr.write('no signal ' * 10_000)\n"
        "    print(number, flush=True)\n"
        "sys.exit('battery empty')"
    )
    source = _source(code)
    assert source.pull(100) == [float(number) for number in range(100)]
    with pytest.raises(RewardError, match=r"no signal battery empty$") as caught:
        source.pull(1)
    assert len(str(caught.value)) < 600
    source.close()


def test_complaints_are_no_rewards_and_do_not_buy_time() -> None:
    code = (
        "import sys, time\nwhile True: sys.stderr.write('x'); sys.stderr.flush(); time.sleep(0.05)"
    )
    source = _source(code, timeout=0.5)
    with pytest.raises(RewardError, match=r"printed nothing for 0\.5 seconds and was ended"):
        source.pull(1)
    source.close()
