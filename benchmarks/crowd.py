"""How far one machine goes with a real broker, real frames and a journal; figures for the docs.

    python -m benchmarks.crowd agents [COUNT]             5,000 agents, an arm each
    python -m benchmarks.crowd gateways [ARMS] [COUNT]    10,000 arms behind 10 gateways
    python -m benchmarks.crowd runs [COUNT]               50 learners' processes on one journal
    python -m benchmarks.crowd hours [MINUTES]            a busy run of 100 agents; is memory flat?

Agents are bare clients in a process of their own that answer at once (`benchmarks.fleet`): what is
measured is learner, journal and broker. Nothing is asserted but that every round is whole.
"""

import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from brokers import PlainBroker

from benchmarks.bench_network import spec_of
from benchmarks.fleet import RUN, agent_name, run_name
from bitarm.core.events import FleetAssigned, LearnerEvent, RoundOpened, RunEnded
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.replay import replay
from bitarm.core.schedule import paper_schedule
from bitarm.core.setup import Setup
from bitarm.runtime.learner.begin import open_run
from bitarm.runtime.mqtt import MqttDriver
from bitarm.store import SqliteJournal

_ROUNDS = 8
_TOGETHER = 20  # rounds of each of many runs
_ARMS_OF_A_RUN = 3
_SLOW_GROWTH = 1.0005  # so that a busy run has tens of thousands of rounds
_EVERY = 60.0  # seconds between two looks at the memory


@contextmanager
def _crowd(folder: Path, count: int, runs: int = 0) -> Iterator[PlainBroker]:
    """A broker with so many agents on it, in each of so many runs."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    (folder / "broker").mkdir()
    broker = PlainBroker(folder / "broker")
    broker.start()
    words = ["-m", "benchmarks.fleet", str(broker.port), str(count), str(runs)]
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        yield broker
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        broker.kill()


def _memory(pid: int) -> float:
    """Of a process, in MiB."""
    (kilobytes,) = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("ascii"))
    return int(kilobytes) / 1024


def _drive(
    broker: PlainBroker,
    store: Path,
    learner: Learner,
    agents: Sequence[str],
    *,
    seconds: float = math.inf,
) -> list[float]:
    """Run a learner to its end, or for so long; when each round opened."""
    opened = array("d")
    look_at, stop_at = time.monotonic() + _EVERY, time.monotonic() + seconds

    def watch(events: Sequence[LearnerEvent]) -> None:
        nonlocal look_at, stop_at
        now = time.monotonic()
        opened.extend(now for event in events if isinstance(event, RoundOpened))
        if now >= look_at and seconds < math.inf:
            look_at = now + _EVERY
            _look(len(opened), broker, store)
        if now >= stop_at:
            stop_at = math.inf
            service.interrupt()

    with closing(SqliteJournal.open(store)) as journal:
        fleet = FleetAssigned(fleet=RUN, agents=tuple(agents))
        began = time.monotonic()
        _, service = open_run(
            learner, journal, fleet, boot="here", watch=watch, now=began, linger=0
        )
        driver = MqttDriver(service, broker.address)
        driver.run()
        driver.close()
        assert service.failure is None
    return list(opened)


def _look(rounds: int, broker: PlainBroker, store: Path) -> None:
    size = sum(path.stat().st_size for path in store.parent.glob(f"{store.name}*"))
    print(
        f"{rounds:8,} rounds, learner {_memory(os.getpid()):6.1f} MiB, broker "
        f"{_memory(broker.pid):6.1f} MiB, journal {size / 2**20:8.1f} MiB",
        flush=True,
    )


def _rounds(arms: int, agents: Sequence[str], folder: Path, broker: PlainBroker) -> None:
    limits = Limits(rounds=_ROUNDS)
    setup = Setup(spec=spec_of(arms), policy=SuccessiveElimination(), limits=limits)
    used = os.times()
    began = time.monotonic()
    opened = _drive(broker, folder / "runs.sqlite", Learner(setup, opening="crowd"), agents)
    assert len(opened) == _ROUNDS, "a round is missing"
    spent = os.times()
    gaps = [after - before for before, after in pairwise(opened[1:])]
    print(
        f"{arms:,} arms of {len(set(agents)):,} agents, {_ROUNDS} rounds: all there after "
        f"{opened[1] - began:.1f} s, then {statistics.median(gaps):.2f} s a round, "
        f"{arms / statistics.median(gaps):,.0f} reports a second; the learner's processor "
        f"{spent.user + spent.system - used.user - used.system:.1f} s in all\n"
        f"memory: learner {_memory(os.getpid()):.0f} MiB, broker {_memory(broker.pid):.0f} MiB"
    )


def agents(count: int = 5_000) -> None:
    """An agent for each arm."""
    with tempfile.TemporaryDirectory() as folder, _crowd(Path(folder), count) as broker:
        names = [agent_name(number) for number in range(count)]
        _rounds(count, names, Path(folder), broker)


def gateways(arms: int = 10_000, count: int = 10) -> None:
    """Many arms of a few agents, whose reports travel packed."""
    with tempfile.TemporaryDirectory() as folder, _crowd(Path(folder), count) as broker:
        _rounds(arms, [agent_name(arm % count) for arm in range(arms)], Path(folder), broker)


_PROBLEM = """
[problem]
delta = 0.05
sigma = 0.5
bounds = [0.0, 1.0]

