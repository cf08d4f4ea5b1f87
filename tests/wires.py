"""A broker and its clients in one process and one thread: a wire that loses, repeats, delays and
reorders, and services that are killed between any two steps and start again from what is durable.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tapes import Problem

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.events import FleetAssigned, LearnerEvent, LostRule, RunOpened
from bitarm.core.journal import Entry, Journal, RunSummary
from bitarm.core.messages import Report
from bitarm.core.spec import RunSpec
from bitarm.runtime.agent_file import AgentMemory, Keeper
from bitarm.runtime.agent_service import AgentService
from bitarm.runtime.feeds import DirectFeed, Feed
from bitarm.runtime.opening import open_run, resume_run
from bitarm.runtime.service import Publication, Service
from bitarm.runtime.topics import LEARNER, Kind, Topics

RUN = "lab"
TICK = 0.25  # seconds of the services' clock between two passes


class Killed(BaseException):
    """What kill -9 is to a process."""


@dataclass
class Points:
    """Every place where a process may die, counted; the chosen one kills."""

    kill_at: frozenset[int] = frozenset()
    passed: int = 0
    names: Counter[str] = field(default_factory=Counter)

    def hit(self, name: str) -> None:
        self.passed += 1
        self.names[name] += 1
        if self.passed in self.kill_at:
            raise Killed(name)


@dataclass(frozen=True, kw_only=True)
class Weather:
    """What the wire does to a message, each with its probability."""

    lose: float = 0.0
    repeat: float = 0.0
    delay: float = 0.0

    def fate(self, rng: random.Random) -> list[int]:
        """After how many passes the message arrives, once for each copy."""
        if rng.random() < self.lose:
            return []
        copies = 2 if rng.random() < self.repeat else 1
        return [rng.randint(1, 40) if rng.random() < self.delay else 0 for _ in range(copies)]


class CrashingJournal:
    """A journal that survives its process, and may die before or after each transaction."""

    def __init__(self, journal: Journal, points: Points) -> None:
        self._journal, self._points = journal, points

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        self._points.hit("before the opening")
        run = self._journal.open_run(opened, then)
        self._points.hit("after the opening")
        return run

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        self._points.hit("before a transaction")
        self._journal.append(run, events)
        self._points.hit("after a transaction")

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        return self._journal.read(run, after)

    def runs(self) -> list[RunSummary]:
        return self._journal.runs()

    def close(self) -> None:
        """Stays open: the disk outlives the process."""


class CrashingKeeper:
    """The same for an agent's memory."""

    def __init__(self, keeper: Keeper, points: Points) -> None:
        self._keeper, self._points = keeper, points

    def load(self) -> AgentMemory | None:
        return self._keeper.load()

    def save(self, memory: AgentMemory) -> None:
        self._points.hit("before a save")
        self._keeper.save(memory)
        self._points.hit("after a save")


class MemoryKeeper:
    """An agent's memory without a disk."""

    def __init__(self) -> None:
        self.memory: AgentMemory | None = None

    def load(self) -> AgentMemory | None:
        return self.memory

    def save(self, memory: AgentMemory) -> None:
        self.memory = memory


class TapeFeedSource:
    """One arm's rewards, one by one, from a tape of exact sums."""

    def __init__(self, problem: Problem, arm: int) -> None:
        self._tape, self._arm, self._done = problem.tape, arm, 0

    def pull(self, count: int) -> Sequence[float]:
        rewards = [self._tape.total(self._arm, self._done + i, 1) for i in range(count)]
        self._done += count
        return rewards

    def skip(self, count: int) -> None:
        self._done += count


def fleet_of(
    problem: Problem,
    gateways: int | None = None,
    *,
    lost: LostRule = LostRule.WAIT,
    lost_after: float = 60.0,
    join_within: float = float("inf"),
) -> FleetAssigned:
    """One agent for each arm, or so many gateways that share the arms."""
    arms = range(len(problem.spec.arms))
    return FleetAssigned(
        fleet=RUN,
        agents=tuple(f"gw-{arm % gateways if gateways else arm}" for arm in arms),
        lost=lost,
        lost_after=lost_after,
        join_within=join_within,
    )


@dataclass
class Node:
    """A process: what starts it, and the service while it lives."""

    name: str
    start: Callable[[float], Service]
    service: Service | None = None
    back_at: float = 0.0
    connected: bool = False
    stays_away: bool = False


