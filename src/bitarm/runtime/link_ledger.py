"""What has a run cost on a link so far, device by device? Kept from its events."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm import wire
from bitarm.core.events import LearnerEvent
from bitarm.core.messages import Position, Report
from bitarm.core.standings import Standings, follow
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
        self._standings: Standings | None = None  # of the run that is watched

    def went_up(self, device: str | int, frame_bytes: int) -> None:
        """A frame came from a device."""
        self._up[device].append(frame_bytes)

    def went_down(self, device: str | int, frame_bytes: int) -> None:
        """A frame went to a device."""
        self._down[device].append(frame_bytes)

    def watch(self, events: Sequence[LearnerEvent]) -> None:
        """Take the frames from a learner's events: one device an arm, one message a frame."""
        for event in events:
            self._standings = follow(self._standings, event)
            for message in self._standings.said:
                went = self.went_up if isinstance(message, Report | Position) else self.went_down
                went(message.arm, len(wire.encode(message)))

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
