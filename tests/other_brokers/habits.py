"""What a broker does where MQTT leaves it a choice, or where brokers fall short: docs/brokers.md.

python -m tests.other_brokers --habits
"""

import time
from collections.abc import Callable
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

_WAIT = 2.0  # seconds for what does not come
_WILL = "habits/will"


class Client:
    """A client that is driven by hand, and remembers what it heard."""

    def __init__(self, port: int, name: str, *, version: int = paho.MQTTv311) -> None:
        self.messages: list[tuple[str, bytes, bool]] = []
        self.accepted: str | None = None
        self.left: str | None = None
        self._subscribed = self._published = 0
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=name,
            protocol=MQTTProtocolVersion(version),
            reconnect_on_failure=False,
        )
        self._client.on_connect = self._on_connect
        self._client.on_message = self._on_message
        self._client.on_subscribe = self._on_subscribe
        self._client.on_publish = self._on_publish
        self._client.on_disconnect = self._on_disconnect
        self._client.will_set(_WILL, name, qos=1)
        self._client.connect("127.0.0.1", port)
        self.until(lambda: self.accepted or self.left)

    def until(self, check: Callable[[], object], seconds: float = _WAIT) -> bool:
        """Whether something happened in time."""
        deadline = time.monotonic() + seconds
        while not check() and time.monotonic() < deadline:
            self._client.loop(0.02)
        return bool(check())

    def subscribe(self, topic: str) -> None:
        before = self._subscribed
        self._client.subscribe(topic, 1)
        self.until(lambda: self._subscribed > before)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> bool:
        """Whether the broker took it."""
        before = self._published
        self._client.publish(topic, payload, qos=1, retain=retain)
        return self.until(lambda: self._published > before)

    def drop(self) -> None:
        """Without a word."""
        link = self._client.socket()
        if link is not None:
            self._client.on_disconnect = None
            link.close()

    def _on_connect(self, client: Any, data: Any, flags: Any, reason: Any, _: Any) -> None:
        self.accepted = str(reason)

    def _on_message(self, client: Any, data: Any, message: paho.MQTTMessage) -> None:
        self.messages.append((message.topic, bytes(message.payload), message.retain))

    def _on_subscribe(self, *_: Any) -> None:
        self._subscribed += 1

    def _on_publish(self, *_: Any) -> None:
        self._published += 1

    def _on_disconnect(self, client: Any, data: Any, flags: Any, reason: Any, _: Any) -> None:
        self.left = str(reason)


def habits(port: int) -> dict[str, str]:
    """What is worth knowing, each in a word or two."""
    speaker, found = Client(port, "speaker"), {}
    speaker.publish("habits/a.b/kept", b"1", retain=True)

    exact = Client(port, "exact")
    exact.subscribe("habits/a.b/kept")
    found["retained, topic named"] = _came(exact, 1)
    wild = Client(port, "wild")
    wild.subscribe("habits/+/kept")
    found["retained, wildcard"] = _came(wild, 1)
    both = Client(port, "both")
    both.subscribe("habits/+/kept")
    both.subscribe("habits/a.b/kept")
    both.until(lambda: False, 0.5)
    found["retained, both"] = f"{len(both.messages)} times"
    both.messages.clear()
    speaker.publish("habits/a.b/kept", b"2", retain=True)
    both.until(lambda: False, 0.5)
    flags = {retained for _, _, retained in both.messages}
    found["live, both"] = f"{len(both.messages)} times, flag {sorted(flags)}"

    listener, dying = Client(port, "listener"), Client(port, "dying")
    listener.subscribe(_WILL)
    dying.drop()
    listener.until(lambda: listener.messages)
    listener.until(lambda: False, 0.5)
    found["last will"] = f"{len(listener.messages)} times"
    orderly = Client(port, "orderly")
    orderly.subscribe("habits/order")
    for number in range(200):
        speaker.publish("habits/order", b"%d" % number)
    orderly.until(lambda: len(orderly.messages) >= 200, 5.0)
    order = [int(payload) for _, payload, _ in orderly.messages]
    found["order of 200"] = "kept" if order == list(range(200)) else f"broken ({len(order)} came)"
    size = 1 << 20
    found["a message of 1 MiB"] = "taken" if speaker.publish("habits/large", b"x" * size) else "no"

    old, new = Client(port, "twin"), Client(port, "twin")
    found["takeover, MQTT 3.1.1"] = "closed" if old.until(lambda: old.left) else "both live"
    new.drop()
    first = Client(port, "modern", version=paho.MQTTv5)
    found["MQTT 5"] = "yes" if first.accepted == "Success" else "no"
    if first.accepted == "Success":
        second = Client(port, "modern", version=paho.MQTTv5)
        first.until(lambda: first.left)
        found["takeover, MQTT 5"] = first.left or "both live"  # "Unspecified error": closed only
        second.drop()
    return found


def _came(client: Client, count: int) -> str:
    return "yes" if client.until(lambda: len(client.messages) >= count) else "no"
