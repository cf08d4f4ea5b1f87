"""Attacks on real processes and a real broker, behind a line that does its worst.

Rewards are read from models, so they can be had again: whatever happens to processes, files, disk
and line, the run is the one of its seed in one process, to the last bit.
"""

import random
import resource
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from brokers import PlainBroker
from chaos.rough_line import RoughLine
from e2e.embedded import assert_as_embedded
from e2e.forks import halt
from e2e.processes import CHALLENGE_PROBLEM, NAMES, PROBLEM, RUN, Field, field
from loopback import PATIENCE, eventually

PROBLEMS = {
    "paper": PROBLEM,
    "challenge": CHALLENGE_PROBLEM,
    "challenge-sigma": CHALLENGE_PROBLEM.replace(
        "bounds = [0.0, 1.0]", "bounds = [0.0, 1.0]\nsigma = 0.112"
    ).replace('"bounded"', '"sub-gaussian"'),
}
"""What is attacked, by name."""


class Attack:
    """One run of learner, three agents and a broker, and what is done to them."""

    def __init__(
        self, place: Field, broker: PlainBroker, line: RoughLine, rng: random.Random
    ) -> None:
        self.place, self.broker, self.line, self.rng = place, broker, line, rng
        self.counts: Counter[str] = Counter()
        self.has_ended = False

    def begin(self) -> None:
        """Everybody starts; who goes through the rough line is chance."""
        for name in NAMES:
            self._start(name)
        self._start("learner")

    def _start(self, name: str) -> None:
        url = self.rng.choice([self.line.url, self.broker.url])
        if name == "learner":
            self.place.start_learner(url=url)
        else:
            self.place.start_agent(name, url=url)

    def _runs(self, name: str) -> bool:
        return self.place.running[name].poll() is None

    def _someone(self) -> str | None:
        alive = [name for name in ("learner", *NAMES) if self._runs(name)]
        return self.rng.choice(alive) if alive else None

    # -- faults ------------------------------------------------------------------------------

    def kill(self) -> bool:
        """SIGKILL, and a start at once."""
        name = self._someone()
        if name is None or not self._runs("learner"):
            return False
        self.place.kill(name)
        self._start(name)
        return True

    def kill_broker(self) -> bool:
        """It comes back with what it had last written to its disk."""
        self.broker.kill()
        time.sleep(self.rng.choice([0.0, 0.5]))
        self.broker.start()
        return True

    def pause(self) -> bool:
        """SIGSTOP for a while: whoever it is goes on as if no time had passed."""
        name = self._someone()
        if name is None:
            return False
        process = self.place.running[name]
        process.send_signal(signal.SIGSTOP)
        time.sleep(self.rng.choice([0.2, 1.0, 2.0]))
        process.send_signal(signal.SIGCONT)
        return True

    def pause_and_follow(self) -> bool:
        """The learner is paused, and another one resumes the run; the first is thawed and yields.

        Both write into one journal: the first one's next word is refused there, or it hears of its
        successor before.
        """
        if not self.place.events() or not self._runs("learner"):
            return False
        old = self.place.running.pop("learner")
        halt(old)
        self._start("learner")
        new = self.place.running["learner"]
        time.sleep(self.rng.choice([0.0, 4.0, 6.0]))  # before, while and after it speaks
        old.send_signal(signal.SIGCONT)
        try:
            eventually(
                lambda: old.poll() is not None or new.poll() is not None,
                f"one of two learners to yield: {self.place.said('learner')[-2000:]}",
            )
        except AssertionError:
            old.kill()
            raise
        if old.poll() is None:  # the second found that the first was there, and left it to it
            self.place.running["learner"] = old
        return True

    def fill_disk(self) -> bool:
        """No file may grow any more, of one process: it ends, and is started again with room."""
        name = self._someone()
        if name is None or not self._runs("learner"):
            return False
        process = self.place.running[name]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, 1))
        try:
            code = process.wait(3.0)
        except subprocess.TimeoutExpired:  # it had nothing to write
            self.place.kill(name)
            code = -signal.SIGKILL
        if name == "learner" or code:
            self._start(name)
        return True

    def rot(self) -> bool:
        """A byte of an agent's file changes: the agent refuses it, and begins anew without it."""
        return self._with_file(lambda memory: memory[:-9] + bytes([memory[-9] ^ 1]) + memory[-8:])

    def truncate(self) -> bool:
        """Half of an agent's file is gone."""
        return self._with_file(lambda memory: memory[: len(memory) // 2])

    def _with_file(self, spoil: Callable[[bytes], bytes]) -> bool:
        name = self.rng.choice(NAMES)
        path = self.place.folder / "state" / RUN / f"{name}.json"
        if not path.exists() or not self._runs(name) or not self._runs("learner"):
            return False
        self.place.kill(name)
        path.write_bytes(spoil(path.read_bytes()))
        self._start(name)
        assert self.place.wait(name) in (0, 1), self.place.said(name)
        path.unlink()
        self._start(name)
        return True

    def put_back(self) -> bool:
        """An agent's file goes back to what it was a moment ago."""
        name = self.rng.choice(NAMES)
        path = self.place.folder / "state" / RUN / f"{name}.json"
        if not path.exists():
            return False
        memory = path.read_bytes()
        time.sleep(0.3)
        if not self._runs(name) or not self._runs("learner"):
            return False
        self.place.kill(name)
        path.write_bytes(memory)
        self._start(name)
        return True

    def cut(self) -> bool:
        """All connections through the line are reset."""
        self.line.cut()
        return True

    def halve(self) -> bool:
        """Half of a packet arrives, and then nothing."""
        self.line.halve()
        return True

    def roughen(self) -> bool:
        """The line becomes slow, or thin, or good again."""
        self.line.delay = self.rng.choice([0.0, 0.05, 0.2])
        self.line.rate = self.rng.choice([float("inf"), 20_000.0, 4_000.0])
        return True

    # -- the end -----------------------------------------------------------------------------

    def go_on(self, reports: int) -> bool:
        """Wait until so many more reports were accepted; whether the run goes on then.

        A run may end before: where arms give up by themselves, after six reports.
        """
        wanted = self.place.accepted() + reports
        eventually(
            lambda: self._over() or self.place.accepted() >= wanted,
            f"{wanted} reports: {self.place.said('learner')[-2000:]}",
            3 * PATIENCE,
        )
        return self.place.running["learner"].poll() is None

    def strike(self) -> None:
        """One fault, if it can happen now."""
        name = self.rng.choice(list(FAULTS))
        self.counts[name] += FAULTS[name](self)

    def end(self, problem: str) -> None:
        """Nothing goes wrong any more; the run must be the one of its seed."""
        self.line.delay, self.line.rate = 0.0, float("inf")
        eventually(self._over, f"the end: {self.place.said('learner')[-2000:]}", 3 * PATIENCE)
        assert_as_embedded(self.place, problem)

    def _over(self) -> bool:
        """Whether the learner has its answer; who ended for want of a peer is started again."""
        learner = self.place.running["learner"]
        for name in NAMES:
            if not self._runs(name) and learner.poll() is None:
                waited = self.place.said("learner").rpartition("that are not connected: ")[2]
                if name in waited:
                    self._start(name)
        if learner.poll() not in (None, 0):
            self._start("learner")
        return learner.poll() == 0


FAULTS: dict[str, Callable[[Attack], bool]] = {
    "process killed": Attack.kill,
    "broker killed": Attack.kill_broker,
    "process paused": Attack.pause,
    "learner paused, and followed": Attack.pause_and_follow,
    "disk full": Attack.fill_disk,
    "agent's file rotten": Attack.rot,
    "agent's file halved": Attack.truncate,
    "agent's file put back": Attack.put_back,
    "line cut": Attack.cut,
    "packet halved": Attack.halve,
    "line slow or thin": Attack.roughen,
}
"""What is done to processes, files and the line."""


def attack_processes(seed: int, folder: Path, strikes: int = 8) -> Counter[str]:
    """One run under attack; the faults that it had. AssertionError if it is not the same run."""
    rng = random.Random(f"processes/{seed}")
    problem = list(PROBLEMS.values())[seed % len(PROBLEMS)]
    (folder / "broker").mkdir(parents=True)
    broker = PlainBroker(folder / "broker")
    broker.start()
    line = RoughLine(broker.port)
    try:
        with field(folder, broker.url, problem) as place:
            attack = Attack(place, broker, line, rng)
            attack.begin()
            for _ in range(strikes):
                if not attack.go_on(rng.choice([0, 1, 3])):
                    break
                attack.strike()
                time.sleep(rng.random() / 2)
            attack.end(problem)
            return attack.counts
    finally:
        line.close()
        broker.kill()
