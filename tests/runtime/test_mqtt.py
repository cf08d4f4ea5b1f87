"""The driver against a broker: a flood on the line, and leaving while one comes."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import trustme
from brokers import PlainBroker

from bitarm.runtime.broker_url import Broker
from bitarm.runtime.mqtt import MqttDriver
from bitarm.runtime.service import Endpoint, Publication, Service

_MEBIBYTE = 1 << 20
_MESSAGES = 40


class _Sender:
    """Says one long thing many times."""

    def __init__(self) -> None:
        self.endpoint = Endpoint(
            client_id="sender", subscriptions=("heard",), will=Publication(topic="x", payload=b"")
        )
        self.finished = False
        self._is_due = False

    def connected(self, now: float) -> None:
        self._is_due = True

    def disconnected(self, now: float) -> None:
        """Nothing."""

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Nothing."""

    def step(self, now: float) -> Iterable[Publication]:
        if not self._is_due:
            return ()
        self.finished = True
        return [Publication(topic="flood", payload=bytes(_MEBIBYTE))] * _MESSAGES

    def wake_at(self, now: float) -> float:
        return now + 0.1


class _Hearer:
    """Knows how much it was given between two steps, at most."""

    def __init__(self, sender: MqttDriver) -> None:
        self.endpoint = Endpoint(
            client_id="hearer", subscriptions=("flood",), will=Publication(topic="x", payload=b"")
        )
        self.most, self.heard, self._held, self._sender = 0, 0, 0, sender
        self.finished = False

    def connected(self, now: float) -> None:
        self._sender.run()
        self._sender.close()

    def disconnected(self, now: float) -> None:
        raise AssertionError("the line was cut")

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        self.heard += 1
        self._held += len(payload)

    def step(self, now: float) -> Iterable[Publication]:
        self.most, self._held = max(self.most, self._held), 0
        self.finished = self.heard == _MESSAGES
        return ()

    def wake_at(self, now: float) -> float:
        return now + 1.0


def test_a_flood_is_taken_in_a_few_mebibytes_at_a_time(tmp_path: Path) -> None:
    broker = PlainBroker(tmp_path)
    broker.start()
    try:
        hearer = _Hearer(MqttDriver(_Sender(), broker.address))
        _run(hearer, broker)
    finally:
        broker.kill()
    assert hearer.heard == _MESSAGES
    assert hearer.most <= 5 * _MEBIBYTE


class _Guest:
    """Has heard enough after the first message; says or does something once it is there."""

    def __init__(self, name: str, hears: str, then: Callable[[], list[Publication]]) -> None:
        will = Publication(topic="wills", payload=b"cut off", retain=True)
        self.endpoint = Endpoint(client_id=name, subscriptions=(hears,), will=will)
        self.finished = False
        self.heard = b""
        self._then, self._due = then, list[Publication]()

    def connected(self, now: float) -> None:
        self._due = self._then()

    def disconnected(self, now: float) -> None:
        raise AssertionError("the line was cut")

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        self.heard = self.heard or payload
        self.finished = True

    def step(self, now: float) -> Iterable[Publication]:
        due, self._due = self._due, []
        return due

    def wake_at(self, now: float) -> float:
        return now + 0.1


class _Counter:
    """Has heard enough after so many messages."""

    def __init__(self, wanted: int) -> None:
        self.endpoint = Endpoint(
            client_id="counter", subscriptions=("flood",), will=Publication(topic="x", payload=b"")
        )
        self.heard, self._wanted, self._since = 0, wanted, time.monotonic()

    @property
    def finished(self) -> bool:
        return self.heard >= self._wanted or time.monotonic() > self._since + 10

    def connected(self, now: float) -> None:
        """Listens."""

    def disconnected(self, now: float) -> None:
        raise AssertionError("the line was cut")

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        self.heard += 1

    def step(self, now: float) -> Iterable[Publication]:
        return ()

    def wake_at(self, now: float) -> float:
        return now + 1.0


def test_what_tls_has_read_ahead_is_heard_without_another_byte(tmp_path: Path) -> None:
    authority, sent = trustme.CA(), 1_100  # more than are read in one pass, in one record of TLS
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve() -> None:
            """As a broker that sends all that it has at once, and then nothing."""
            line, _ = door.accept()
            with context.wrap_socket(line, server_side=True) as client:
                client.recv(1 << 12)  # CONNECT
                client.sendall(b"\x20\x02\x00\x00")
                mid = client.recv(1 << 12)[2:4]  # of SUBSCRIBE
                client.sendall(b"\x90\x03" + mid + b"\x01")
                client.sendall(b"\x30\x08\x00\x05flood!" * sent)
                done.wait(30)

        server = threading.Thread(target=serve)
        server.start()
        port = door.getsockname()[1]
        broker = Broker(host="localhost", port=port, tls=True, ca=tmp_path / "ca.pem")
        counter = _Counter(sent)
        driver = MqttDriver(counter, broker)
        driver.run()
        done.set()
        driver.close()
        server.join()
    assert counter.heard == sent


def test_who_leaves_while_messages_are_on_their_way_was_not_cut_off(tmp_path: Path) -> None:
    broker = PlainBroker(tmp_path)
    broker.start()

    def flood() -> list[Publication]:
        _run(_Sender(), broker)
        return []

    well = Publication(topic="wills", payload=b"nobody was cut off")
    witness = _Guest("witness", "wills", lambda: [well])
    try:
        _run(_Guest("leaver", "flood", flood), broker)
        _run(witness, broker)
    finally:
        broker.kill()
    assert witness.heard == well.payload


def _run(service: Service, broker: PlainBroker) -> None:
    driver = MqttDriver(service, broker.address)
    driver.run()
    driver.close()
