"""Experimental: agents that are LoRaWAN devices behind a ChirpStack v4 server.

Its MQTT integration speaks JSON on topics of its own. The bridge turns an uplink of a device into
the report of its agent, and the learner's frame for an agent into a downlink for its device:

    application/{id}/device/{devEui}/event/up        ->  bitarm/v2/{run}/{agent}/report
    application/{id}/device/{devEui}/event/up, join  ->  bitarm/v2/{run}/{agent}/status
    bitarm/v2/{run}/{agent}/request                  ->  application/{id}/device/…/command/down

It has no socket: `received` takes a message of either side and returns what to hand to the other.
A learner that joins the two inside its own process needs no right to speak for its agents, and the
broker needs no other bridge: see `bitarm.runtime.chirpstack.service`.

A device of class A listens only after it has spoken, so ChirpStack keeps a downlink until then; a
request that comes again meanwhile is not queued again. A device that waits for a request sends an
empty frame on bitarm's port, or its last report once more: if nothing is queued for it, the learner
asks again. ChirpStack's events may be lost, that a frame has left the queue too: one that two
uplinks should have called down is queued again, and ChirpStack refuses it if it has it yet.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, final

from bitarm.errors import ConfigError
from bitarm.wire.chirpstack import (
    check_application,
    check_device,
    queue_item,
    read_event,
    read_uplink,
    write_downlink,
)
from bitarm.wire.status import Presence, Status, dump_status
from bitarm.wire.topics import Subject, Topics

DEFAULT_PORT = 66  # FPort of bitarm's frames, both ways; 1 to 223 are an application's to choose

Said = tuple[str, bytes]
"""A topic and a payload."""


@final
@dataclass(slots=True)
class _Queued:
    """A frame in ChirpStack's queue for a device, as far as we know."""

    frame: bytes
    calls: int = 0  # uplinks that should have called it down


_MOST_CALLS = 2  # the first may have crossed the frame on its way to the queue


@final
class ChirpStackBridge:
    """Between the topics of one run and one application of a ChirpStack server.

    Laws: `received` raises PeerProtocolError, or nothing, for whatever arrives, and is as it was
    before after an error; messages of unknown devices, ports and topics are passed over.
    """

    def __init__(
        self,
        application: str,
        run: str,
        devices: Mapping[str, str],
        *,
        opening: str,
        busy: Collection[str] = (),
        port: int = DEFAULT_PORT,
    ) -> None:
        """`busy` has the agents with several arms: a report of one does not say that they wait."""
        if not 1 <= port <= 223:
            raise ConfigError(f"fPort must lie in [1, 223], got {port}")
        self._application = check_application(application)
        self._topics = Topics(run)
        self._opening = opening  # a device serves the run whose requests reach it
        self._port = port
        self._devices = {agent: check_device(eui) for agent, eui in devices.items()}
        self._agents = {device: agent for agent, device in self._devices.items()}
        if len(self._agents) < len(self._devices):
            raise ConfigError("two agents cannot share one device: give each its own devEui")
        self._busy = {self._devices[agent] for agent in busy}
        self._queued: dict[str, list[_Queued]] = {device: [] for device in self._agents}

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What to subscribe to on ChirpStack's side."""
        return (f"application/{self._application}/device/+/event/+",)

    def forget(self) -> None:
        """Forget what waits in ChirpStack's queues: the same frames may be queued again."""
        for queue in self._queued.values():
            queue.clear()

    def waits(self, agent: str, frame: bytes) -> bool:
        """Whether a frame waits already for the next uplink of an agent's device."""
        return any(queued.frame == frame for queued in self._queued[self._devices[agent]])

    def received(self, topic: str, payload: bytes) -> list[Said]:
        """What a message of either side becomes on the other."""
        match topic.split("/"):
            case ["application", application, "device", device, "event", kind] if (
                application == self._application and device in self._agents
            ):
                return self._event(kind, device, payload)
        parsed = self._topics.read(topic)
        if (
            parsed is not None
            and parsed.subject is Subject.REQUEST
            and parsed.agent in self._devices
        ):
            return self._request(self._devices[parsed.agent], payload)
        return []

    def _event(self, kind: str, device: str, payload: bytes) -> list[Said]:
        if kind == "up":
            return self._up(device, payload)
        if kind == "join":
            read_event(device, payload)
            self._queued[device].clear()  # ChirpStack may empty its queue when a device joins
            return [self._status(device, Presence.ONLINE)]
        if kind == "txack":
            self._sent(device, read_event(device, payload).get("queueItemId"))
        elif kind == "log" and read_event(device, payload).get("level") == "ERROR":
            self._queued[device].clear()  # a frame may have been dropped: ask again
        return []

    def _up(self, device: str, payload: bytes) -> list[Said]:
        """A report, if there is one, and whether the device waits for a question."""
        uplink = read_uplink(device, payload)
        coming = self._call(device)
        here = self._status(device, Presence.PULLING)
        if uplink.port != self._port:
            return [here]  # telemetry: a sign of life
        said = [here] if coming or uplink.data else []  # nobody's report is read who is not here
        if uplink.data:
            said.append((self._topics.of(self._agents[device], Subject.REPORT), uplink.data))
        if not coming and not (uplink.data and device in self._busy):
            said.append(self._status(device, Presence.ONLINE))  # asked what is open after it
        return said

    def _call(self, device: str) -> bool:
        """Whether this uplink calls a frame down from ChirpStack's queue."""
        queue = self._queued[device]
        if queue and queue[0].calls == _MOST_CALLS:
            queue.clear()
        if not queue:
            return False
        queue[0].calls += 1
        return True

    def _request(self, device: str, frame: bytes) -> list[Said]:
        if self.waits(self._agents[device], frame):
            return []
        self._queued[device].append(_Queued(frame))
        topic = f"application/{self._application}/device/{device}/command/down"
        return [(topic, write_downlink(device, frame, self._port))]

    def _sent(self, device: str, item: Any) -> None:
        """Forget a frame that left the queue, so that it goes out again if it is asked again."""
        queue = self._queued[device]
        queue[:] = [queued for queued in queue if queue_item(device, queued.frame) != item]

    def _status(self, device: str, presence: Presence) -> Said:
        status = Status(presence=presence, opening=self._opening)
        return self._topics.of(self._agents[device], Subject.STATUS), dump_status(status)
