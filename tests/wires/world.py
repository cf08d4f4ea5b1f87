"""A broker and its clients in one process and one thread: a wire that loses, repeats, delays and
reorders, and services that are killed between any two steps and start again from what is durable.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tapes import Problem
from wires.crashes import CrashingJournal, CrashingKeeper, Killed, Points
from wires.feeds import LiveFeed, TapeSource
from wires.memories import HistoryKeeper, Rewards
from wires.runs import RUN
from wires.subscriptions import reaches
from wires.weather import InFlight, Weather

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.events import FleetAssigned, LearnerEvent, RunOpened
from bitarm.core.journal import Journal
from bitarm.core.messages import Cause, Position, Report
from bitarm.core.schedule import MAX_PULLS
from bitarm.rewards.feeds import DirectFeed, RewardFeed
from bitarm.runtime.agent.memory import Keeper
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.learner.begin import open_run, resume_run
from bitarm.runtime.learner.probe import LearnerProbe
from bitarm.runtime.learner.service import LearnerService
from bitarm.runtime.service import Publication, Service
from bitarm.wire.status import load_status
from bitarm.wire.topics import LEARNER, Subject, Topics

TICK = 0.25  # seconds of the services' clock between two passes


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What an agent's process had when it answered a question."""

    boot: str
    symbol: Symbol
    mean: float
    rewards: Rewards  # the live ones that went into it


