"""A wire that loses, repeats, delays, halves and damages what it carries, and counts it."""

import random
from collections import Counter
from dataclasses import dataclass, field

from wires.weather import Weather

from bitarm.wire.topics import Subject

_FRAMES = (Subject.REQUEST.value, Subject.REPORT.value)


@dataclass(frozen=True, kw_only=True)
class Storm(Weather):
    """Weather that keeps count, and spoils messages besides."""

    halve: float = 0.0
    damage: float = 0.0  # one bit of a frame: its check sum must find it
    counts: Counter[str] = field(default_factory=Counter)

    def fate(self, rng: random.Random) -> list[int]:
        """After how many passes the message arrives, once for each copy."""
        arrivals = super().fate(rng)
        self.counts["lost"] += not arrivals
        self.counts["repeated"] += len(arrivals) > 1
        self.counts["delayed"] += any(arrivals)
        return arrivals

    def spoil(self, topic: str, payload: bytes, rng: random.Random) -> bytes:
        """What arrives of a payload: all of it, half, or with one bit that has changed.

        No bit of a status changes: TCP has a check sum too, and JSON has none. A half of one is
        what a peer that died while it spoke would leave.
        """
        if payload and rng.random() < self.halve:
            self.counts["halved"] += 1
            return payload[: len(payload) // 2]
        if payload and topic.rsplit("/", 1)[1] in _FRAMES and rng.random() < self.damage:
            self.counts["damaged"] += 1
            bit = rng.randrange(8 * len(payload))
            whole = bytearray(payload)
            whole[bit // 8] ^= 1 << bit % 8
            return bytes(whole)
        return payload


def storm_of(rng: random.Random) -> Storm:
    """A storm as bad as chance will have it."""
    force = rng.choice([0.0, 0.05, 0.1, 0.2])
    return Storm(
        lose=force * rng.random(),
        repeat=force * rng.random(),
        delay=2 * force * rng.random(),
        halve=force * rng.random() / 2,
        damage=force * rng.random() / 2,
    )
