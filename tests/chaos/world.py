"""A world in which everything breaks: disks that fill, clocks that jump, learners that freeze."""

import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence

from chaos.storm import Storm
from tapes import Problem
from wires.crashes import Points
from wires.memories import HistoryKeeper, TransactionJournal
from wires.runs import fleet_of
from wires.world import Node, World

from bitarm.core.events import LearnerEvent, RunOpened
from bitarm.core.journal import Entry, RunSummary
from bitarm.errors import StoreError
from bitarm.runtime.agent.memory import AgentMemory
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.learner.service import LearnerService
from bitarm.runtime.service import Publication
from bitarm.wire.topics import LEARNER, Subject

FROZEN = "frozen"
"""The name of a learner that was paused, and that another one has followed."""
_REMEMBERED = 200  # frames that may come once more, much later


class Disk:
    """How much room is left: full for so many writes, then somebody makes room."""

    def __init__(self, counts: Counter[str]) -> None:
        self.full_for = 0
        self._counts = counts

    def write(self) -> None:
        """StoreError while it is full."""
        if self.full_for > 0:
            self.full_for -= 1
            self._counts["disk full"] += 1
            raise StoreError("No space left on device")


class FullKeeper(HistoryKeeper):
    """An agent's memory on a disk that may be full, or whose file may rot."""

    def __init__(self, disk: Disk) -> None:
        super().__init__()
        self._disk = disk
        self.is_rotten = False

    def load(self) -> AgentMemory | None:
        if self.is_rotten:
            raise StoreError("its check sum is wrong: it was damaged, or edited")
        return super().load()

    def save(self, memory: AgentMemory) -> None:
        self._disk.write()
        super().save(memory)


class FullJournal(TransactionJournal):
    """A journal on a disk that may be full."""

    def __init__(self, disk: Disk, transactions: Sequence[Sequence[LearnerEvent]] = ()) -> None:
        self._disk = disk
        super().__init__(transactions)

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        self._disk.write()
        return super().open_run(opened, then)

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        self._disk.write()
        super().append(run, events)

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        return super().read(run, after)

    def runs(self) -> list[RunSummary]:
        return super().runs()

    def prefix(self, transactions: int) -> "FullJournal":
        """A copy as it was after so many transactions; there is room for a copy."""
        room, self._disk.full_for = self._disk.full_for, 0
        copy = FullJournal(self._disk, self.transactions[:transactions])
        self._disk.full_for = room
        return copy


class ChaosWorld(World):
    """Broker, learner and agents on full disks and wrong clocks, in a storm; all is counted."""

    def __init__(
        self,
        problem: Problem,
        *,
        gateways: int | None,
        live: bool,
        orderly: bool,
        storm: Storm,
        points: Points,
        rng: random.Random,
    ) -> None:
        self.counts: Counter[str] = storm.counts
        self.disk = Disk(self.counts)
        fleet = fleet_of(problem, gateways)
        keepers = {name: FullKeeper(self.disk) for name in dict.fromkeys(fleet.agents)}
        super().__init__(
            problem,
            fleet,
            FullJournal(self.disk),
            dict(keepers),
            points=points,
            weather=storm,
            rng=rng,
            live=live,
            orderly=orderly,
        )
        self.storm = storm
        self.files = keepers
        self.ahead: defaultdict[str, float] = defaultdict(float)  # seconds, of a process's clock
        self.frames: deque[Publication] = deque(maxlen=_REMEMBERED)

    @property
    def kept(self) -> FullJournal:
        """The learner's journal."""
        assert isinstance(self.journal, FullJournal)
        return self.journal

    @property
    def has_ended(self) -> bool:
        """Whether the learner that counts has ended the run, and has nothing left to say."""
        service = self.nodes[LEARNER].service
        assert service is None or isinstance(service, LearnerService)
        return service is not None and service.finished and service.failure is None

    # -- the wire ----------------------------------------------------------------------------

    def publish(self, publication: Publication) -> None:
        before = len(self.in_flight)
        super().publish(publication)
        if publication.topic.endswith((Subject.REPORT.value, Subject.REQUEST.value)):
            self.frames.append(publication)
        for at in range(before, len(self.in_flight)):
            sent = self.in_flight[at]
            spoilt = self.storm.spoil(sent.topic, sent.payload, self.rng)
            self.in_flight[at] = sent._replace(payload=spoilt)

    # -- processes ---------------------------------------------------------------------------

    def _alive(self, node: Node, act: Callable[[], None]) -> None:
        before = len(self.killed)
        try:
            super()._alive(node, act)
        except StoreError:
            self.kill(node.name, away=2.0)  # as a command that ends with 1, and is started again
        self.counts["killed"] += len(self.killed) - before

    def clock_of(self, name: str) -> float:
        return self.now + self.ahead[name]

    def kill(self, name: str, away: float = 1.0) -> None:
        """A learner that another has followed is not started again."""
        super().kill(name, away)
        self.nodes[name].stays_away = name == FROZEN

    def forget(self, name: str) -> None:
        """A process dies, and what it remembers is about to change.

        What it said to a question it may now say otherwise: that it is ahead, and then, with its
        file gone, the answer. So answers of before are no longer compared with those to come.
        """
        self.kill(name)
        self.answers.clear()

    def _expects_another_run(self, agent: str) -> bool:
        return not self.files[agent].is_rotten and super()._expects_another_run(agent)

    def tend(self) -> None:
        """What whoever looks after the machines does about processes that have ended.

        An agent that failed is started again, after a rotten file was removed. A learner that
        yielded to another is not.
        """
        for name, node in list(self.nodes.items()):
            service = node.service
            if node.stays_away or (name == FROZEN and service is not None and service.finished):
                self._bury()  # dead, yielded, or it had ended the run before another followed
                continue
            if service is None or not service.finished:
                continue
            if isinstance(service, AgentService) and service.failure is not None:
                file = self.files[name]
                if file.is_rotten:
                    file.put_back(0)
                    file.is_rotten = False
                self.kill(name)
            elif (
                isinstance(service, LearnerService)
                and service.failure is not None
                and FROZEN not in self.nodes
            ):
                self.kill(name)  # it yielded to one that is gone: somebody resumes the run

    def _bury(self) -> None:
        """The learner that was paused is gone, and what is on its way to it."""
        del self.nodes[FROZEN]
        self.in_flight = [message for message in self.in_flight if message.to != FROZEN]
