"""Where a run stands, folded from its events: what a live table, a report or a page shows.

Decides nothing and decodes nothing: it only repeats what the learner wrote down.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self, final

from bitarm.core.epochs import FIRST_EPOCH
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
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
)
from bitarm.errors import StoreError


@final
@dataclass(slots=True, kw_only=True)
class ArmStanding:
    """One arm as the events so far describe it."""

    name: str
    mean: float | None = None
    radius: float | None = None
    ceiling: float | None = None  # after it conceded: it is not above this, where is not known
    pulls: int = 0
    messages: int = 0
    payload_bits: int = 0
    repeats: int = 0  # reports that came again
    lives: int = 1  # sequences of rewards that its reports are about
    counted: int = 0  # pulls of the present one that are in the run's samples
    dropped_in: int | None = None  # the round
    dropped_for: int | None = None  # the arm that was better
    lost_in: int | None = None  # the round in which its agent was given up
    agent: str | None = None  # who serves it, where that is a process of its own

    @property
    def active(self) -> bool:
        """Whether the arm is still in the race."""
        return self.dropped_in is None and self.lost_in is None


@final
class Standings:
    """The state of one run, event by event."""

    def __init__(self, opened: RunOpened) -> None:
        self.opened = opened
        self.arms = [ArmStanding(name=name) for name in opened.setup.spec.arms]
        self.round = 0
        self.epoch = FIRST_EPOCH
        self.restored = False  # from a journal that is older than what its agents remember
        self.samples = 0
        self.payload_bits = 0
        self.caveats: list[str] = []
        self.ending: RunEnded | None = None
        self.traffic: TrafficMeasured | None = None
        self.fleet: FleetAssigned | None = None
        self.joined: dict[str, list[AgentJoined]] = {}  # the processes of each agent, in order

    @classmethod
    def of(cls, events: Iterable[LearnerEvent]) -> Self:
        """The standings after all of these events."""
        stream = iter(events)
        opened = next(stream, None)
        if not isinstance(opened, RunOpened):
            raise StoreError(f"the journal of a run begins with its opening, found {opened}")
        standings = cls(opened)
        for event in stream:
            standings.add(event)
        return standings

    def add(self, event: LearnerEvent) -> None:
        """Take one more event in; StoreError if it speaks of an arm that is not there."""
        match event:
            case RoundOpened():
                self.round = event.round
            case ReportAccepted():
                self._heard(event, self._arm(event.arm))
            case EpochBegan():
                self.epoch = event.epoch
            case PositionTold():
                self._arm(event.arm)
                self.restored = True
            case LivesBegan():
                for number, count in event.counts.items():
                    arm = self._arm(number)
                    arm.lives, arm.counted = arm.lives + 1, count
            case ReportIgnored():
                self._arm(event.arm).repeats += 1
            case ArmDropped():
                arm = self._arm(event.arm)
                arm.dropped_in, arm.dropped_for = event.round, event.because
            case ArmsLost():
                for lost in event.arms:
                    self._arm(lost).lost_in = event.round
            case CaveatNoted():
                self.caveats.append(event.text)
            case RunEnded():
                self.ending = event
            case TrafficMeasured():
                self.traffic = event
            case FleetAssigned():
                self.fleet = event
                for number, agent in enumerate(event.agents):
                    self._arm(number).agent = agent
            case AgentJoined():
                self.joined.setdefault(event.agent, []).append(event)

    def _arm(self, number: int) -> ArmStanding:
        if not 0 <= number < len(self.arms):
            raise StoreError(f"the journal speaks of arm {number}, the run has {len(self.arms)}")
        return self.arms[number]

    def _heard(self, event: ReportAccepted, arm: ArmStanding) -> None:
        self.samples += event.pulls - arm.counted
        arm.counted = event.pulls
        self.payload_bits += event.symbol.nbits
        arm.mean, arm.ceiling = event.mean, event.ceiling
        arm.radius = event.radius if math.isfinite(event.radius) else None  # nothing is claimed
        arm.pulls, arm.messages = event.pulls, event.message
        arm.payload_bits += event.symbol.nbits

    @property
    def leader(self) -> int | None:
        """The active arm with the highest decoded mean; None before the first report."""
        heard = [
            (arm.mean, -index)
            for index, arm in enumerate(self.arms)
            if arm.active and arm.mean is not None
        ]
        return -max(heard)[1] if heard else None
