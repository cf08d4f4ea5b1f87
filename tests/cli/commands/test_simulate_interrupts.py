"""`bitarm simulate`: Ctrl-C and signals end it and its workers; the same command goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli.program import COMMAND, Command, chunks, environment
from loopback import PATIENCE

from bitarm.api.simulate import simulate
from bitarm.sim.models import Bernoulli

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_LONG_TRIALS = 400_000
_LONG = (
    "simulate", "--arms", "bernoulli:0.51,0.5", "--policy", "se", "--seed", "3",
    "--trials", str(_LONG_TRIALS),
)  # fmt: skip
_SHORT = (*_LONG[:-1], "50")
_POOLED = (
    sys.executable,
    "-c",
    "from bitarm.sim import execute; execute._WORTH_A_POOL = 0.0\n"
    "from bitarm.__main__ import main; main()",
)
"""The program, but for starting its processes however small the work."""


@pytest.fixture(scope="module")
def long_text() -> str:
    """What the long sweep prints when nobody interrupts it."""
    coins = (Bernoulli(mean=0.51), Bernoulli(mean=0.5))
    plain = simulate(coins, policy="se", trials=_LONG_TRIALS, seed=3, workers=1).to_json()
    return json.dumps(plain) + "\n"


@dataclass(frozen=True)
class Session:
    """A running command with all its processes."""

    process: subprocess.Popen[str]

    def others(self) -> set[int]:
        """The processes of the session that live, without the command itself."""
        found = set()
        for entry in Path("/proc").iterdir():
            try:
                state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except (OSError, ValueError):
                continue  # no process, or one that has just ended
            if int(session) == self.process.pid and state != "Z":
                found.add(int(entry.name))
        return found - {self.process.pid}

    def wait_until_alone(self, seconds: float) -> set[int]:
        """What is left of the others after waiting for their end."""
        deadline = time.monotonic() + seconds
        while self.others() and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.others()


@contextmanager
def _session(command: tuple[str, ...], words: tuple[str, ...], home: Path) -> Iterator[Session]:
    """Run a command in a session of its own; nothing of it survives."""
    process = subprocess.Popen(
        [*command, *words],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    session = Session(process)
    try:
        yield session
    finally:
        for survivor in session.others() | ({process.pid} if process.poll() is None else set()):
            os.kill(survivor, signal.SIGKILL)
        process.communicate(timeout=PATIENCE)


def _await_chunks(cache: Path, count: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(chunks(cache)) < count:
        assert time.monotonic() < deadline, "the chunks never came"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "workers", "least"),
    [(COMMAND, "1", 3), (_POOLED, "2", 5)],
    ids=["in one process", "with two workers"],
)
def test_ctrl_c_ends_a_sweep_that_goes_on_from_there(
    home: Path, cache: Path, long_text: str, command: tuple[str, ...], workers: str, least: int
) -> None:
    words = (*_LONG, "--workers", workers, "--json")
    with _session(command, words, home) as session:
        _await_chunks(cache, least)
        os.killpg(session.process.pid, signal.SIGINT)  # a terminal tells the whole group
        out, err = session.process.communicate(timeout=PATIENCE)
        assert session.wait_until_alone(5) == set()
    assert session.process.returncode == 130
    assert out == ""
    assert "interrupted; the same command with --seed 3 goes on from here" in err
    assert "Traceback" not in err
    kept = {path: path.stat().st_mtime_ns for path in chunks(cache)}
    assert least <= len(kept) < 64

    with _session(command, words, home) as session:
        out, err = session.process.communicate(timeout=PATIENCE)
        assert session.wait_until_alone(5) == set()
    assert session.process.returncode == 0
    assert out == long_text
    assert err == ""
    assert len(chunks(cache)) == 64
    assert {path: path.stat().st_mtime_ns for path in kept} == kept  # none was run again


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_a_parent_that_is_killed(
    home: Path, cache: Path, number: signal.Signals
) -> None:
    """A batch system that ends a job, a service that is stopped, a parent out of memory."""
    words = (*_LONG[:-1], "40000000", "--workers", "2", "--json")
    with _session(_POOLED, words, home) as session:
        _await_chunks(cache, 3)  # two of the parent's, one of the workers'
        assert len(session.others()) >= 2
        session.process.send_signal(number)
        session.process.wait(PATIENCE)
        assert session.wait_until_alone(10) == set()


@pytest.mark.parametrize(
    "while_",
    [
        "bitarm.api.simulate.simulate",
        "bitarm.cli.show.sweep.print_table",
        "bitarm.cli.show.sweep.plot_simulation",
    ],
)
def test_an_interrupt_at_any_time_says_how_to_go_on(
    bitarm: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, while_: str
) -> None:
    def interrupt(*words: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(while_, interrupt)
    done = bitarm(*_SHORT, "--plot", tmp_path / "sweep.svg")
    assert done.code == 130
    assert "interrupted; the same command with --seed 3 goes on from here" in done.err
