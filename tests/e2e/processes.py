"""Learner and agents as processes of their own, killed without warning."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from e2e.forks import Fork, Process
from loopback import PATIENCE, eventually

from bitarm.core.events import LearnerEvent, ReportAccepted
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal

NAMES = ("north", "south", "tower")
RUN = "lab"

PROBLEM = """
[problem]
delta = 0.05
sigma = 0.112
bounds = [0.0, 1.0]

[scheme]
quantizer = "icq"
bits = 3
width = "paper"
growth = 1.1  # many rounds: time to be killed in

[[arm]]
name = "north"
source = "beta"
mean = 0.93
concentration = 19

[[arm]]
name = "south"
source = "beta"
mean = 0.90
concentration = 19

[[arm]]
name = "tower"
source = "beta"
mean = 0.965
concentration = 19
"""


CHALLENGE_PROBLEM = """
[problem]
delta = 0.05
bounds = [0.0, 1.0]

[scheme]
policy = "challenge"
quantizer = "dyadic"
width = "bounded"

[[arm]]
name = "north"
source = "beta"
mean = 0.945
concentration = 19

[[arm]]
name = "south"
source = "beta"
mean = 0.935
concentration = 19

[[arm]]
name = "tower"
source = "beta"
mean = 0.955
concentration = 19
"""
"""No σ: agents bet on their own rewards, and judge themselves by what the leader tells."""


class Field:
    """A folder with a problem, a journal and the agents' files, and the processes that use them."""

    def __init__(
        self, folder: Path, url: str, problem: str = PROBLEM, *, by_command: bool = False
    ) -> None:
        """`by_command`: processes are started by their command, as a user does, not forked."""
        self.folder, self.url = folder, url
        self.problem = folder / "problem.toml"
        self.problem.write_text(problem)
        self.store = folder / "runs.sqlite"
        self.by_command = by_command
        self.running: dict[str, Process] = {}

    def start(self, name: str, *words: str, url: str | None = None) -> None:
        out, err = self.folder / f"{name}.out", self.folder / f"{name}.err"
        with out.open("ab") as stdout, err.open("ab") as stderr:
            words = (*words, "--broker", url or self.url)
            environment = dict(os.environ) | {"XDG_DATA_HOME": str(self.folder / "data")}
            if self.by_command:
                self.running[name] = subprocess.Popen(
                    [sys.executable, "-m", "bitarm", *words],
                    stdout=stdout,
                    stderr=stderr,
                    env=environment,
                )
            else:
                self.running[name] = Fork(
                    *words, environment=environment, stdout=stdout, stderr=stderr
                )

    def start_agent(self, name: str, *words: str, url: str | None = None) -> None:
        given = ("agent", str(self.problem), "--agent", name, "--run", RUN)
        self.start(name, *given, "--state", str(self.folder / "state"), *words, url=url)

    def start_learner(self, *words: str, url: str | None = None) -> None:
        """Begin a run, or go on with the one that was begun."""
        given = ["learner", "--store", str(self.store), "--json", "--log-level", "info"]
        if self.events():
            given += ["--resume", "last"]
        else:
            given += [str(self.problem), "--run", RUN, "--seed", "5"]
        self.start("learner", *given, *words, url=url)

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def wait(self, name: str) -> int:
        """The exit code; fails with what the process said if it does not end."""
        try:
            return self.running[name].wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{name} does not end: {self.said(name)[-2000:]}") from None

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.err").read_text()

    def result(self) -> dict[str, Any]:
        """What the learner printed last: one that is resumed after the end says it again."""
        *_, last = (self.folder / "learner.out").read_text().splitlines()
        printed: dict[str, Any] = json.loads(last)
        return printed

    def events(self) -> list[LearnerEvent]:
        """What the journal holds of the newest run; nothing before there is one."""
        try:
            with closing(SqliteJournal.open_read_only(self.store)) as journal:
                runs = journal.runs()
                return [entry.event for entry in journal.read(runs[0].run)] if runs else []
        except StoreError:
            return []

    def accepted(self) -> int:
        """Reports in the journal so far."""
        return sum(isinstance(event, ReportAccepted) for event in self.events())

    def wait_for_reports(self, count: int) -> None:
        eventually(lambda: self.accepted() >= count, f"{count} reports: {self.said('learner')}")


@contextmanager
def field(
    folder: Path, url: str, problem: str = PROBLEM, *, by_command: bool = False
) -> Iterator[Field]:
    """The processes are ended afterwards, whatever happened."""
    place = Field(folder, url, problem, by_command=by_command)
    try:
        yield place
    finally:
        for process in place.running.values():
            if process.poll() is None:
                process.kill()
            process.wait()
