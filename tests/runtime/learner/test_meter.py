"""Bytes: as MQTT's specification counts them, both ways apart, and no byte twice."""

import pytest

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.messages import Report
from bitarm.runtime.learner.meter import Meter, publish_bytes


@pytest.mark.parametrize(
    ("topic", "size", "total"),
    [
        ("a/b", 0, 2 + 2 + 3 + 2),  # two bytes of fixed header
        ("a/b", 120, 2 + 127),  # the longest with one byte of length
        ("a/b", 121, 3 + 128),
        ("a/b", 16_376, 3 + 16_383),
        ("a/b", 16_377, 4 + 16_384),
        ("ä", 1, 2 + 2 + 2 + 2 + 1),
    ],
)
def test_a_publish_packet(topic: str, size: int, total: int) -> None:
    assert publish_bytes(topic, bytes(size)) == total


def test_the_two_directions_and_the_arms_are_counted_apart() -> None:
    meter = Meter(3)
    reports = [Report(run=1, arm=arm, message=2, symbol=Symbol(5, 3)) for arm in (0, 2)]
    up = wire.pack(reports)
    meter.went_up("t/report", up, reports)
    meter.went_down("t/request", bytes(15), [1])
    traffic = meter.measured(by_arm=True)
    assert (traffic.wire_bytes_up, traffic.wire_bytes_down) == (len(up), 15)
    assert traffic.payload_bytes == 1
    assert traffic.mqtt_bytes_up == publish_bytes("t/report", up) + 4
    assert traffic.mqtt_bytes_down == publish_bytes("t/request", bytes(15)) + 4
    assert traffic.tcp_ip_bytes_up == traffic.mqtt_bytes_up + 80
    assert (sum(traffic.arms_up), traffic.arms_up[1]) == (len(up), 0)
    assert traffic.arms_down == (0, 15, 0)


def test_it_goes_on_from_what_was_measured_before() -> None:
    meter = Meter(2)
    meter.went_down("t", bytes(7), [0, 1])
    again = Meter(2, meter.measured(by_arm=True))
    again.went_down("t", bytes(7), [0, 1])
    assert again.measured(by_arm=True).arms_down == (8, 6)
    assert again.measured(by_arm=False).wire_bytes_down == 14
