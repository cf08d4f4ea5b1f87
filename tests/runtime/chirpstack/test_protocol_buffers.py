"""ChirpStack's own protocol buffers against what we read, write and test with."""

import json
from typing import Any

import pytest
from chirpstack_api import integration
from google.protobuf import json_format
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from runtime.chirpstack import events
from runtime.chirpstack.events import APPLICATION

from bitarm.runtime.chirpstack.bridge import ChirpStackBridge
from bitarm.wire.chirpstack import queue_item, read_event, read_uplink, write_downlink
from bitarm.wire.status import Presence, load_status

EUI = "0102030405060708"
ITEM = queue_item(EUI, b"frame")


def _parsed(payload: bytes, message: Message) -> Any:
    """ValueError if a name or a type is not theirs."""
    return json_format.Parse(payload, message, ignore_unknown_fields=False)


def _said(message: Message) -> bytes:
    """As ChirpStack says it: what has its default value is left out."""
    said: str = json_format.MessageToJson(message)
    return said.encode()


def _bridge() -> ChirpStackBridge:
    return ChirpStackBridge(APPLICATION, "lab", {"north": EUI}, opening="first")


def _info() -> integration.DeviceInfo:
    return integration.DeviceInfo(dev_eui=EUI, application_id=APPLICATION)


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (events.up(EUI, b"frame"), integration.UplinkEvent()),
        (events.join(EUI), integration.JoinEvent()),
        (events.txack(EUI, ITEM), integration.TxAckEvent()),
        (events.ack(EUI, ITEM), integration.AckEvent()),
        (events.error(EUI), integration.LogEvent()),
    ],
    ids=["up", "join", "txack", "ack", "log"],
)
def test_the_events_of_our_tests_are_events_of_theirs(payload: bytes, message: Message) -> None:
    assert _parsed(payload, message).device_info.dev_eui == EUI


def test_what_is_no_event_of_theirs_would_be_noticed() -> None:
    wrong = json.dumps(json.loads(events.up(EUI, b"")) | {"f_ports": 66}).encode()
    with pytest.raises(json_format.ParseError):
        _parsed(wrong, integration.UplinkEvent())


@given(st.binary(max_size=242), st.integers(1, 223))
def test_our_downlink_says_to_them_what_we_mean(frame: bytes, port: int) -> None:
    command = _parsed(write_downlink(EUI, frame, port), integration.DownlinkCommand())
    assert (command.dev_eui, command.f_port, command.data) == (EUI, port, frame)
    assert (command.confirmed, command.id) == (False, queue_item(EUI, frame))


@given(st.binary(max_size=242), st.integers(0, 255))
def test_we_read_what_their_uplink_says(frame: bytes, port: int) -> None:
    """A frame without data, and port 0, are left out."""
    event = integration.UplinkEvent(device_info=_info(), f_port=port, data=frame)
    uplink = read_uplink(EUI, _said(event))
    assert (uplink.device, uplink.port, uplink.data) == (EUI, port, frame)


def test_their_txack_takes_a_frame_out_of_the_queue_and_their_ack_does_not() -> None:
    bridge, ask = _bridge(), "bitarm/v2/lab/north/request"
    ((_, first),) = bridge.received(ask, b"frame")
    acked = integration.AckEvent(device_info=_info(), queue_item_id=ITEM, acknowledged=True)
    assert bridge.received(events.topic(EUI, "ack"), _said(acked)) == []
    assert bridge.received(ask, b"frame") == []  # it waits
    sent = integration.TxAckEvent(device_info=_info(), queue_item_id=ITEM)
    assert bridge.received(events.topic(EUI, "txack"), _said(sent)) == []
    assert bridge.received(ask, b"frame")[0][1] == first


def test_their_join_says_that_a_device_is_there() -> None:
    ((_, status),) = _bridge().received(
        events.topic(EUI, "join"), _said(integration.JoinEvent(device_info=_info()))
    )
    assert load_status(status).presence is Presence.ONLINE


@pytest.mark.parametrize("level", ["INFO", "WARNING", "ERROR"])
def test_their_errors_make_us_queue_again(level: str) -> None:
    bridge, ask = _bridge(), "bitarm/v2/lab/north/request"
    bridge.received(ask, b"frame")
    log = integration.LogEvent(device_info=_info(), level=getattr(integration, level))
    assert read_event(EUI, _said(log)).get("level", "INFO") == level
    bridge.received(events.topic(EUI, "log"), _said(log))
    assert len(bridge.received(ask, b"frame")) == (level == "ERROR")
