"""Ctrl-C, SIGTERM, a closed terminal: the run ends as interrupted, and the shell sees 130."""

import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
from cli.program import COMMAND, PAPER_SCHEME, Command, OnTerminal, callables, environment, problem
from loopback import PATIENCE

from bitarm.core.events import ReportAccepted, RunEnded
from bitarm.core.replay import replay
from bitarm.store import SqliteJournal


def _await(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.02)


def _sleepy(folder: Path) -> Path:
    """A problem whose second arm falls asleep in its fifth pull, the first of round 3."""
    (folder / "sleepy.py").write_text(
        "import pathlib, time\n"
        "calls = []\n"
        "def quick():\n    return 0.5\n"
        "def slow():\n"
        "    calls.append(1)\n"
        "    if len(calls) == 5:\n"
        f"        pathlib.Path({str(folder / 'asleep')!r}).touch()\n"
        "        time.sleep(600)\n"
        "    return 0.5\n",
        encoding="utf-8",
    )
    file = folder / "problem.toml"
    file.write_text(
        problem(scheme=PAPER_SCHEME, arms=callables("sleepy", "quick", "slow")), encoding="utf-8"
    )
    return file


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_reward_is_awaited_ends_the_run_as_interrupted(
    home: Path, store: Path, tmp_path: Path, bitarm: Command, number: signal.Signals
) -> None:
    with subprocess.Popen(
        [*COMMAND, "identify", str(_sleepy(tmp_path)), "--seed", "1"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        _await(tmp_path / "asleep")
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "none: the run was interrupted. Still in the race: quick, slow" in out
    with closing(SqliteJournal.open(store)) as journal:
        (run,) = journal.runs()
        events = [entry.event for entry in journal.read(run.run)]
    assert run.outcome == "interrupted"
    assert sum(isinstance(event, ReportAccepted) for event in events) == 4
    assert sum(isinstance(event, RunEnded) for event in events) == 1
    assert bitarm("runs", "replay", "last").code == 0


def test_ctrl_c_while_the_first_table_is_shown_ends_the_run_as_interrupted(
    home: Path, store: Path
) -> None:
    running = OnTerminal(home, "identify", "--seed", "1", "--pace", "60")
    running.await_text("basement")  # the last row of the first table
    running.process.send_signal(signal.SIGINT)
    done = running.finished()
    assert done.code == 130
    assert "none: the run was interrupted" in done.out
    with closing(SqliteJournal.open(store)) as journal:
        (run,) = journal.runs()
        ending = replay(entry.event for entry in journal.read(run.run)).ending
    assert run.outcome == "interrupted"
    assert ending is not None


def test_a_kill_leaves_a_run_without_an_ending_that_can_be_read(
    home: Path, store: Path, tmp_path: Path, bitarm: Command
) -> None:
    with subprocess.Popen(
        [*COMMAND, "identify", str(_sleepy(tmp_path)), "--seed", "1"],
        env=environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        _await(tmp_path / "asleep")
        process.kill()
        process.wait(timeout=PATIENCE)
    assert store.exists()
    (run,) = bitarm("runs", "list", "--json").json["runs"]
    assert run["outcome"] is None
    done = bitarm("runs", "show", "last")
    assert done.code == 0
    assert "The run has not ended" in done.out
    assert bitarm("runs", "replay", "last").code == 0
