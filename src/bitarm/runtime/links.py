"""What thin links carry, and what a run would cost on them.

A profile holds published limits: the largest application payload each way, messages a day, and for
LoRaWAN the data rate and the law's limits on the air.

    sigfox               12 bytes up, 140 a day; 8 bytes down, 4 a day
    lorawan-eu868-dr0    SF12 at 125 kHz: 51 bytes each way, 1 % duty cycle
    lorawan-us915-dr0    SF10 at 125 kHz: 11 bytes up, 400 ms at most;
                         SF12 at 500 kHz: 53 bytes down
    nb-iot               1358 bytes each way
    none                 no limit of the link's own
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

from bitarm.core.codes import Raw
from bitarm.core.confidence import Stride
from bitarm.core.limits import Limits
from bitarm.core.messages import Request
from bitarm.core.question import Question
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.runtime.airtime import LoRa, air_seconds
from bitarm.runtime.frame_sizes import FrameSizes, largest_frames
from bitarm.wire import MAX_BYTES, encode
from bitarm.wire.envelope import SHORT_BYTES
from bitarm.wire.short import MAX_MESSAGE, MAX_SYMBOL_BITS

# Arm, message, the question's byte and checkpoint in a byte each; head, run and check sum around.
MIN_REQUEST_BYTES = len(
    encode(Request(run=0, arm=0, message=1, question=Question(until=1, code=Raw())))
)
_HOUR, _DAY = 3600.0, 86400.0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """One way of a link."""

    max_bytes: int = MAX_BYTES
    messages_a_day: int | None = None
    rate: LoRa | None = None
    duty_cycle: float | None = None  # fraction of the time that one sender may be on the air
    dwell_seconds: float | None = None  # the longest that one frame may be on the air


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A profile by name."""

    name: str
    up: Direction
    down: Direction


_SF12 = LoRa(spreading_factor=12, bandwidth=125_000)

LINKS: dict[str, Link] = {
    link.name: link
    for link in (
        Link(
            name="sigfox",
            up=Direction(max_bytes=12, messages_a_day=140),
            down=Direction(max_bytes=8, messages_a_day=4),
        ),
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
        Link(
            name="nb-iot", up=Direction(max_bytes=1358), down=Direction(max_bytes=1358)
        ),  # the MTU that 3GPP recommends
        Link(name="none", up=Direction(), down=Direction()),
    )
}


def find_link(name: str) -> Link:
    """The profile of this name."""
    if name not in LINKS:
        raise ConfigError(f"link must be one of {', '.join(LINKS)}, got {name!r}")
    return LINKS[name]


def require_fit(link: Link, spec: RunSpec, limits: Limits, stride: Stride) -> FrameSizes:
    """The largest frames of a run, if the link carries them; else what would fit."""
    sizes = largest_frames(spec, limits, stride)
    if sizes.report > link.up.max_bytes:
        raise ConfigError(
            f"the link {link.name} carries {link.up.max_bytes} bytes up, a report of this run can "
            f"take {sizes.report}: {_shorter_reports(link, sizes)}"
        )
    if sizes.request > link.down.max_bytes:
        raise ConfigError(
            f"the link {link.name} carries {link.down.max_bytes} bytes down, a request of this run "
            f"can take {sizes.request} and none takes less than {MIN_REQUEST_BYTES}: "
            f"{_others(sizes)}"
        )
    return sizes


def _shorter_reports(link: Link, sizes: FrameSizes) -> str:
    """What makes reports fit: the short frame is as small as they get."""
    ways = []
    if link.up.max_bytes >= SHORT_BYTES:
        if sizes.messages > MAX_MESSAGE:
            ways.append(f"at most {MAX_MESSAGE} rounds (limits.rounds, --max-rounds)")
        if sizes.symbol_bits > MAX_SYMBOL_BITS:
            ways.append(
                f"symbols of at most {MAX_SYMBOL_BITS} bits, here up to {sizes.symbol_bits} "
                "(--quantizer icq with bounds has as many as --bits says)"
            )
    shorter = f"frames of {SHORT_BYTES} bytes take {' and '.join(ways)}; " if ways else ""
    return shorter + _others(sizes)


def _others(sizes: FrameSizes) -> str:
    fitting = [
        link.name
        for link in LINKS.values()
        if sizes.report <= link.up.max_bytes and sizes.request <= link.down.max_bytes
    ]
    return f"links that carry this run: {', '.join(fitting)}"


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
    least_hours: float  # that the limits on air time or messages a day make it last

    def to_json(self) -> dict[str, Any]:
        """Under these names, wherever it appears."""
        return {name: getattr(self, name) for name in self.__slots__}


def use(link: Link, up: Iterable[int], down: Iterable[int]) -> LinkUse:
    """What one device's frames, given by their bytes, cost; a frame too large is refused."""
    ways = [(link.up, Counter(up), True), (link.down, Counter(down), False)]
    air = [_air_seconds(link, way, sizes, up=upwards) for way, sizes, upwards in ways]
    hours = [
        _least_hours(way, sizes.total(), seconds)
        for (way, sizes, _), seconds in zip(ways, air, strict=True)
    ]
    return LinkUse(
        messages_up=ways[0][1].total(),
        messages_down=ways[1][1].total(),
        bytes_up=_bytes(ways[0][1]),
        bytes_down=_bytes(ways[1][1]),
        air_seconds_up=air[0],
        air_seconds_down=air[1],
        least_hours=max(hours),
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


def _least_hours(way: Direction, messages: int, air: float | None) -> float:
    """A day's last message may be the next day's first: n messages need (n − 1) intervals."""
    least = 0.0
    if way.messages_a_day is not None and messages:
        least = (messages - 1) / way.messages_a_day * _DAY
    if way.duty_cycle is not None and air is not None:
        least = max(least, air / way.duty_cycle)
    return least / _HOUR
