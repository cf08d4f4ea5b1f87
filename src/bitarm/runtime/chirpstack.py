"""Experimental: agents that are LoRaWAN devices behind a ChirpStack v4 server.

Its MQTT integration speaks JSON on topics of its own. The bridge turns an uplink of a device into
the report of its agent, and the learner's frame for an agent into a downlink for its device:

    application/{id}/device/{devEui}/event/up        ->  bitarm/v2/{run}/{agent}/report
    application/{id}/device/{devEui}/event/up, join  ->  bitarm/v2/{run}/{agent}/status
    bitarm/v2/{run}/{agent}/request                  ->  application/{id}/device/…/command/down

It has no socket: `received` takes a message of either side and returns what to hand to the other.
A learner that joins the two inside its own process needs no right to speak for its agents, and the
broker needs no other bridge: see `bitarm.runtime.chirpstack_service`.

A device of class A listens only after it has spoken, so ChirpStack keeps a downlink until then; a
request that comes again meanwhile is not queued again. A device that waits for a request sends an
empty frame on bitarm's port: if nothing is queued for it, the learner asks again.
"""

import base64
import binascii
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from bitarm.errors import ConfigError, PeerProtocolError
from bitarm.runtime.status import Presence, Status, dump_status
from bitarm.runtime.topics import Kind, Topics

DEFAULT_PORT = 66  # FPort of bitarm's frames, both ways; 1 to 223 are an application's to choose
_MOST_BYTES = 1 << 16  # an event of ChirpStack has one to three kilobytes
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "bitarm/v2/chirpstack")

Said = tuple[str, bytes]
"""A topic and a payload."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Uplink:
    """What a device sent."""

    device: str  # devEui, 16 hexadecimal digits
    port: int  # FPort
    data: bytes


def check_device(eui: str) -> str:
    """A devEui as ChirpStack writes it in topics."""
    plain = eui.replace("-", "").replace(":", "").lower()
    if len(plain) != 16 or not set(plain) <= set("0123456789abcdef"):
        raise ConfigError(f"a devEui has 16 hexadecimal digits, got {eui!r}")
    return plain


def check_application(application: str) -> str:
    """An application's id, if it can stand in a topic."""
    if not application or set(application) & set("+#/"):
        raise ConfigError(f"an application is ChirpStack's id for it, got {application!r}")
    return application


def read_uplink(device: str, payload: bytes) -> Uplink:
    """An `up` event; PeerProtocolError for anything else. A frame without data has none."""
    event = _read_event(device, payload)
    port, data = event.get("fPort", 0), event.get("data") or ""
    if type(port) is not int or not 0 <= port <= 255:
        raise PeerProtocolError(f"device {device}: fPort must lie in [0, 255], got {port!r:.40}")
    try:
        return Uplink(device=device, port=port, data=base64.b64decode(data, validate=True))
    except (binascii.Error, TypeError, ValueError):
        raise PeerProtocolError(f"device {device}: data must be base64, got {data!r:.40}") from None


def write_downlink(device: str, frame: bytes, port: int) -> bytes:
    """A `down` command. The same frame has the same id: ChirpStack queues it once."""
    command = {
        "id": _item(device, frame),
        "devEui": device,
        "confirmed": False,  # the report is the confirmation
        "fPort": port,
        "data": base64.b64encode(frame).decode(),
    }
    return json.dumps(command).encode()


def _item(device: str, frame: bytes) -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{device}/{frame.hex()}"))


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
        """What waits in ChirpStack's queues is no longer known."""
        for queue in self._queued.values():
            queue.clear()

    def received(self, topic: str, payload: bytes) -> list[Said]:
        """What a message of either side becomes on the other."""
        match topic.split("/"):
            case ["application", application, "device", device, "event", kind] if (
                application == self._application and device in self._agents
            ):
                return self._event(kind, device, payload)
        place = self._topics.place(topic)
        if place is not None and place.kind is Kind.REQUEST and place.agent in self._devices:
            return self._request(self._devices[place.agent], payload)
        return []

    def _event(self, kind: str, device: str, payload: bytes) -> list[Said]:
        if kind == "up":
            uplink = read_uplink(device, payload)
            if uplink.port != self._port:
                return [self._status(device, Presence.PULLING)]  # telemetry: a sign of life
            if uplink.data:
                report = (self._topics.of(self._agents[device], Kind.REPORT), uplink.data)
                return [self._status(device, Presence.PULLING), report]
            waits = bool(self._queued[device])  # in ChirpStack: this uplink calls it down
            return [self._status(device, Presence.PULLING if waits else Presence.ONLINE)]
        if kind == "join":
            _read_event(device, payload)
            self._queued[device].clear()  # ChirpStack may empty its queue when a device joins
            return [self._status(device, Presence.ONLINE)]
        if kind == "txack":
            self._sent(device, _read_event(device, payload).get("queueItemId"))
        elif kind == "log" and _read_event(device, payload).get("level") == "ERROR":
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
        queue[:] = [frame for frame in queue if _item(device, frame) != item]

    def _status(self, device: str, presence: Presence) -> Said:
        status = Status(presence=presence, opening=self._opening)
        return self._topics.of(self._agents[device], Kind.STATUS), dump_status(status)


def _read_event(device: str, payload: bytes) -> dict[str, Any]:
    """An event as JSON, if it speaks of the device in whose topic it came."""
    if len(payload) > _MOST_BYTES:
        raise PeerProtocolError(f"device {device}: an event of {len(payload)} bytes is no event")
    try:
        event = json.loads(payload)
    except (ValueError, RecursionError):
        raise PeerProtocolError(f"device {device}: an event must be JSON") from None
    info = event.get("deviceInfo", {}) if isinstance(event, dict) else None
    if not isinstance(info, dict) or info.get("devEui", device) != device:
        raise PeerProtocolError(f"device {device}: the event speaks of another device, or none")
    plain: dict[str, Any] = event
    return plain
