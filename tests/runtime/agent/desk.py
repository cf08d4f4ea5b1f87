"""An agent's service and its wire, by hand: what it hears, and what it then says."""

from collections.abc import Sequence

from wires.memories import MemoryKeeper
from wires.runs import RUN

from bitarm import wire
from bitarm.core.agent import AgentState
from bitarm.core.bounds import Bounds
from bitarm.core.codes import Bins
from bitarm.core.epochs import run_field, run_of_opening
from bitarm.core.messages import Cause, Dismiss, Position, Report, Request
from bitarm.core.question import Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import ConfigError
from bitarm.rewards.feeds import RewardFeed
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.service import Publication
from bitarm.wire.announcement import Announcement, dump_announcement
from bitarm.wire.status import Status, load_status
from bitarm.wire.topics import LEARNER, Subject, Topics

TOPICS = Topics(RUN)
REQUESTS = TOPICS.of("gw", Subject.REQUEST)
RUNS = TOPICS.of("gw", Subject.RUN)
LEARNER_STATUS = TOPICS.of(LEARNER, Subject.STATUS)
BINS = Bins(low=0.0, step=0.125, bins=8)
NAMES = {0: "arm-0", 1: "arm-1", 2: "arm-2"}


class LiveFeed:
    """Rewards that come when the test says so, and never again."""

    live = True

    def __init__(self) -> None:
        self.there: list[float] = []
        self.resting = 0

    def skip(self, count: int) -> None:
        """What is past cannot be had again."""

    def take(self, most: int) -> Sequence[float]:
        taken, self.there = self.there[:most], self.there[most:]
        return taken

    def rest(self) -> None:
        self.resting += 1


class Desk:
    """An agent and its wire, by hand."""

    def __init__(
        self,
        keeper: MemoryKeeper | None = None,
        *,
        clip: bool = False,
        bounds: Bounds | None = None,
        seed: int | None = None,
        most_pulls: int = MAX_PULLS,
    ) -> None:
        self.keeper = keeper or MemoryKeeper()
        self.feed = LiveFeed()
        self.service = AgentService(
            run=RUN,
            agent="gw",
            supply=self._supply,
            keeper=self.keeper,
            clip=clip,
            bounds=bounds,
            seed=seed,
            most_pulls=most_pulls,
        )
        self.now = 0.0
        self.opening = "first"
        self.service.connected(0.0)

    def _supply(self, name: str, arm: int, seed: int) -> RewardFeed:
        if NAMES.get(arm) != name:
            raise ConfigError(f"there is no {name} here")
        return self.feed

    def hear(self, topic: str, payload: bytes) -> list[Publication]:
        self.service.received(topic, payload)
        return self.step()

    def step(self) -> list[Publication]:
        self.now += 1.0
        return list(self.service.step(self.now))

    def join(
        self,
        opening: str = "first",
        arms: tuple[int, ...] = (1,),
        epoch: int = 1,
        report_bytes: int = 51,
    ) -> list[Publication]:
        self.opening = opening
        announcement = Announcement(
            opening=opening,
            epoch=epoch,
            arms={arm: NAMES[arm] for arm in arms},
            bounds=(0.0, 1.0),
            seed=7,
            report_bytes=report_bytes,
        )
        return self.hear(RUNS, dump_announcement(announcement))

    def request(
        self, message: int = 1, until: int = 4, *, epoch: int = 1, arm: int = 1, code: Bins = BINS
    ) -> Request:
        field = run_field(run_of_opening(self.opening), epoch)
        question = Question(until=until, code=code)
        return Request(run=field, arm=arm, message=message, question=question)

    def ask(
        self, message: int = 1, until: int = 4, *, epoch: int = 1, arm: int = 1
    ) -> list[Publication]:
        request = self.request(message, until, epoch=epoch, arm=arm)
        return self.hear(REQUESTS, wire.encode(request))

    def dismiss(self, cause: Cause = Cause.DROPPED, epoch: int = 1) -> list[Publication]:
        field = run_field(run_of_opening(self.opening), epoch)
        return self.hear(REQUESTS, wire.encode(Dismiss(run=field, arm=1, cause=cause)))

    @property
    def state(self) -> AgentState:
        """Of arm 1, as the memory has it."""
        assert self.keeper.memory is not None
        return self.keeper.memory.arms[1]


def status_in(said: list[Publication]) -> Status:
    (status,) = [
        publication for publication in said if publication.topic == TOPICS.of("gw", Subject.STATUS)
    ]
    return load_status(status.payload)


def answers_in(said: list[Publication]) -> list[Report | Position]:
    return [
        message
        for publication in said
        if publication.topic == TOPICS.of("gw", Subject.REPORT)
        for message in wire.decode(publication.payload)
        if isinstance(message, Report | Position)
    ]


def announced(opening: str, epoch: int = 1, bounds: Bounds | None = (0.0, 1.0)) -> bytes:
    announcement = Announcement(
        opening=opening, epoch=epoch, arms={1: "arm-1"}, bounds=bounds, seed=7
    )
    return dump_announcement(announcement)
