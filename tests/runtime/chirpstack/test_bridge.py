"""The bridge to ChirpStack: events of the documented shape, bad ones, and the real broker."""

import base64
import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runtime.broker.lab import running_lab
from runtime.chirpstack import events
from runtime.chirpstack.events import APPLICATION

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.core.messages import Report, Request
from bitarm.core.question import Question
from bitarm.errors import BitarmError, ConfigError, PeerProtocolError
from bitarm.runtime.chirpstack.bridge import ChirpStackBridge
from bitarm.wire.status import Presence, Status, dump_status

NORTH, SOUTH = "0102030405060708", "a1b2c3d4e5f60718"
REPORT = wire.encode(Report(run=7, arm=0, message=1, symbol=Symbol(5, 3)))
REQUEST = wire.encode(
    Request(run=7, arm=0, message=1, question=Question(until=2, code=Raw())),
)
NEXT = wire.encode(
    Request(run=7, arm=0, message=2, question=Question(until=4, code=Raw())),
)
ASK = "bitarm/v2/lab/north/request"
DOWN = f"application/{APPLICATION}/device/{NORTH}/command/down"


def _status(presence: Presence) -> tuple[str, bytes]:
    status = dump_status(Status(presence=presence, opening="first"))
    return "bitarm/v2/lab/north/status", status


ONLINE, PULLING = _status(Presence.ONLINE), _status(Presence.PULLING)


def _bridge() -> ChirpStackBridge:
    devices = {"north": NORTH, "south": SOUTH}
    return ChirpStackBridge(APPLICATION, "lab", devices, opening="first")


def test_an_uplink_becomes_a_report() -> None:
    bridge = _bridge()
    reported = ("bitarm/v2/lab/north/report", REPORT)
    event = (events.topic(NORTH, "up"), events.up(NORTH, REPORT))
    assert bridge.received(*event) == [PULLING, reported, ONLINE]  # and it waits for the next one
    bridge.received(ASK, NEXT)
    assert bridge.received(*event) == [PULLING, reported]  # which this uplink calls down


def test_a_report_of_one_arm_does_not_say_that_a_device_with_several_waits() -> None:
    devices = {"north": NORTH}
    bridge = ChirpStackBridge(APPLICATION, "lab", devices, opening="first", busy=["north"])
    said = bridge.received(events.topic(NORTH, "up"), events.up(NORTH, REPORT))
    assert said == [PULLING, ("bitarm/v2/lab/north/report", REPORT)]
    assert bridge.received(events.topic(NORTH, "up"), events.up(NORTH, b"")) == [ONLINE]


def test_a_frame_whose_txack_was_lost_is_queued_again() -> None:
    bridge = _bridge()
    empty = (events.topic(NORTH, "up"), events.up(NORTH, b""))
    ((_, first),) = bridge.received(ASK, REQUEST)
    bridge.received(ASK, NEXT)
    assert bridge.received(*empty) == [PULLING]  # calls it down, and nobody tells us
    assert bridge.received(*empty) == [PULLING]  # perhaps the first one crossed the request
    assert bridge.received(*empty) == [ONLINE]
    assert bridge.received(ASK, REQUEST) == [(DOWN, first)]  # ChirpStack keeps an id once


def test_a_request_becomes_a_downlink_of_the_documented_shape() -> None:
    ((topic, payload),) = _bridge().received(ASK, REQUEST)
    assert topic == DOWN
    command = json.loads(payload)
    assert command.keys() == {"id", "devEui", "confirmed", "fPort", "data"}
    assert (command["devEui"], command["confirmed"], command["fPort"]) == (NORTH, False, 66)
    assert base64.b64decode(command["data"]) == REQUEST


def test_a_request_that_waits_is_not_queued_again() -> None:
    bridge = _bridge()
    ((_, first),) = bridge.received(ASK, REQUEST)
    assert bridge.received(ASK, REQUEST) == []
    assert len(bridge.received(ASK, NEXT)) == 1  # another frame does not wait for the first
    bridge.received(events.topic(NORTH, "txack"), events.txack(NORTH, json.loads(first)["id"]))
    assert bridge.received(ASK, REQUEST) == [(DOWN, first)]  # it was sent and perhaps not heard
    assert bridge.received(ASK, NEXT) == []


def test_a_restarted_bridge_gives_a_frame_the_id_that_it_had() -> None:
    """So ChirpStack, which keeps an id once, does not queue it twice."""
    assert _bridge().received(ASK, REQUEST) == _bridge().received(ASK, REQUEST)
    assert _bridge().received(ASK, REQUEST) != _bridge().received(ASK, NEXT)


def test_a_device_that_waits_is_asked_again_unless_its_request_waits_too() -> None:
    bridge = _bridge()
    empty = (events.topic(NORTH, "up"), events.up(NORTH, b""))
    assert bridge.received(*empty) == [ONLINE]
    ((_, queued),) = bridge.received(ASK, REQUEST)
    assert bridge.received(*empty) == [PULLING]  # this uplink calls the request down
    bridge.received(events.topic(NORTH, "txack"), events.txack(NORTH, json.loads(queued)["id"]))
    assert bridge.received(*empty) == [ONLINE]  # it was not heard


