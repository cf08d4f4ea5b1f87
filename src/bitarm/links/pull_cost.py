"""What a pull itself costs, beside the frames that tell of it: air time of its packets, and hours.

A pull may send packets over the very link that carries the run's frames, as when an agent measures
how many of a burst arrive. They fall under the same limits on air time.
"""

from dataclasses import dataclass
from typing import final

from bitarm.errors import ConfigError
from bitarm.links.airtime import air_seconds
from bitarm.links.profiles import Link
from bitarm.wire.frames.envelope import SHORT_BYTES

_HOUR = 3600.0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PullCost:
    """What one pull of an arm takes."""

    packets: int = 0  # sent over the link, each as long as a short report
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.packets < 0:
            raise ConfigError(f"pull_packets must be 0 or more, got {self.packets}")
        if not 0 <= self.seconds < float("inf"):
            raise ConfigError(f"pull_seconds must be finite, 0 or more, got {self.seconds}")

    def least_hours(self, link: Link | None, *, pulls: float, reports: float = 0.0) -> float:
        """How long one device takes for so many pulls and reports at least.

        By what a pull takes, and by the link's limits on the device's air time.
        """
        hours = pulls * self.seconds / _HOUR
        if link is None or not pulls:
            return hours
        up, packets = link.up, pulls * self.packets + reports
        if up.rate is not None:
            air = packets * air_seconds(up.rate, SHORT_BYTES, up=True)
            hours = max(hours, air / (up.duty_cycle or 1.0) / _HOUR)
        return hours


def pull_units(link: Link, packets: int) -> float:
    """Seconds of air time of a pull's packets; their bytes, where the link has no data rate."""
    if link.up.rate is None:
        return float(packets * SHORT_BYTES)
    return packets * air_seconds(link.up.rate, SHORT_BYTES, up=True)
