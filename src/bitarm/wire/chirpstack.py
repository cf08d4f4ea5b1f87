"""Experimental: the JSON that ChirpStack v4 speaks over MQTT, events and commands of devices."""

import base64
import binascii
import json
import uuid
from dataclasses import dataclass
from typing import Any, final

from bitarm.errors import ConfigError, PeerProtocolError
from bitarm.wire.peer_json import read_json

_MOST_BYTES = 1 << 16  # an event of ChirpStack has one to three kilobytes
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "bitarm/v2/chirpstack")


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
    event = read_event(device, payload)
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
        "id": queue_item(device, frame),
        "devEui": device,
        "confirmed": False,  # the report is the confirmation
        "fPort": port,
        "data": base64.b64encode(frame).decode(),
    }
    return json.dumps(command).encode()


def queue_item(device: str, frame: bytes) -> str:
    """The id of a frame in ChirpStack's queue for a device: the same for the same frame."""
    return str(uuid.uuid5(_NAMESPACE, f"{device}/{frame.hex()}"))


def read_event(device: str, payload: bytes) -> dict[str, Any]:
    """An event as JSON, if it speaks of the device in whose topic it came."""
    event = read_json(payload, what=f"an event of device {device}", most_bytes=_MOST_BYTES)
    info = event.get("deviceInfo", {}) if isinstance(event, dict) else None
    if not isinstance(info, dict) or info.get("devEui", device) != device:
        raise PeerProtocolError(f"device {device}: the event speaks of another device, or none")
    plain: dict[str, Any] = event
    return plain
