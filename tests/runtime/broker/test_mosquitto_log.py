"""Mosquitto's log, as version 2.0.11 writes it, becomes lines about offenders."""

import time

import pytest

from bitarm.runtime.broker.mosquitto_log import RefusalReader

_CONNECTED = "New client connected from 192.0.2.7:41340 as a1 (p2, c1, k60, u'gw-1')."


def _told(*lines: str) -> list[str]:
    reader = RefusalReader()
    return [told for line in lines if (told := reader.read(line))]


def test_a_denied_message_names_account_address_and_topic() -> None:
    denied = "Denied PUBLISH from a1 (d0, q1, r0, m1, 'bitarm/v2/r/gw-2/report', ... (11 bytes))"
    assert _told(_CONNECTED, denied) == [
        "refused: gw-1 at 192.0.2.7:41340 may not write bitarm/v2/r/gw-2/report (11 bytes dropped)"
    ]


def test_a_client_that_is_not_known_is_named_by_its_id() -> None:
    denied = "Denied PUBLISH from a1 (d0, q1, r0, m1, 'x', ... (1 bytes))"
    assert _told(denied) == ["refused: client 'a1' may not write x (1 bytes dropped)"]


def test_a_client_is_forgotten_when_it_goes() -> None:
    denied = "Denied PUBLISH from a1 (d0, q1, r0, m1, 'x', ... (1 bytes))"
    assert "client 'a1'" in _told(_CONNECTED, "Client a1 disconnected.", denied)[0]


def test_a_subscription_to_more_than_ones_own_is_told() -> None:
    assert _told(_CONNECTED, "a1 1 bitarm/v2/lab/gw-1/request", "a1 1 bitarm/v2/#") == [
        "refused: gw-1 at 192.0.2.7:41340 may not read bitarm/v2/# (nothing is sent)"
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Sending CONNACK to 192.0.2.9 (0, 5)", "192.0.2.9 gave no valid name and password"),
        ("Sending CONNACK to 192.0.2.9 (0, 135)", "192.0.2.9 gave no valid name and password"),
        ("Client a1 disconnected due to oversize packet.", "sent a packet that is too large"),
        ("Client a1 disconnected due to protocol error.", "sent what is not MQTT"),
        ("OpenSSL Error[0]: error:0A00010B:SSL routines::wrong version number", "not speak TLS"),
        (
            "Client connection from 192.0.2.9 failed: error:0A00010B:SSL routines::wrong version "
            "number.",
            "a client at 192.0.2.9: it does not speak TLS",
        ),
        ("OpenSSL Error[0]: error:0A000418:SSL routines::tlsv1 alert unknown ca", "not trust our"),
    ],
)
def test_other_refusals(line: str, told: str) -> None:
    (said,) = _told("New connection from 192.0.2.9:7 on port 8883.", _CONNECTED, line)
    assert said.startswith("refused")
    assert told in said
    assert "192.0.2." in said


_REPLACED = "Client a1 already connected, closing old connection."


def test_a_takeover_by_another_account_is_told() -> None:
    thief = "New client connected from 192.0.2.9:7 as a1 (p2, c1, k60, u'gw-2')."
    assert _told(_CONNECTED, _REPLACED, thief) == [
        "taken over: gw-2 at 192.0.2.9:7 came as client 'a1', and took the place of "
        "gw-1 at 192.0.2.7:41340"
    ]


def test_a_gateway_that_takes_its_own_place_is_told_only_if_it_does_so_again_and_again() -> None:
    again = [_REPLACED, _CONNECTED]
    assert not _told(_CONNECTED, *again * 4)
    (line,) = _told(_CONNECTED, *again * 40)
    assert "for the 5th time" in line
    gone = "Client a1 disconnected."
    assert not _told(*[_CONNECTED, *again, gone] * 40)


def test_one_account_from_another_machine_is_told() -> None:
    elsewhere = _CONNECTED.replace("192.0.2.7", "192.0.2.8")
    (line,) = _told(_CONNECTED, _REPLACED, elsewhere)
    assert "gw-1 at 192.0.2.8:41340 came as client 'a1'" in line


