"""What thin links carry.

A profile holds published limits: the largest application payload each way, and for LoRaWAN the
data rate and the law's limits on the air.

    lorawan-eu868-dr0    SF12 at 125 kHz: 51 bytes each way, 1 % duty cycle
    lorawan-us915-dr0    SF10 at 125 kHz: 11 bytes up, 400 ms at most;
                         SF12 at 500 kHz: 53 bytes down
    nb-iot               1358 bytes each way
    none                 no limit of the link's own
"""

from dataclasses import dataclass
from typing import final

from bitarm.errors import ConfigError
from bitarm.links.airtime import LoRa
from bitarm.wire import MAX_BYTES


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """What a link carries in one direction; None where it sets no limit."""

    max_bytes: int = MAX_BYTES
    rate: LoRa | None = None
    duty_cycle: float | None = None  # fraction of the time that one sender may be on the air
    dwell_seconds: float | None = None  # the longest on the air: what `max_bytes` follows from


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What a link carries up, from a device, and down, to it."""

    name: str
    up: Direction
    down: Direction


_SF12 = LoRa(spreading_factor=12, bandwidth=125_000)

LINKS: dict[str, Link] = {
    link.name: link
    for link in (
        Link(
            name="lorawan-eu868-dr0",
            up=Direction(max_bytes=51, rate=_SF12, duty_cycle=0.01),
            down=Direction(max_bytes=51, rate=_SF12, duty_cycle=0.1),  # RX2, 869.525 MHz
        ),
        Link(
            name="lorawan-us915-dr0",
            up=Direction(
                max_bytes=11,
                rate=LoRa(spreading_factor=10, bandwidth=125_000),
                dwell_seconds=0.4,
            ),
            down=Direction(max_bytes=53, rate=LoRa(spreading_factor=12, bandwidth=500_000)),
        ),
        # 1358 bytes are the MTU that 3GPP recommends.
        Link(name="nb-iot", up=Direction(max_bytes=1358), down=Direction(max_bytes=1358)),
        Link(name="none", up=Direction(), down=Direction()),
    )
}


def find_link(name: str) -> Link:
    """The profile of this name; ConfigError, with the names there are, if there is none."""
    if name not in LINKS:
        raise ConfigError(f"link must be one of {', '.join(LINKS)}, got {name!r}")
    return LINKS[name]
