"""A network server and its one gateway: what ChirpStack does with uplinks and its queues.

At most one downlink follows an uplink, in its first window if the gateway may and can speak then,
or else in its second one; otherwise the frame waits for the next uplink. Its events may be lost or
come twice, as over MQTT at QoS 0 and 1.
"""

import base64
import json
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from lorawan.region import RX1, RX1_DUTY, RX2, Region
from runtime.chirpstack import events

DEDUPLICATION = 0.2  # seconds in which gateways' copies of an uplink are collected
DATA_DELAY = 0.1  # seconds from an uplink's event until the queue is looked at


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Air:
    """What goes wrong: probabilities that a frame is lost, an event lost, an event repeated."""

    lost_up: float = 0.0
    lost_down: float = 0.0
    lost_events: float = 0.0
    repeated_events: float = 0.0


@final
class Server:
    """Queues, windows, and the gateway's duty cycle. `say` takes an event to the learner."""

    def __init__(
        self, region: Region, air: Air, draw: random.Random, say: Callable[[str, bytes], None]
    ) -> None:
        self._region, self._air, self._draw, self._say = region, air, draw, say
        self._queues: dict[str, deque[dict[str, Any]]] = {}
        self._free_at = {RX1: 0.0, RX2: 0.0}  # when the gateway may speak again in a band
        self._on_air_until = 0.0
        self.downlinks = 0
        self.held_back = 0  # by the gateway's duty cycle
        self.too_large = 0

    def happens(self, chance: float) -> bool:
        return self._draw.random() < chance

    def command(self, payload: bytes) -> None:
        """A `down` command: an id that waits already is refused."""
        command = json.loads(payload)
        queue = self._queues.setdefault(command["devEui"], deque())
        if command["id"] not in [item["id"] for item in queue]:
            queue.append(command)

    def event(self, eui: str, kind: str, payload: bytes) -> None:
        """Tell the learner, unless it is lost; perhaps twice."""
        if self.happens(self._air.lost_events):
            return
        for _ in range(2 if self.happens(self._air.repeated_events) else 1):
            self._say(events.topic(eui, kind), payload)

    def downlink(self, eui: str, ended: float) -> tuple[bytes, float] | None:
        """What goes down after an uplink that ended then, and when it has been heard.

        None if nothing does, or if nobody hears it.
        """
        queue = self._queues.setdefault(eui, deque())
        while queue:
            frame = base64.b64decode(queue[0]["data"])
            if len(frame) <= self._region.down.max_bytes:
                break
            queue.popleft()
            self.too_large += 1
            self.event(eui, "log", events.error(eui))
        if not queue:
            return None
        window = self._window(ended, len(frame))
        if window is None:
            self.held_back += 1
            return None
        item = queue.popleft()
        self.downlinks += 1
        self.event(eui, "txack", events.txack(eui, item["id"]))
        if self.happens(self._air.lost_down):
            return None
        return frame, ended + window + self._region.down_seconds(len(frame))

    def _window(self, ended: float, size: int) -> float | None:
        """The window in which the gateway may speak, if any: it speaks to one device at a time."""
        seconds, european = self._region.down_seconds(size), self._region.is_european
        for window, duty in ((RX1, RX1_DUTY), (RX2, self._region.down.duty_cycle)):
            at = ended + window
            if at < self._on_air_until or (european and at < self._free_at[window]):
                continue
            self._on_air_until = at + seconds
            self._free_at[window] = at + (seconds / duty if duty else 0.0)
            return window
        return None