def test_ordinary_traffic_is_not_told() -> None:
    assert not _told(
        "New connection from 192.0.2.7:41340 on port 8883.",
        _CONNECTED,
        "No will message specified.",
        "Sending CONNACK to a1 (0, 0)",
        "Received SUBSCRIBE from a1",
        "\tbitarm/v2/lab/gw-1/request (QoS 1)",
        "a1 1 bitarm/v2/lab/gw-1/request",
        "Sending SUBACK to a1",
        "Received PUBLISH from a1 (d0, q1, r0, m1, 'bitarm/v2/lab/gw-1/report', ... (11 bytes))",
        "Sending PUBLISH to l (d0, q1, r0, m7, 'bitarm/v2/lab/gw-1/report', ... (11 bytes))",
        "Received DISCONNECT from a1",
        "Client a1 disconnected.",
        "mosquitto version 2.0.11 terminating",
        "Saving in-memory database to /x/mosquitto.db.",
        "Warning: ACL pattern 'bitarm/v2/+/learner/status' does not contain '%c' or '%u'.",
        "Warning: ACL pattern 'bitarm/v2/+/learner/end' does not contain '%c' or '%u'.",
    )


def test_errors_of_mosquitto_itself_are_passed_on() -> None:
    line = "Error: Unable to write the database: No space left on device."
    assert _told(line) == [line]


def test_a_topic_cannot_hide_who_wrote_to_it() -> None:
    topic = "x (d0, q1, r0, m1, 'y"
    denied = f"Denied PUBLISH from a1 (d0, q1, r0, m1, '{topic}', ... (1 bytes))"
    (said,) = _told(_CONNECTED, denied)
    assert said == f"refused: gw-1 at 192.0.2.7:41340 may not write {topic} (1 bytes dropped)"


def test_a_client_id_cannot_put_the_blame_on_another() -> None:
    evil = "a1 (d0, q1, r0, m1, 'z', ... (9 bytes))"
    joined = f"New client connected from 192.0.2.6:1 as {evil} (p2, c1, k60, u'gw-2')."
    denied = f"Denied PUBLISH from {evil} (d0, q1, r0, m1, 'x', ... (1 bytes))"
    assert _told(_CONNECTED, joined, denied) == [
        "refused: gw-2 at 192.0.2.6:1 may not write x (1 bytes dropped)"
    ]
    assert _told(_CONNECTED, joined, f"{evil} 1 bitarm/v2/#")[0].startswith("refused: gw-2 at")


def test_a_client_id_cannot_forge_an_account() -> None:
    evil = "x (p2, c1, k60, u'learner')."
    joined = f"New client connected from 192.0.2.6:1 as {evil} (p2, c1, k60, u'gw-2')."
    (said,) = _told(joined, f"Denied PUBLISH from {evil} (d0, q1, r0, m1, 'x', ... (1 bytes))")
    assert said.startswith("refused: gw-2 at 192.0.2.6:1 ")


def test_a_topic_with_spaces_cannot_hide_a_subscription() -> None:
    (said,) = _told(_CONNECTED, "a1 1 $share/a 1 b/bitarm/v2/+/+/request")
    assert "gw-1 at 192.0.2.7:41340 may not read $share/a 1 b/" in said


def test_a_client_id_cannot_forge_a_refusal_of_another() -> None:
    evil = "Denied PUBLISH from a1 (d0, q1, r0, m1, 'x', ... (1 bytes))"
    joined = f"New client connected from 192.0.2.6:1 as {evil} (p2, c1, k60, u'gw-2')."
    (said,) = _told(_CONNECTED, joined, f"{evil} 1 bitarm/v2/#")
    assert said.startswith("refused: gw-2 at 192.0.2.6:1 may not read")


def test_a_line_that_mosquitto_cut_still_names_the_offender() -> None:
    (said,) = _told(_CONNECTED, "Denied PUBLISH from a1 (d0, q1, r0, m1, 'bitarm/v2/" + "x" * 900)
    assert said.startswith("refused: gw-1 at 192.0.2.7:41340 may not write bitarm/v2/xxx")


@pytest.mark.parametrize(
    "topic", ["a " * 480, " (d0, q0, r0, m0, '" * 60], ids=["blanks", "forged"]
)
def test_a_topic_cannot_be_made_to_take_long(topic: str) -> None:
    """Mosquitto waits until its log is read: whoever makes that slow would stop everybody."""
    reader = RefusalReader()
    reader.read(_CONNECTED)
    line = f"Denied PUBLISH from a1 (d0, q0, r0, m0, '{topic}"[:1000]
    began = time.process_time()
    for _ in range(1_000):
        told = reader.read(line)
    assert time.process_time() - began < 1.0  # 0.1 s; once 0.5 and 4.5 s
    assert told is not None
    assert told.startswith("refused: gw-1 at 192.0.2.7:41340 may not write")
