"""The one fold of a run's events: where the run stands after them, and what was said with each.

A live table, a result, a link's ledger and a page all read these standings: what a new kind of
event (`core/events.py`) changes is said in `Standings.add` alone, and how it is told in
`core/sentences.py`. Decides and decodes nothing: it repeats what the learner wrote down.
(`core/replay.py` is no fold of events: it makes a learner decide again.)
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, final

from bitarm.core.epochs import FIRST_EPOCH, Address, run_of_opening
from bitarm.core.events import (
    AgentJoined,
    ArmDropped,
    ArmsLost,
    CaveatNoted,
    EpochBegan,
    FleetAssigned,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    PullsCounted,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.guarantee import Incidents
from bitarm.core.messages import Cause, Message, Position, Report, Request
from bitarm.errors import StoreError


@final
@dataclass(slots=True, kw_only=True)
class ArmStanding:
    """One arm as the events so far describe it."""

    name: str
    mean: float | None = None
    radius: float | None = None
    beaten_by: int | None = None  # after it gave up: this arm is better; the rest was told before
    pulls: int = 0
    pulls_at_most: bool = False  # it stopped by itself, and nobody has told yet after how many
    messages: int = 0
    payload_bits: int = 0
    repeats: int = 0  # reports that came again
    lives: int = 1  # sequences of rewards that its reports are about
    counted: int = 0  # pulls of the present one that are in the run's samples
    request: Request | None = None  # the last that it was sent, as the present epoch numbers it
    awaited: bool = False  # whether it has yet to answer that
    dropped_in: int | None = None  # the round
    dropped_for: int | None = None  # the arm that was better
    lost_in: int | None = None  # the round in which its agent was lost
    agent: str | None = None  # who serves it, where that is a process of its own

    @property
    def active(self) -> bool:
        """Whether the arm is still in the race."""
        return self.dropped_in is None and self.lost_in is None

    @property
    def lost(self) -> bool:
        """Whether it left the race because its agent was lost."""
        return self.lost_in is not None


@final
class Standings:
    """The state of one run, event by event.

    Begin with the run's opening and `add` every event after it, or let `follow` do both. Events may
    be left out (a row of the page needs only the opening and the ending): what they alone would
    tell is then missing, and nothing else is wrong.
    """

    def __init__(self, opened: RunOpened) -> None:
        self.opened = opened
        self.arms = [ArmStanding(name=name) for name in opened.setup.spec.arms]
        self.round = 0
        self.incidents = Incidents()  # what happened to its processes
        self.samples = 0  # at most, while arms that gave up have not told their pulls
        self.spared = 0  # of these, that such arms were asked for and did not make
        self.payload_bits = 0
        self.caveats: list[str] = []
        self.ending: RunEnded | None = None
        self.traffic: TrafficMeasured | None = None
        self.fleet: FleetAssigned | None = None
        self.joined: dict[str, list[AgentJoined]] = {}  # the processes of each agent, in order
        self.said: tuple[Message, ...] = ()  # the messages of the last event, sent or received
        self._address = Address(run=run_of_opening(opened.opening), epoch=FIRST_EPOCH)

    @staticmethod
    def of(events: Iterable[LearnerEvent]) -> "Standings":
        """The standings after all of these events; StoreError if no opening is the first."""
        standings: Standings | None = None
        for event in events:
            standings = follow(standings, event)
        if standings is None:
            raise StoreError("the journal of a run begins with its opening, found nothing")
        return standings

    def add(self, event: LearnerEvent) -> None:
        """Take one more event in; StoreError if it speaks of an arm that is not there."""
        self.said = ()
        match event:
            case RoundOpened():
                self._ask(event)
            case ReportAccepted():
                self._hear(event, self._arm(event.arm))
            case EpochBegan():
                self._begin(event)
            case PositionTold():
                self.incidents = self.incidents.with_restore(self.epoch)
                self._answer(event.arm, Position, pulls=event.pulls)
            case LivesBegan():
                self._renew(event)
            case ReportIgnored():
                self._arm(event.arm).repeats += event.times
            case ArmDropped():
                arm = self._arm(event.arm)
                self._arm(event.because)
                arm.dropped_in, arm.dropped_for = event.round, event.because
                self._dismiss((event.arm,), Cause.DROPPED)
            case ArmsLost():
                for number in event.arms:
                    self._arm(number).lost_in = event.round
                self._dismiss(event.arms, Cause.DROPPED)
            case CaveatNoted():
                self.caveats.append(event.text)
            case RunEnded():
                if event.best_arm is not None:
                    self._arm(event.best_arm)
                self.ending = event
                active = (number for number, arm in enumerate(self.arms) if arm.active)
                self._dismiss(active, Cause.ENDED)
            case TrafficMeasured():
                self.traffic = event
            case PullsCounted():
                self._count(event)
            case FleetAssigned():
                self.fleet = event
                for number, agent in enumerate(event.agents):
                    self._arm(number).agent = agent
            case AgentJoined():
                self.joined.setdefault(event.agent, []).append(event)
                self.incidents = self.incidents.with_process(event)

    @property
    def epoch(self) -> int:
        """Which of its learner's starts the run is in."""
        return self._address.epoch

    @property
    def restored(self) -> bool:
        """Whether the run went on from a journal that is older than what its agents remember."""
        return self.incidents.restores > 0

    @property
    def samples_at_most(self) -> bool:
        """Whether an arm gave up that has not told its pulls: samples may then be fewer."""
        return any(arm.pulls_at_most for arm in self.arms)

    @property
    def progress(self) -> tuple[int, bool]:
        """The round, and whether the run has ended: it changes whenever a round has closed."""
        return self.round, self.ending is not None

    @property
    def leader(self) -> int | None:
        """The active arm with the highest decoded mean; None before the first report."""
        heard = [
            (arm.mean, -index)
            for index, arm in enumerate(self.arms)
            if arm.active and arm.mean is not None
        ]
        return -max(heard)[1] if heard else None

    def _arm(self, number: int) -> ArmStanding:
        if not 0 <= number < len(self.arms):
            raise StoreError(f"the journal speaks of arm {number}, the run has {len(self.arms)}")
        return self.arms[number]

    def _ask(self, event: RoundOpened) -> None:
        self.round = event.round
        for request in event.requests:
            arm = self._arm(request.arm)
            arm.request, arm.awaited = request, True
        self.said = event.requests

    def _begin(self, event: EpochBegan) -> None:
        """What was not answered is asked again: the first question of the new epoch to its arm."""
        self.incidents = replace(self.incidents, resumed=True)
        self._address = replace(self._address, epoch=event.epoch)
        for number, arm in enumerate(self.arms):
            if arm.awaited and arm.request is not None:
                arm.request = self._address.request(number, 1, arm.request.question)
        self.said = tuple(arm.request for arm in self.arms if arm.awaited and arm.request)

    def _renew(self, event: LivesBegan) -> None:
        """What the old sequences have not answered, the new ones are asked under a new number."""
        said: list[Message] = []
        for number, count in event.counts.items():
            arm = self._arm(number)
            arm.lives, arm.counted = arm.lives + 1, count
            if arm.awaited and arm.request is not None:
                arm.request = replace(arm.request, message=arm.request.message + 1)
                said.append(arm.request)
        self.said = tuple(said)

    def _hear(self, event: ReportAccepted, arm: ArmStanding) -> None:
        if event.beaten_by is not None:
            self._arm(event.beaten_by)
        self.samples += event.pulls - arm.counted
        arm.counted = event.pulls
        self.payload_bits += event.symbol.nbits
        arm.mean = self.within_bounds(event.mean)
        arm.radius = event.radius if math.isfinite(event.radius) else None  # nothing is claimed
        arm.pulls, arm.messages = event.pulls, event.message
        arm.beaten_by, arm.pulls_at_most = event.beaten_by, event.beaten_by is not None
        arm.payload_bits += event.symbol.nbits
        self._answer(event.arm, Report, symbol=event.symbol)

    def within_bounds(self, mean: float) -> float:
        """A decoded cell may reach beyond the bounds; the mean that it stands for does not."""
        bounds = self.opened.setup.spec.bounds
        return mean if bounds is None else min(max(mean, bounds[0]), bounds[1])

    def _count(self, event: PullsCounted) -> None:
        """Take in the pulls of arms that gave up; of one that has told, nothing changes.

        Whoever answered has pulled at least once, whatever a journal of before says.
        """
        for number, count in event.counts.items():
            arm = self._arm(number)
            if arm.pulls_at_most:
                spared = max(arm.pulls - max(count, 1), 0)
                self.samples -= spared
                self.spared += spared
                arm.pulls, arm.pulls_at_most = arm.pulls - spared, False

    def _answer(self, number: int, kind: type[Report | Position], **content: Any) -> None:
        """An arm answered its request; unknown is which, if the event that asked was left out."""
        arm = self._arm(number)
        request = arm.request
        if arm.awaited and request is not None:
            self.said = (kind(run=request.run, arm=number, message=request.message, **content),)
        arm.awaited = False

    def _dismiss(self, numbers: Iterable[int], cause: Cause) -> None:
        said = tuple(self._address.dismissal(number, cause) for number in numbers)
        for dismissal in said:
            self.arms[dismissal.arm].awaited = False
        self.said = said


def follow(standings: Standings | None, event: LearnerEvent) -> Standings:
    """The standings after one more event, for who follows a run from its first event on.

    An opening begins new ones; any other event is added to `standings`, which are changed and
    returned. StoreError if there are none yet.
    """
    if isinstance(event, RunOpened):
        return Standings(event)
    if standings is None:
        raise StoreError(f"the journal of a run begins with its opening, found {event}")
    standings.add(event)
    return standings
