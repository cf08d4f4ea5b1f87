"""A real broker with TLS, passwords and access rules, and clients that may misbehave."""

import os
import queue
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import paho.mqtt.client as mqtt
from loopback import PATIENCE, eventually, free_port
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from bitarm.runtime.broker import provision
from bitarm.runtime.broker.folder import BrokerFolder


@dataclass
class Client:
    """An MQTT client whose answers can be waited for."""

    client: mqtt.Client
    connected: "queue.Queue[int]" = field(default_factory=queue.Queue)
    acknowledged: "queue.Queue[int]" = field(default_factory=queue.Queue)
    received: "queue.Queue[tuple[str, bytes]]" = field(default_factory=queue.Queue)
    gone: threading.Event = field(default_factory=threading.Event)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> int:
        """The broker's answer to a message: 0, or the reason why not (135 is not authorised)."""
        self.client.publish(topic, payload, qos=1, retain=retain)
        return self.acknowledged.get(timeout=PATIENCE)

    def subscribe(self, *topics: str) -> None:
        """Ask for messages."""
        done = threading.Event()
        self.client.on_subscribe = lambda *_: done.set()
        self.client.subscribe([(topic, 1) for topic in topics])
        assert done.wait(PATIENCE)

    def next(self) -> tuple[str, bytes]:
        """The next message."""
        return self.received.get(timeout=PATIENCE)


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A running broker."""

    folder: BrokerFolder
    port: int
    process: "subprocess.Popen[bytes]"
    log: Path

    def password(self, name: str) -> str:
        return self.folder.password(name).read_text().strip()

    def told(self) -> list[str]:
        return self.log.read_text().splitlines()

    def await_told(self, *parts: str) -> str:
        """The line of the log that has all these parts, once it is there."""
        found: list[str] = []

        def there() -> bool:
            found.extend(line for line in self.told() if all(part in line for part in parts))
            return bool(found)

        eventually(there, f"a line of the log with {parts}")
        return found[0]

    def shake_hands(self, context: ssl.SSLContext, host: str = "localhost") -> None:
        """TLS and nothing more; raises what the TLS library finds wrong."""
        with (
            socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as raw,
            context.wrap_socket(raw, server_hostname=host),
        ):
            pass

    def trusting(self, ca: Path | None = None) -> ssl.SSLContext:
        """What an agent trusts: this broker's authority and no other."""
        return ssl.create_default_context(cafile=str(ca or self.folder.ca_certificate))

    @contextmanager
    def client(
        self,
        user: str | None,
        *,
        password: str | None = None,
        name: str | None = None,
        will: str | None = None,
        clean: bool = True,
    ) -> Iterator[Client]:
        """A client that tries to connect; MQTT 5, because only that tells it of refusals."""
        raw = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=name or f"test-{user}", protocol=mqtt.MQTTv5
        )
        made = Client(raw)
        raw.on_connect = lambda _c, _d, _f, code, _p: made.connected.put(code.value)
        raw.on_publish = lambda _c, _d, _m, code, _p: made.acknowledged.put(code.value)
        raw.on_message = lambda _c, _d, message: made.received.put(
            (message.topic, bytes(message.payload))
        )
        raw.on_disconnect = lambda *_: made.gone.set()
        if user is not None:
            raw.username_pw_set(user, self.password(user) if password is None else password)
        raw.tls_set_context(self.trusting())
        if will is not None:
            raw.will_set(will, b"hostile", qos=1)
        kept = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho's own
        kept.SessionExpiryInterval = 0 if clean else 60
        raw.connect_timeout = PATIENCE
        raw.connect("127.0.0.1", self.port, clean_start=clean, properties=kept)
        raw.loop_start()
        try:
            yield made
        finally:
            raw.disconnect()
            raw.loop_stop()
            # A client that is part of a cycle is collected late, and its sockets with it.
            raw.on_connect = raw.on_publish = raw.on_message = None
            raw.on_disconnect = raw.on_subscribe = None

    @contextmanager
    def admitted(
        self, user: str, *, name: str | None = None, will: str | None = None
    ) -> Iterator[Client]:
        """A client that got in."""
        with self.client(user, name=name, will=will) as made:
            assert made.connected.get(timeout=PATIENCE) == 0
            yield made


@contextmanager
def running_lab(place: Path, *agents: str, **env: str) -> Iterator[Lab]:
    """A broker in a folder of its own, as `bitarm broker run` runs it."""
    folder = BrokerFolder(place / "broker")
    if not folder.settings.exists():
        provision.set_up(folder, agents, (), None, datetime.now(UTC))
    port = free_port()
    log = place / f"log-{port}"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "bitarm",
                "broker",
                "run",
                str(folder.path),
                "--port",
                str(port),
            ],
            stdin=subprocess.DEVNULL,
            stderr=stream,
            env=dict(os.environ) | env,
        )
        lab = Lab(folder=folder, port=port, process=process, log=log)
        try:
            lab.await_told("the broker answers at mqtts://localhost")
            yield lab
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
    assert process.returncode == 0, log.read_text()
