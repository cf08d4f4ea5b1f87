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
empty frame on bitarm's port: if nothing is queued for it, the learner asks again.
"""

from collections.abc import Mapping
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
        port: int = DEFAULT_PORT,
    ) -> None:
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
        self._queued: dict[str, list[bytes]] = {device: [] for device in self._agents}

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What to subscribe to on ChirpStack's side."""
        return (f"application/{self._application}/device/+/event/+",)

    def forget(self) -> None:
        """Forget what waits in ChirpStack's queues: the same frames may be queued again."""
        for queue in self._queued.values():
            queue.clear()

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
            uplink = read_uplink(device, payload)
            if uplink.port != self._port:
                return [self._status(device, Presence.PULLING)]  # telemetry: a sign of life
            if uplink.data:
                report = (self._topics.of(self._agents[device], Subject.REPORT), uplink.data)
                return [self._status(device, Presence.PULLING), report]
            waits = bool(self._queued[device])  # in ChirpStack: this uplink calls it down
            return [self._status(device, Presence.PULLING if waits else Presence.ONLINE)]
        if kind == "join":
            read_event(device, payload)
            self._queued[device].clear()  # ChirpStack may empty its queue when a device joins
            return [self._status(device, Presence.ONLINE)]
        if kind == "txack":
            self._sent(device, read_event(device, payload).get("queueItemId"))
        elif kind == "log" and read_event(device, payload).get("level") == "ERROR":
            self._queued[device].clear()  # a frame may have been dropped: ask again
        return []

    def _request(self, device: str, frame: bytes) -> list[Said]:
        if frame in self._queued[device]:
            return []  # it waits for the device's next uplink
        self._queued[device].append(frame)
        topic = f"application/{self._application}/device/{device}/command/down"
        return [(topic, write_downlink(device, frame, self._port))]

    def _sent(self, device: str, item: Any) -> None:
        """Forget a frame that left the queue, so that it goes out again if it is asked again."""
        queue = self._queued[device]
        queue[:] = [frame for frame in queue if queue_item(device, frame) != item]

    def _status(self, device: str, presence: Presence) -> Said:
        status = Status(presence=presence, opening=self._opening)
        return self._topics.of(self._agents[device], Subject.STATUS), dump_status(status)