def test_what_is_queued_can_be_forgotten() -> None:
    bridge = _bridge()
    bridge.received(ASK, REQUEST)
    bridge.forget()
    assert len(bridge.received(ASK, REQUEST)) == 1


@pytest.mark.parametrize(("kind", "event"), [("join", events.join), ("log", events.error)])
def test_a_queue_that_may_be_lost_is_filled_again(kind: str, event: Callable[[str], bytes]) -> None:
    bridge = _bridge()
    bridge.received(ASK, REQUEST)
    bridge.received(events.topic(NORTH, kind), event(NORTH))
    assert len(bridge.received(ASK, REQUEST)) == 1


def test_a_device_that_joins_is_online() -> None:
    assert _bridge().received(events.topic(NORTH, "join"), events.join(NORTH)) == [ONLINE]


def test_another_port_is_a_sign_of_life_and_no_report() -> None:
    event = events.up(NORTH, b"temperature", port=2)
    assert _bridge().received(events.topic(NORTH, "up"), event) == [PULLING]


@pytest.mark.parametrize(
    "topic",
    [
        events.topic("ffffffffffffffff", "up"),  # a device of somebody else
        events.topic(NORTH, "location"),
        f"application/other/device/{NORTH}/event/up",
        f"application/{APPLICATION}/device/{NORTH}/command/down",
        "bitarm/v2/other/north/request",
        "bitarm/v2/lab/stranger/request",
        "bitarm/v2/lab/north/report",
        "",
    ],
)
def test_what_concerns_nobody_is_passed_over(topic: str) -> None:
    assert _bridge().received(topic, events.up(NORTH, REPORT)) == []


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        (b"", "must be JSON"),
        (b"\xff", "must be JSON"),
        (b"[" * 60_000, "must be JSON"),
        (b"[]", "another device, or none"),
        (b'{"deviceInfo": 3}', "another device, or none"),
        (events.up(SOUTH, REPORT), "another device, or none"),
        (b'{"fPort": "66"}', "fPort must lie"),
        (b'{"fPort": 256}', "fPort must lie"),
        (b'{"fPort": 66, "data": "***"}', "data must be base64"),
        (b'{"fPort": 66, "data": 5}', "data must be base64"),
        (b" " * 70_000, "has at most 65536 bytes"),
    ],
)
def test_a_bad_event_names_the_device_and_changes_nothing(payload: bytes, says: str) -> None:
    bridge = _bridge()
    with pytest.raises(PeerProtocolError, match=f"device {NORTH}:? .*{says}"):
        bridge.received(events.topic(NORTH, "up"), payload)
    assert bridge.received(events.topic(NORTH, "up"), events.up(NORTH, REPORT))[0] == PULLING


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)

_WORDS = st.sampled_from(["deviceInfo", "fPort", "data", "queueItemId", "level"])

_PAYLOADS = st.binary(max_size=64) | st.dictionaries(_WORDS, _VALUES).map(
    lambda event: json.dumps(event).encode()
)


@given(_PAYLOADS, st.sampled_from(["up", "join", "txack", "log"]))
def test_whatever_arrives_only_our_errors_are_raised(payload: bytes, kind: str) -> None:
    with contextlib.suppress(BitarmError):
        _bridge().received(events.topic(NORTH, kind), payload)


def test_a_bridge_refuses_what_cannot_work() -> None:
    with pytest.raises(ConfigError, match="two agents cannot share one device"):
        ChirpStackBridge(APPLICATION, "lab", {"a": NORTH, "b": NORTH.upper()}, opening="")
    with pytest.raises(ConfigError, match="an application is ChirpStack's id"):
        ChirpStackBridge("a/b", "lab", {}, opening="")
    with pytest.raises(ConfigError, match=r"fPort must lie in \[1, 223\]"):
        ChirpStackBridge(APPLICATION, "lab", {}, opening="", port=0)


def test_over_the_real_broker_a_request_reaches_the_device_and_its_report_the_learner(
    tmp_path: Path,
) -> None:
    """The learner's own account carries both sides; a ChirpStack server has its own."""
    with (
        running_lab(tmp_path, "chirpstack", "gw-1") as lab,
        lab.admitted("chirpstack") as server,
        lab.admitted("learner") as learner,
        lab.admitted("gw-1") as stranger,
    ):
        bridge = _bridge()
        server.subscribe(f"application/{APPLICATION}/device/+/command/down")
        learner.subscribe(*bridge.subscriptions)
        for said in bridge.received(ASK, REQUEST):
            assert learner.publish(*said) == 0
        topic, command = server.next()
        assert topic == DOWN
        assert base64.b64decode(json.loads(command)["data"]) == REQUEST

        forged = stranger.publish(events.topic(NORTH, "up"), events.up(NORTH, b"forged"))
        assert forged == 135
        assert server.publish(events.topic(NORTH, "up"), events.up(NORTH, REPORT)) == 0
        assert bridge.received(*learner.next()) == [PULLING, ("bitarm/v2/lab/north/report", REPORT)]
