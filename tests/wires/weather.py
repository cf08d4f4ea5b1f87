"""What the wire does to messages, and those on their way."""

import random
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, kw_only=True)
class Weather:
    """What the wire does to a message, each with its probability."""

    lose: float = 0.0
    repeat: float = 0.0
    delay: float = 0.0

    def fate(self, rng: random.Random) -> list[int]:
        """After how many passes the message arrives, once for each copy."""
        if rng.random() < self.lose:
            return []
        copies = 2 if rng.random() < self.repeat else 1
        return [rng.randint(1, 40) if rng.random() < self.delay else 0 for _ in range(copies)]


class InFlight(NamedTuple):
    """A message on its way: when it arrives, to whom, and whether the broker kept it."""

    at: float
    to: str
    topic: str
    payload: bytes
    kept: bool = False
