"""Two regions of LoRaWAN: data rates, the law's limits, and when a device listens."""

from dataclasses import dataclass
from typing import final

from bitarm.links.airtime import air_seconds
from bitarm.links.profiles import Direction, find_link

RX1, RX2 = 1.0, 2.0  # seconds from the end of an uplink to its two windows
RX1_DUTY = 0.01  # of a gateway on an uplink's channel, in Europe


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A link's profile, and how long a frame of either direction is on the air."""

    link: str

    @property
    def up(self) -> Direction:
        return find_link(self.link).up

    @property
    def down(self) -> Direction:
        return find_link(self.link).down

    @property
    def is_european(self) -> bool:
        return self.up.duty_cycle is not None

    def up_seconds(self, size: int) -> float:
        assert self.up.rate is not None  # LoRaWAN
        return air_seconds(self.up.rate, size, up=True)

    def down_seconds(self, size: int) -> float:
        assert self.down.rate is not None
        return air_seconds(self.down.rate, size, up=False)


EU868, US915 = Region(link="lorawan-eu868-dr0"), Region(link="lorawan-us915-dr0")
