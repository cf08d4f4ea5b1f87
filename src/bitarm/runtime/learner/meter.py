"""What a run puts on the wire, counted at the agents' links, the two directions apart.

    payload_bits     the symbols: what the paper counts (the learner adds them up)
    payload_bytes    those of a frame in whole bytes
    wire_bytes       frames as sent
    mqtt_bytes       the packets around them: PUBLISH at QoS 1 and its PUBACK the other way
    tcp_ip_bytes     an estimate: 40 bytes of IPv4 and TCP header for each of these packets

Repetitions count: they were sent. Statuses, keep-alives and connections do not: they depend on
the hours that a run takes, not on what it says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm import wire
from bitarm.core.events import TrafficMeasured
from bitarm.core.messages import Answer

PUBACK_BYTES = 4
TCP_IP_HEADER_BYTES = 40  # without options; an acknowledgement rides on the next packet


def publish_bytes(topic: str, payload: bytes) -> int:
    """Bytes of a PUBLISH packet at QoS 1: MQTT 3.1.1, section 3.3."""
    rest = 2 + len(topic.encode()) + 2 + len(payload)  # topic length, topic, packet id, payload
    length_digits = 1 + (rest > 127) + (rest > 16_383) + (rest > 2_097_151)
    return 1 + length_digits + rest


@final
@dataclass(slots=True)
class Count:
    """Both directions of one measure."""

    up: int = 0
    down: int = 0


@final
class Meter:
    """Adds up frames; goes on from what was measured before a restart."""

    def __init__(self, arms: int, before: TrafficMeasured | None = None) -> None:
        self._payload_bytes = before.payload_bytes if before else 0
        self._wire, self._mqtt, self._tcp_ip = Count(), Count(), Count()
        self._arms_up, self._arms_down = [0] * arms, [0] * arms
        if before is not None:
            self._wire = Count(before.wire_bytes_up, before.wire_bytes_down)
            self._mqtt = Count(before.mqtt_bytes_up or 0, before.mqtt_bytes_down or 0)
            self._tcp_ip = Count(before.tcp_ip_bytes_up or 0, before.tcp_ip_bytes_down or 0)
            if before.arms_up and before.arms_down:
                self._arms_up, self._arms_down = list(before.arms_up), list(before.arms_down)

    def went_up(self, topic: str, frame: bytes, answers: Sequence[Answer]) -> None:
        """A frame of answers arrived."""
        self._payload_bytes += wire.payload_bytes(answers)
        self._wire.up += len(frame)
        self._count_packets(publish_bytes(topic, frame), PUBACK_BYTES)
        _share(self._arms_up, [answer.arm for answer in answers], len(frame))

    def went_down(self, topic: str, frame: bytes, arms: Sequence[int]) -> None:
        """A frame of requests or dismissals was sent."""
        self._wire.down += len(frame)
        self._count_packets(PUBACK_BYTES, publish_bytes(topic, frame))
        _share(self._arms_down, arms, len(frame))

    def measured(self, *, by_arm: bool) -> TrafficMeasured:
        """All that was counted so far, as an event; `by_arm` also arm by arm."""
        return TrafficMeasured(
            payload_bytes=self._payload_bytes,
            wire_bytes_up=self._wire.up,
            wire_bytes_down=self._wire.down,
            mqtt_bytes_up=self._mqtt.up,
            mqtt_bytes_down=self._mqtt.down,
            tcp_ip_bytes_up=self._tcp_ip.up,
            tcp_ip_bytes_down=self._tcp_ip.down,
            arms_up=tuple(self._arms_up) if by_arm else (),
            arms_down=tuple(self._arms_down) if by_arm else (),
        )

    def _count_packets(self, up: int, down: int) -> None:
        """A packet of so many bytes in each direction: a frame, and its acknowledgement."""
        self._mqtt.up += up
        self._mqtt.down += down
        self._tcp_ip.up += TCP_IP_HEADER_BYTES + up
        self._tcp_ip.down += TCP_IP_HEADER_BYTES + down


def _share(counts: list[int], arms: Sequence[int], size: int) -> None:
    """Split a frame among its arms in whole bytes; the first ones bear what is left over."""
    each, over = divmod(size, len(arms))
    for position, arm in enumerate(arms):
        counts[arm] += each + (position < over)
