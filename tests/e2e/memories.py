"""Runs with rewards that nobody can repeat, and ways to put back what their processes remember."""

import json
import math
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from brokers import PlainBroker
from e2e.forks import halt, thaw
from e2e.processes import NAMES, RUN, Field
from loopback import eventually

from bitarm.core.events import LearnerEvent, ReportAccepted
from bitarm.errors import StoreError
from bitarm.store import SqliteJournal

DELTA = 0.01
MEANS = (0.85, 0.7, 0.4)  # of north, south and tower
BEST = "north"
_SIGMA = 0.5  # of a coin, at most
_BOUND = 6 * _SIGMA  # a mean is further off than this over √pulls once in 10^8 reports

_LIVE = """
import random, signal, sys

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever listened is gone
mean = float(sys.argv[1])
while True:
    print(int(random.random() < mean))  # seeded by the system: never the same again
"""

SCHEMES = {
    "paper": 'quantizer = "icq"\nbits = 3\nwidth = "paper"\npolicy = "se"',
    "path": 'quantizer = "dicq"\nwidth = "lil"\npolicy = "se"',
}
"""One whose width is a union over checkpoints, and one whose width holds along a path."""


def _problem(scheme: str) -> str:
    arms = "".join(
        f'[[arm]]\nname = "{name}"\nsource = "command"\n'
        f'command = ["{sys.executable}", "-IS", "live.py", "{mean}"]\n'
        for name, mean in zip(NAMES, MEANS, strict=True)
    )
    return (
        f"[problem]\ndelta = {DELTA}\nbounds = [0.0, 1.0]\n"
        f"[scheme]\n{SCHEMES[scheme]}\ngrowth = 1.1\n{arms}"
    )


class LiveField(Field):
    """A Field of live arms, whose files and journal can be copied and put back."""

    def __init__(self, folder: Path, url: str, scheme: str) -> None:
        (folder / "live.py").write_text(_LIVE)
        super().__init__(folder, url, _problem(scheme))
        self._seen: list[LearnerEvent] = []

    def begin(self, *, learner_url: str | None = None) -> None:
        """All agents and a learner."""
        for name in NAMES:
            self.start_agent(name)
        self.start_learner(url=learner_url)

    # -- the journal -------------------------------------------------------------------------

    def events(self) -> list[LearnerEvent]:
        """What the journal holds; only what is new is read."""
        try:
            with closing(SqliteJournal.open_read_only(self.store)) as journal:
                if journal.runs():
                    new = journal.read(1, after=len(self._seen))
                    self._seen.extend(entry.event for entry in new)
        except StoreError:
            pass
        return self._seen

    def told(self, name: str) -> int:
        """Reports of an arm in the journal so far."""
        arm = NAMES.index(name)
        return sum(
            isinstance(event, ReportAccepted) and event.arm == arm for event in self.events()
        )

    def wait_for_more(self, name: str, count: int) -> None:
        """Until an arm has told its mean so many times more."""
        enough = self.told(name) + count
        eventually(lambda: self.told(name) >= enough, f"{count} more reports of {name}")

    def wait_for_event(self, kind: type, count: int = 1) -> None:
        """Until the journal holds so many of them."""
        eventually(
            lambda: sum(isinstance(event, kind) for event in self.events()) >= count,
            f"{count} {kind.__name__}: {self.said('learner')[-2000:]}",
        )

    def copy_journal(self, name: str) -> Path:
        """A backup, made while others write."""
        copy = self.folder / name
        source = sqlite3.connect(self.store)
        with closing(source), closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        return copy

    def restore_journal(self, copy: Path) -> None:
        """The journal as it was; nobody may have it open."""
        for end in ("-wal", "-shm"):
            self.store.with_name(self.store.name + end).unlink(missing_ok=True)
        self.store.write_bytes(copy.read_bytes())
        self._seen = []

    def is_idle(self) -> bool:
        """Whether nobody is in the middle of writing the journal."""
        with closing(sqlite3.connect(self.store, timeout=0, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
            except sqlite3.OperationalError:
                return False
        return True

    # -- agents' files -----------------------------------------------------------------------

    def file_of(self, name: str) -> Path:
        """Where an agent keeps its memory."""
        return self.folder / "state" / RUN / f"{name}.json"

    def put_back(self, name: str, memory: bytes) -> None:
        """Kill an agent, give it an earlier memory, and start it again."""
        self.kill(name)
        self.file_of(name).write_bytes(memory)
        self.start_agent(name)

    # -- processes ---------------------------------------------------------------------------

    def pause(self, name: str) -> None:
        """Stop a process where it stands; a learner not in the middle of a transaction."""
        process = self.running[name]
        while True:
            halt(process)
            if self.is_idle():
                return
            thaw(process)

    def thaw(self, name: str) -> None:
        """Let a process go on that was paused."""
        self.running[name].send_signal(signal.SIGCONT)

    def start_successor(self, store: Path) -> None:
        """A learner that goes on with the run of another."""
        words = ("learner", "--store", str(store), "--json", "--log-level", "info")
        self.start("successor", *words, "--resume", "last")

    # -- how it ended ------------------------------------------------------------------------

    def ended(self, learner: str = "learner") -> dict[str, Any]:
        """The result, after learner and agents have ended as they should."""
        assert self.wait(learner) == 0, self.said(learner)[-2000:]
        assert [self.wait(name) for name in NAMES] == [0, 0, 0]
        return self.checked(learner)

    def checked(self, learner: str = "learner") -> dict[str, Any]:
        """The result, which names the right arm; every mean in the journal may be true."""
        result: dict[str, Any] = json.loads((self.folder / f"{learner}.out").read_text())
        assert (result["best_arm_name"], result["outcome"]) == (BEST, "decided")
        self._assert_plausible()
        for path in self.folder.glob("*.err"):
            assert "Traceback" not in path.read_text(), path.read_text()[-3000:]
        return result

    def _assert_plausible(self) -> None:
        told = [event for event in self.events() if isinstance(event, ReportAccepted)]
        assert len(told) > 10
        for event in told:
            chance = _BOUND / math.sqrt(event.pulls)
            assert abs(event.mean - MEANS[event.arm]) <= chance + event.error, event


@contextmanager
def live_field(folder: Path, url: str, scheme: str) -> Iterator[LiveField]:
    """The processes are ended afterwards, whatever happened."""
    place = LiveField(folder, url, scheme)
    try:
        yield place
    finally:
        for process in place.running.values():
            if process.poll() is None:
                process.kill()  # also one that is paused
            process.wait()


def lose_memory(broker: PlainBroker, folder: Path) -> None:
    """A broker that dies, and comes back without what it kept."""
    broker.kill()
    (folder / "broker" / "mosquitto.db").unlink(missing_ok=True)
    broker.start()
