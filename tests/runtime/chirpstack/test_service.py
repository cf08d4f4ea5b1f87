"""The learner behind the bridge: what devices say reaches it, and nothing else does."""

import base64
import json
import logging
from dataclasses import replace

import pytest
from runtime.chirpstack import events
from runtime.chirpstack.events import APPLICATION
from tapes import Problem, Tape, make_spec
from wires.runs import fleet_of

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.epochs import run_field
from bitarm.core.limits import Limits
from bitarm.core.messages import Message, Report, Request
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Icq
from bitarm.runtime.chirpstack.service import RETRY, ChirpStackService
from bitarm.runtime.learner.begin import open_run
from bitarm.runtime.learner.service import LearnerService
from bitarm.runtime.service import Publication
from bitarm.store import MemoryJournal

_DEVICES = ("0102030405060708", "a1b2c3d4e5f60718")
_PROBLEM = Problem(
    spec=make_spec(arms=2, quantizer=Icq(bits=3, prior="midpoint")),
    policy=SuccessiveElimination(),
    limits=Limits(rounds=5),
    tape=Tape(seed=1, means=(200, 800), spread=10, bounds=(0, 1024)),
)


class _Desk:
    """A learner and its wire, by hand."""

    def __init__(self) -> None:
        fleet = replace(fleet_of(_PROBLEM), application=APPLICATION, devices=_DEVICES)
        self.learner: LearnerService
        _, self.learner = open_run(
            _PROBLEM.learner(),
            MemoryJournal(),
            fleet,
            boot="boot",
            watch=lambda events: None,
            now=0.0,
            retry=RETRY,
        )
        self.service = ChirpStackService(self.learner, fleet)
        self.now = 0.0
        self.service.connected(0.0)
        self.step()

    def step(self) -> list[Publication]:
        self.now += 1000.0
        return list(self.service.step(self.now))

    def up(self, data: bytes, device: str = _DEVICES[0]) -> list[Publication]:
        self.service.received(events.topic(device, "up"), events.up(device, data))
        return self.step()


def _inside(said: Publication) -> tuple[Message, ...]:
    return wire.decode(base64.b64decode(json.loads(said.payload)["data"]))


def test_a_device_that_speaks_is_asked_and_asked_once() -> None:
    desk = _Desk()
    (said,) = desk.up(b"")
    assert said.topic == f"application/{APPLICATION}/device/{_DEVICES[0]}/command/down"
    (request,) = _inside(said)
    assert isinstance(request, Request)
    assert (request.arm, request.message) == (0, 1)
    assert not said.retain
    assert desk.step() == []  # no clock makes it ask again
    assert desk.up(b"") == []  # nor does the device, while the request waits for it


def test_a_new_connection_asks_again() -> None:
    desk = _Desk()
    (said,) = desk.up(b"")
    desk.service.disconnected(desk.now)
    desk.service.connected(desk.now)
    desk.step()
    assert desk.up(b"") == [said]  # of the same id: ChirpStack keeps it once


def test_a_report_reaches_the_learner() -> None:
    desk = _Desk()
    for arm, device in enumerate(_DEVICES):
        desk.up(b"", device)
        run = run_field(_PROBLEM.learner().run, 1)
        said = desk.up(
            wire.encode(Report(run=run, arm=arm, message=1, symbol=Symbol(3, 3))), device
        )
    assert {type(message) for publication in said for message in _inside(publication)} == {Request}
    assert len(said) == 2  # the next round, for both
    assert desk.learner.refusals.total == 0


@pytest.mark.parametrize(
    ("topic", "payload", "why"),
    [
        (events.topic(_DEVICES[0], "up"), b"{", f"an event of device {_DEVICES[0]} must be JSON"),
        (events.topic(_DEVICES[0], "up"), events.up(_DEVICES[0], b"\xff"), "at least 11 bytes"),
    ],
)
def test_what_a_device_must_not_send_is_refused_and_logged(
    topic: str, payload: bytes, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk = _Desk()
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        desk.service.received(topic, payload)
        desk.step()
    assert why in caplog.text
    assert desk.learner.refusals.total == 1


def test_nobody_speaks_for_a_device_on_the_topics_of_the_run() -> None:
    desk = _Desk()
    assert not any(topic.endswith("/report") for topic in desk.service.endpoint.subscriptions)
    desk.service.received("bitarm/v2/lab/gw-0/status", b'{"presence": "online"}')
    desk.service.received("bitarm/v2/lab/gw-0/report", b"forged")
    assert desk.step() == []
    assert desk.learner.refusals.total == 0