@dataclass
class Node:
    """A process: what starts it, and the service while it lives."""

    name: str
    start: Callable[[float], Service]
    service: Service | None = None
    back_at: float = 0.0
    connected: bool = False
    stays_away: bool = False
    frozen: bool = False  # it does not move, and the broker has not noticed
    backlog: list[tuple[str, bytes, bool]] = field(
        default_factory=list
    )  # that waits for it meanwhile


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
        live: bool = False,
        most_pulls: int = MAX_PULLS,
        orderly: bool = False,
    ) -> None:
        self.problem, self.fleet, self.journal = problem, fleet, journal
        self.keepers = keepers
        self.live = live  # rewards that cannot be had again: answers may then contradict each other
        self.most_pulls = most_pulls
        self.orderly = orderly  # what one client says is not overtaken by what it says later
        self.drawn: Counter[int] = Counter()  # live rewards of each arm so far
        self.had: dict[tuple[int, int, int], list[Answered]] = {}  # by (run, arm, message)
        self.points = points or Points()
        self.weather = weather or Weather()
        self.rng = rng or random.Random(1)
        self.now = 0.0
        self.retained: dict[str, bytes] = {}
        self.in_flight: list[InFlight] = []
        self.answers: dict[tuple[int, int, int], Symbol | int] = {}  # (run, arm, message) as sent
        self.boots = 0
        self.sent: Counter[str] = Counter()
        self.killed: list[str] = []
        self.refused = 0
        self._linger, self._retry = linger, retry
        self.nodes = {LEARNER: Node(LEARNER, lambda now: self.begin_learner(self.journal, now))}
        for name in dict.fromkeys(fleet.agents):
            self.nodes[name] = Node(name, lambda now, n=name: self._agent(n))  # type: ignore[misc]

    def begin_learner(self, kept: Journal, now: float) -> LearnerService:
        """A learner that opens the run, or goes on with what the journal holds of it."""
        journal = CrashingJournal(kept, self.points)

        def watch(events: Sequence[LearnerEvent]) -> None:
            """Without a word."""

        runs = journal.runs()
        if runs:
            return resume_run(
                journal,
                runs[0].run,
                boot=self.name(),
                heard=self._heard(journal, runs[0].run),
                watch=watch,
                now=now,
                linger=self._linger,
                retry=self._retry,
            )
        learner = self.problem.learner()
        return open_run(
            learner,
            journal,
            self.fleet,
            boot=self.name(),
            watch=watch,
            now=now,
            linger=self._linger,
            retry=self._retry,
        )[1]

    def name(self) -> str:
        """Of a process, or of a sequence of rewards: none comes twice."""
        self.boots += 1
        return f"{self.boots:04}"

    def _heard(self, journal: Journal, run: int) -> set[int]:
        """The epochs that the broker knows of, as a learner asks for them before it speaks."""
        opened = next(journal.read(run)).event
        assert isinstance(opened, RunOpened)
        probe = LearnerProbe(RUN, identity="probe")
        for topic, payload in self.retained.items():
            if reaches(topic, probe.endpoint.subscriptions):
                probe.received(topic, payload, retained=True)
        return probe.epochs(opened.opening)

    def _agent(self, name: str) -> AgentService:
        return self.begin_agent(name, self.keepers[name])

    def begin_agent(self, name: str, kept: Keeper) -> AgentService:
        """An agent that goes on from what is kept."""

        def supply(label: str, arm: int, seed: int) -> RewardFeed:
            if not self.live:
                return DirectFeed(TapeSource(self.problem, arm))
            memory = kept.load()
            known = memory is not None and memory.opening == self.problem.learner().opening
            pulls = memory.arms[arm].pulls if memory is not None and known else 0
            return LiveFeed(self, arm, kept if isinstance(kept, HistoryKeeper) else None, pulls)

        return AgentService(
            run=RUN,
            agent=name,
            supply=supply,
            keeper=CrashingKeeper(kept, self.points),
            most_pulls=self.most_pulls,
            name=self.name,
        )

    @property
    def learner(self) -> LearnerService:
        """The learner's service, which must be there."""
        service = self.nodes[LEARNER].service
        assert isinstance(service, LearnerService)
        return service

    # -- time ----------------------------------------------------------------------------------

    def run(self, most_passes: int = 20_000, until: Callable[[], bool] | None = None) -> None:
        """Until learner and agents are finished, or `until` says so.

        An agent that remembers no run cannot know that this one is over: it waits for the next.
        """
        for _ in range(most_passes):
            if until() if until else self.over:
                return
            self.tick()
            self.come_back()
        raise AssertionError(f"the run did not end: {self.journal.runs()}")

    @property
    def over(self) -> bool:
        learner = self.nodes[LEARNER].service
        ended = learner is not None and learner.finished
        return all(
            node.stays_away
            or (node.service is not None and node.service.finished)
            or (ended and name in self.keepers and self._expects_another_run(name))
            for name, node in self.nodes.items()
        )

    def _expects_another_run(self, agent: str) -> bool:
        """It has no part in the run that is over, or knows already that it is."""
        memory = self.keepers[agent].load()
        return memory is None or all(state.cause is Cause.ENDED for state in memory.arms.values())

    def come_back(self) -> None:
        """An agent that missed the end while it was connected finds it when it connects again."""
        learner = self.nodes[LEARNER].service
        if learner is None or not learner.finished or self.learner.failure is not None:
            return  # also if it yielded: then the run goes on, with another one
        for name in self.keepers:
            node = self.nodes[name]
            if node.service is not None and not node.service.finished and not self.in_flight:
                node.frozen = False
                self.cut(name)
                self.connect(name)

    def tick(self) -> None:
        self.now += TICK
        for node in self.nodes.values():
            if node.service is None and not node.stays_away and self.now >= node.back_at:
                self._alive(node, lambda node=node: self._start(node))  # type: ignore[misc]
        self._deliver()
        for node in self.nodes.values():
            if node.service is not None and not node.service.finished and not node.frozen:
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

    def clock_of(self, name: str) -> float:
        """The time as a process has it."""
        return self.now

    def _step(self, node: Node) -> None:
        assert node.service is not None
        for publication in node.service.step(self.clock_of(node.name)):
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

    def freeze_learner(self, name: str) -> None:
        """The learner stops moving, goes on under another `name`, and its place is free."""
        node = self.nodes.pop(LEARNER)
        node.name, node.frozen = name, True
        self.in_flight = [
            message._replace(to=name if message.to == LEARNER else message.to)
            for message in self.in_flight
        ]
        fresh = Node(LEARNER, lambda now: self.begin_learner(self.journal, now))
        self.nodes = {LEARNER: fresh, name: node, **self.nodes}

    def thaw(self, name: str) -> None:
        """It moves again, and reads what waited for it."""
        node = self.nodes[name]
        node.frozen = False
        assert node.service is not None
        for topic, payload, kept in node.backlog:
            node.service.received(topic, payload, retained=kept)
        node.backlog.clear()

    def cut(self, name: str) -> None:
        """The link breaks."""
        node = self.nodes[name]
        service = node.service
        self.in_flight = [message for message in self.in_flight if message.to != name]
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
            if reaches(topic, node.service.endpoint.subscriptions):
                self.in_flight.append(InFlight(self.now, name, topic, payload, kept=True))

    def restart_broker(self, *, kept: dict[str, bytes] | None = None) -> None:
        """All links break at once; what was retained may be gone, or as it was before."""
        names = [name for name, node in self.nodes.items() if node.connected]
        for name in names:
            self.nodes[name].connected = False
            service = self.nodes[name].service
            assert service is not None
            service.disconnected(self.now)
        self.in_flight = []
        if kept is not None:
            self.retained = kept
        for name in names:
            self.connect(name)

    def publish(self, publication: Publication) -> None:
        """The broker takes a message and passes it on."""
        topic, payload = publication.topic, publication.payload
        self.sent[topic.rsplit("/", 1)[1]] += 1
        self._check_answers(topic, payload)
        if publication.retain:
            self.retained.pop(topic, None)
            if payload:
                self.retained[topic] = payload
        for node in self.nodes.values():
            service = node.service if node.connected else None
            if service is not None and reaches(topic, service.endpoint.subscriptions):
                for passes in self._fate(topic):
                    at = max(self.now + passes * TICK, self._not_before(node.name, topic))
                    self.in_flight.append(InFlight(at, node.name, topic, payload))

    def _fate(self, topic: str) -> list[int]:
        """After how many passes a message arrives, once for each copy.

        An orderly broker loses no status while it passes on what the same client says after it.
        """
        arrivals = self.weather.fate(self.rng)
        is_status = topic.endswith(Subject.STATUS.value)
        return [0] if self.orderly and is_status and not arrivals else arrivals

    def _not_before(self, name: str, topic: str) -> float:
        """Statuses do not overtake each other: MQTT keeps the order of one topic, and the learner
        relies on it where two processes speak for one agent. Frames may come in any order, but an
        orderly broker passes none on before the statuses that its sender said earlier."""
        speaker, subject = topic.rsplit("/", 1)
        if subject != Subject.STATUS.value and not self.orderly:
            return self.now
        status = f"{speaker}/{Subject.STATUS.value}"
        before = (
            message.at
            for message in self.in_flight
            if (message.to, message.topic) == (name, status)
        )
        return max(before, default=self.now)

    def _check_answers(self, topic: str, payload: bytes) -> None:
        """No question is answered twice with different content, unless rewards are forgotten."""
        parsed = Topics(RUN).read(topic)
        if parsed is None or parsed.subject is not Subject.REPORT:
            return
        for answer in wire.decode(payload):
            assert isinstance(answer, Report | Position)
            said = answer.symbol if isinstance(answer, Report) else answer.pulls
            key = (answer.run, answer.arm, answer.message)
            if not self.live:
                assert self.answers.setdefault(key, said) == said
            if isinstance(answer, Report):
                self._note_what_it_had(parsed.agent, answer)

    def _note_what_it_had(self, agent: str, report: Report) -> None:
        """An agent's memory is durable before it answers: what is kept is what it had."""
        keeper, service = self.keepers[agent], self.nodes[agent].service
        memory = keeper.load()
        if memory is None or service is None:
            return
        state = memory.arms[report.arm]
        drawn: Rewards = ()
        if isinstance(keeper, HistoryKeeper):
            drawn = keeper.history[-1][1][report.arm]
        had = Answered(
            boot=load_status(service.endpoint.will.payload).boot,
            symbol=report.symbol,
            mean=state.mean,
            rewards=drawn,
        )
        self.had.setdefault((report.run, report.arm, report.message), []).append(had)

    def _deliver(self) -> None:
        due = [message for message in self.in_flight if message.at <= self.now]
        self.in_flight = [message for message in self.in_flight if message.at > self.now]
        for _, name, topic, payload, kept in due:
            node = self.nodes[name]
            if node.service is not None and node.connected:
                if node.frozen:
                    node.backlog.append((topic, payload, kept))
                else:
                    node.service.received(topic, payload, retained=kept)