[scheme]
quantizer = "icq"
bits = 3
prior = "midpoint"
width = "paper"

[limits]
rounds = {rounds}
"""
_ARM = """
[[arm]]
name = "{name}"
source = "bernoulli"
mean = 0.5
"""


def runs(count: int = 50) -> None:
    """So many learners' processes, as a user starts them, into one journal."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _crowd(Path(folder), _ARMS_OF_A_RUN, count) as broker,
    ):
        store, problem = Path(folder) / "runs.sqlite", Path(folder) / "problem.toml"
        named = "".join(_ARM.format(name=agent_name(arm)) for arm in range(_ARMS_OF_A_RUN))
        problem.write_text(_PROBLEM.format(rounds=_TOGETHER) + named)
        began = time.monotonic()
        words = ("-m", "bitarm", "learner", str(problem), "--store", str(store), "--json")
        learners = [
            subprocess.Popen(
                [sys.executable, *words, "--broker", broker.url, "--run", run_name(number)],
                stdout=subprocess.DEVNULL,
            )
            for number in range(count)
        ]
        codes = [learner.wait() for learner in learners]
        took = time.monotonic() - began
        assert codes == [3] * count, codes  # the limit on rounds: these agents never differ
        with closing(SqliteJournal.open_read_only(store)) as journal:
            kept = journal.runs()
            assert len(kept) == count
            for run in kept:
                events = [entry.event for entry in journal.read(run.run)]
                replay(events)
                assert sum(isinstance(event, RoundOpened) for event in events) == _TOGETHER
                assert any(isinstance(event, RunEnded) for event in events)
            entries = sum(run.entries for run in kept)
        print(
            f"{count} runs at once on one journal, {_TOGETHER} rounds each: {entries:,} entries in "
            f"{took:.0f} s, processes started and ended included; all whole, and replayed"
        )


def hours(minutes: int = 20) -> None:
    """A busy run for so long; its memory at each look."""
    with tempfile.TemporaryDirectory() as folder, _crowd(Path(folder), 100) as broker:
        spec = replace(spec_of(100), schedule=paper_schedule(_SLOW_GROWTH))
        learner = Learner(Setup(spec=spec, policy=SuccessiveElimination()), "crowd")
        names = [agent_name(number) for number in range(100)]
        store = Path(folder) / "runs.sqlite"
        opened = _drive(broker, store, learner, names, seconds=60.0 * minutes)
        print(f"{len(opened):,} rounds, {100 * len(opened):,} reports in {minutes} minutes")


_WHAT: dict[str, Callable[..., None]] = {
    "agents": agents,
    "gateways": gateways,
    "runs": runs,
    "hours": hours,
}

if __name__ == "__main__":
    _WHAT[sys.argv[1]](*map(int, sys.argv[2:]))