class World:
    """Broker, learner and agents; time passes in ticks."""

    def __init__(
        self,
        problem: Problem,
        fleet: FleetAssigned,
        journal: Journal,
        keepers: dict[str, Keeper],
        *,
        points: Points | None = None,
        weather: Weather | None = None,
        rng: random.Random | None = None,
        linger: float = 5.0,
        retry: float = 10.0,
    ) -> None:
        self.problem, self.fleet, self.journal = problem, fleet, journal
        self.points = points or Points()
        self.weather = weather or Weather()
        self.rng = rng or random.Random(1)
        self.now = 0.0
        self.retained: dict[str, bytes] = {}
        self.in_flight: list[tuple[float, str, str, bytes]] = []
        self.symbols: dict[tuple[int, int, int], Symbol] = {}  # (run, arm, message) as sent
        self.sent: Counter[str] = Counter()
        self.killed: list[str] = []
        self.refused = 0
        self._linger, self._retry = linger, retry
        kept = CrashingJournal(journal, self.points)
        self.nodes = {LEARNER: Node(LEARNER, lambda now: self._learner(kept, now))}
        for name in dict.fromkeys(fleet.agents):
            keeper = CrashingKeeper(keepers[name], self.points)
            self.nodes[name] = Node(name, lambda now, n=name, k=keeper: self._agent(n, k))  # type: ignore[misc]

    def _learner(self, journal: Journal, now: float) -> Service:
        def watch(events: Sequence[LearnerEvent]) -> None:
            """Without a word."""

        runs = journal.runs()
        if runs:
            return resume_run(
                journal, runs[0].run, watch=watch, now=now, linger=self._linger, retry=self._retry
            )
        learner = self.problem.learner()
        return open_run(
            learner,
            journal,
            self.fleet,
            watch=watch,
            now=now,
            linger=self._linger,
            retry=self._retry,
        )[1]

    def _agent(self, name: str, keeper: Keeper) -> Service:
        def supply(spec: RunSpec, arm: int) -> Feed:
            return DirectFeed(TapeFeedSource(self.problem, arm))

        return AgentService(run=RUN, agent=name, supply=supply, keeper=keeper)

    # -- time ----------------------------------------------------------------------------------

    def run(self, most_passes: int = 20_000, until: Callable[[], bool] | None = None) -> None:
        """Until learner and agents are finished, or `until` says so."""
        for _ in range(most_passes):
            if until() if until else self.over:
                return
            self.tick()
            self._come_back_to_the_end()
        raise AssertionError(f"the run did not end: {self.journal.runs()}")

    @property
    def over(self) -> bool:
        return all(
            node.stays_away or (node.service is not None and node.service.finished)
            for node in self.nodes.values()
        )

    def _come_back_to_the_end(self) -> None:
        """An agent that missed the end while it was connected finds it when it connects again."""
        learner = self.nodes[LEARNER].service
        if learner is None or not learner.finished:
            return
        for name, node in self.nodes.items():
            if node.service is not None and not node.service.finished and not self.in_flight:
                self.cut(name)
                self.connect(name)

    def tick(self) -> None:
        self.now += TICK
        for node in self.nodes.values():
            if node.service is None and not node.stays_away and self.now >= node.back_at:
                self._alive(node, lambda node=node: self._start(node))  # type: ignore[misc]
        self._deliver()
        for node in self.nodes.values():
            if node.service is not None and not node.service.finished:
                self._alive(node, lambda node=node: self._step(node))  # type: ignore[misc]

    def _alive(self, node: Node, act: Callable[[], None]) -> None:
        try:
            act()
        except Killed as death:
            self.killed.append(f"{node.name} {death}")
            self.kill(node.name)

    def _start(self, node: Node) -> None:
        node.service = node.start(self.now)
        self.connect(node.name)

    def _step(self, node: Node) -> None:
        assert node.service is not None
        for publication in node.service.step(self.now):
            self.points.hit("before a publication")
            if node.connected:
                self.publish(publication)
            self.points.hit("after a publication")

    # -- what happens to processes and links -----------------------------------------------------

    def kill(self, name: str, away: float = 1.0) -> None:
        """The process is gone; the broker publishes its will."""
        node = self.nodes[name]
        self.cut(name)
        node.service = None
        node.back_at = self.now + away

    def cut(self, name: str) -> None:
        """The link breaks."""
        node = self.nodes[name]
        service = node.service
        self.in_flight = [it for it in self.in_flight if it[1] != name]
        if service is not None and node.connected:
            node.connected = False
            service.disconnected(self.now)
            self.publish(service.endpoint.will)

    def connect(self, name: str) -> None:
        """The link is there, with a clean session."""
        node = self.nodes[name]
        assert node.service is not None
        node.connected = True
        node.service.connected(self.now)
        for topic, payload in list(self.retained.items()):
            if any(_matches(pattern, topic) for pattern in node.service.endpoint.subscriptions):
                self.in_flight.append((self.now, name, topic, payload))

    def restart_broker(self, *, forgetful: bool) -> None:
        """All links break at once; what was retained may be gone."""
        names = [name for name, node in self.nodes.items() if node.connected]
        for name in names:
            self.nodes[name].connected = False
            service = self.nodes[name].service
            assert service is not None
            service.disconnected(self.now)
        self.in_flight = []
        if forgetful:
            self.retained = {}
        for name in names:
            self.connect(name)

    def publish(self, publication: Publication) -> None:
        """The broker takes a message and passes it on."""
        topic, payload = publication.topic, publication.payload
        self.sent[topic.rsplit("/", 1)[1]] += 1
        self._check_symbols(topic, payload)
        if publication.retain:
            self.retained.pop(topic, None)
            if payload:
                self.retained[topic] = payload
        for node in self.nodes.values():
            if node.connected and node.service is not None:
                patterns = node.service.endpoint.subscriptions
                if any(_matches(pattern, topic) for pattern in patterns):
                    for passes in self.weather.fate(self.rng):
                        at = self.now + passes * TICK
                        self.in_flight.append((at, node.name, topic, payload))

    def _check_symbols(self, topic: str, payload: bytes) -> None:
        """No symbol is sent twice with different content."""
        if Topics(RUN).place(topic) is None or not topic.endswith(Kind.REPORT.value):
            return
        for report in wire.decode(payload):
            assert isinstance(report, Report)
            key = (report.run, report.arm, report.message)
            assert self.symbols.setdefault(key, report.symbol) == report.symbol

    def _deliver(self) -> None:
        due = [it for it in self.in_flight if it[0] <= self.now]
        self.in_flight = [it for it in self.in_flight if it[0] > self.now]
        for _, name, topic, payload in due:
            node = self.nodes[name]
            if node.service is not None and node.connected:
                node.service.received(topic, payload)


def _matches(pattern: str, topic: str) -> bool:
    wanted, found = pattern.split("/"), topic.split("/")
    return len(wanted) == len(found) and all(
        one in ("+", other) for one, other in zip(wanted, found, strict=True)
    )
