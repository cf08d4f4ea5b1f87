"""What frames cost on a link: air time, messages, and the hours that its limits make of them.

A downlink costs most: a device of LoRaWAN's class A hears one after each uplink at most, and one
gateway sends those of all devices under one duty cycle.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, final

from bitarm import wire
from bitarm.core.events import LearnerEvent
from bitarm.core.messages import Dismiss, Message, Position, Report
from bitarm.core.standings import Standings, follow
from bitarm.errors import ConfigError
from bitarm.links.airtime import air_seconds
from bitarm.links.dismissals import spares_who_gave_up
from bitarm.links.profiles import Direction, Link
from bitarm.links.pull_cost import PullCost

_HOUR = 3600.0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LinkUse:
    """What one device's frames cost on a link. Air times are None where the link is not LoRaWAN."""

    messages_up: int
    messages_down: int
    bytes_up: int
    bytes_down: int
    air_seconds_up: float | None
    air_seconds_down: float | None
    least_hours: float  # that the limits on air time make it last
    packets_of_pulls: int = 0  # sent over the link to measure, beside these messages

    def to_json(self) -> dict[str, Any]:
        """The totals as JSON, each under its name here."""
        return asdict(self)


def use(link: Link, up: Iterable[int], down: Iterable[int]) -> LinkUse:
    """What one device's frames cost on a link.

    `up` and `down` have the bytes of each frame. ConfigError if the link does not carry one.
    """
    sizes_up, sizes_down = Counter(up), Counter(down)
    air_up = _air_seconds(link, link.up, sizes_up, up=True)
    air_down = _air_seconds(link, link.down, sizes_down, up=False)
    return LinkUse(
        messages_up=sizes_up.total(),
        messages_down=sizes_down.total(),
        bytes_up=_bytes(sizes_up),
        bytes_down=_bytes(sizes_down),
        air_seconds_up=air_up,
        air_seconds_down=air_down,
        least_hours=max(_least_hours(link.up, air_up), _least_hours(link.down, air_down)),
    )


def _bytes(sizes: Mapping[int, int]) -> int:
    return sum(size * count for size, count in sizes.items())


def _air_seconds(link: Link, way: Direction, sizes: Mapping[int, int], *, up: bool) -> float | None:
    for size in sizes:
        if size > way.max_bytes:
            raise ConfigError(
                f"the link {link.name} carries {way.max_bytes} bytes {'up' if up else 'down'}, "
                f"a frame has {size}"
            )
    if way.rate is None:
        return None
    return sum(count * air_seconds(way.rate, size, up=up) for size, count in sizes.items())


def _least_hours(way: Direction, air: float | None) -> float:
    """What a sender's duty cycle makes of its air time."""
    if way.duty_cycle is None or air is None:
        return 0.0
    return air / way.duty_cycle / _HOUR


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FleetUse:
    """Messages of all devices, and the totals of the one that needs longest: it sets the pace."""

    link: str
    messages_up: int
    messages_down: int
    busiest: LinkUse
    gateway_hours: float  # that all downlinks take, if one gateway sends them
    since_resumed: bool  # what was before is not in it
    pulls_included: bool  # whether the hours are also those of what was said that a pull takes


@final
class LinkLedger:
    """Counts the frames of each device on a link.

    A device is named by its agent; where a run is watched by its events alone, by its arm.
    """

    def __init__(
        self, link: Link, *, resumed: bool = False, pull_cost: PullCost | None = None
    ) -> None:
        self.link = link
        self._resumed = resumed
        self._pull_cost = pull_cost or PullCost()  # what a pull takes, where a run is watched
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
                if self._is_spared(message, self._standings):
                    continue
                went = self.went_up if isinstance(message, Report | Position) else self.went_down
                went(message.arm, len(wire.encode(message)))

    def _is_spared(self, message: Message, standings: Standings) -> bool:
        """Whether it is the dismissal of an arm that is not told, since it gave up by itself."""
        gave_up = standings.arms[message.arm].beaten_by is not None
        return isinstance(message, Dismiss) and gave_up and spares_who_gave_up(self.link)

    def devices(self) -> list[LinkUse]:
        """Totals of each device's frames on this link."""
        return [
            self._measured(
                device, use(self.link, self._up.get(device, ()), self._down.get(device, ()))
            )
            for device in sorted({*self._up, *self._down}, key=str)
        ]

    def _measured(self, device: str | int, frames: LinkUse) -> LinkUse:
        """What a device used, its pulls included; only a run that is watched tells of pulls."""
        if self._standings is None or not isinstance(device, int):
            return frames
        pulls = self._standings.arms[device].pulls
        hours = self._pull_cost.least_hours(self.link, pulls=pulls, reports=frames.messages_up)
        return replace(
            frames,
            least_hours=max(frames.least_hours, hours),
            packets_of_pulls=pulls * self._pull_cost.packets,
        )

    def fleet(self) -> FleetUse:
        """Totals of all devices on this link, and the busiest device."""
        uses = self.devices() or [use(self.link, (), ())]
        return FleetUse(
            link=self.link.name,
            messages_up=sum(one.messages_up for one in uses),
            messages_down=sum(one.messages_down for one in uses),
            busiest=max(uses, key=lambda one: (one.least_hours, one.messages_up)),
            gateway_hours=_least_hours(
                self.link.down, sum(one.air_seconds_down or 0.0 for one in uses)
            ),
            since_resumed=self._resumed,
            pulls_included=self._pull_cost != PullCost(),
        )
