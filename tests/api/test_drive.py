"""How a service is carried to a broker, and what the broker is told where it breaks."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from brokers import PlainBroker

from bitarm.api.network.drive import PATIENCE, drive
from bitarm.errors import StoreError
from bitarm.runtime.service import Endpoint, Publication


class _Guest:
    """Ends with the first message that it hears, or else fails once it is there."""

    def __init__(self, name: str, *, hears: str, fails: bool) -> None:
        will = Publication(topic="wills", payload=name.encode(), retain=True)
        self.endpoint = Endpoint(client_id=name, subscriptions=(hears,), will=will)
        self.finished = False
        self.heard = b""
        self._fails, self._is_there = fails, False

    def connected(self, now: float) -> None:
        self._is_there = True

    def disconnected(self, now: float) -> None:
        raise AssertionError("the line was cut")

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        self.heard, self.finished = payload, True

    def step(self, now: float) -> Iterable[Publication]:
        if self._fails and self._is_there:
            raise StoreError("the disk is full")
        return ()

    def wake_at(self, now: float) -> float:
        return now + 0.1


def test_of_a_service_that_breaks_the_broker_says_that_it_is_gone(tmp_path: Path) -> None:
    broker = PlainBroker(tmp_path)
    broker.start()
    witness = _Guest("witness", hears="wills", fails=False)
    try:
        with pytest.raises(StoreError, match="the disk is full"):
            drive(_Guest("broken", hears="x", fails=True), broker.address, PATIENCE, None)
        drive(witness, broker.address, PATIENCE, None)
    finally:
        broker.kill()
    assert witness.heard == b"broken"
