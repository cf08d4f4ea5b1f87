"""What has a run cost on a link so far, device by device? Kept from its events."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from bitarm import wire
from bitarm.core.events import (
    ArmDropped,
    ArmsLost,
    EpochBegan,
    LearnerEvent,
    PositionTold,
    ReportAccepted,
    RoundOpened,
    RunEnded,
    RunOpened,
)
from bitarm.core.messages import Cause, Dismiss, Message, Position, Report, Request
from bitarm.runtime.links import Link, LinkUse, use


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FleetUse:
    """All devices together, and the one that needs longest: it sets the pace."""

    link: str
    messages_up: int
    messages_down: int
    busiest: LinkUse
    since_resumed: bool  # what was before is not in it


@final
class LinkLedger:
    """Counts frames by their bytes, for devices named by an agent or, alone, by an arm."""

    def __init__(self, link: Link, *, resumed: bool = False) -> None:
        self.link = link
        self._resumed = resumed
        self._up: dict[str | int, list[int]] = defaultdict(list)
        self._down: dict[str | int, list[int]] = defaultdict(list)
        self._active: set[int] = set()
        self._asked: dict[int, Request] = {}  # not yet answered

    def went_up(self, device: str | int, frame_bytes: int) -> None:
        """A frame came from a device."""
        self._up[device].append(frame_bytes)

    def went_down(self, device: str | int, frame_bytes: int) -> None:
        """A frame went to a device."""
        self._down[device].append(frame_bytes)

    def watch(self, events: Sequence[LearnerEvent]) -> None:
        """Take the frames from a learner's events: one device an arm, one message a frame."""
        for event in events:
            match event:
                case RunOpened():
                    self._active = set(range(len(event.setup.spec.arms)))
                case EpochBegan():  # what was not answered is its first question
                    for request in list(self._asked.values()):
                        self._ask(replace(request, message=1))
                case RoundOpened():
                    for request in event.requests:
                        self._ask(request)
                case ReportAccepted():
                    asked = self._asked.pop(event.arm)
                    report = Report(
                        run=asked.run, arm=event.arm, message=asked.message, symbol=event.symbol
                    )
                    self.went_up(event.arm, _size(report))
                case PositionTold():
                    asked = self._asked.pop(event.arm)
                    position = Position(
                        run=asked.run, arm=event.arm, message=asked.message, pulls=event.pulls
                    )
                    self.went_up(event.arm, _size(position))
                case ArmDropped():
                    self._dismissed(event.arm, Cause.DROPPED)
                case ArmsLost():
                    for arm in event.arms:
                        self._dismissed(arm, Cause.DROPPED)
                case RunEnded():
                    for arm in sorted(self._active):
                        self._dismissed(arm, Cause.ENDED)

    def devices(self) -> list[LinkUse]:
        """Totals of each device's frames on this link."""
        return [
            use(self.link, self._up.get(device, ()), self._down.get(device, ()))
            for device in sorted({*self._up, *self._down}, key=str)
        ]

    def fleet(self) -> FleetUse:
        """Totals of all devices on this link, and the busiest device."""
        uses = self.devices() or [use(self.link, (), ())]
        return FleetUse(
            link=self.link.name,
            messages_up=sum(one.messages_up for one in uses),
            messages_down=sum(one.messages_down for one in uses),
            busiest=max(uses, key=lambda one: (one.least_hours, one.messages_up)),
            since_resumed=self._resumed,
        )

    def _ask(self, request: Request) -> None:
        self._asked[request.arm] = request
        self.went_down(request.arm, _size(request))

    def _dismissed(self, arm: int, cause: Cause) -> None:
        self._active.discard(arm)
        self._asked.pop(arm, None)
        self.went_down(arm, _size(Dismiss(run=0, arm=arm, cause=cause)))


def _size(message: Message) -> int:
    return len(wire.encode(message))
