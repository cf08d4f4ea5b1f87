"""What joins a service to a wire: an end of a run that has no socket and no clock of its own.

A service is told what happened and, once in each pass of somebody's loop, asked what to publish.
So the same service runs over a broker, and in a test that kills it between any two steps.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, final


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A message for the broker, to be delivered at least once."""

    topic: str
    payload: bytes
    retain: bool = False


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """What the broker is told of a service when it connects."""

    client_id: str  # of which `Broker.client_id` makes one that no other account can know
    subscriptions: tuple[str, ...]
    will: Publication  # published by the broker when the connection breaks


class Service(Protocol):
    """One end of a run.

    Laws: `received` only remembers; `step` acts on all that was received since the last step, and
    whatever must survive a crash is durable before it returns. Nothing that a peer sends makes a
    method raise. A publication that never arrives is made again when it matters: the wire may
    lose, repeat, delay and reorder, and a service that is connected again needs no memory of what
    was on its way.
    """

    endpoint: Endpoint

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to say."""
        ...

    def connected(self, now: float) -> None:
        """The broker accepted us, and subscribed us anew."""
        ...

    def disconnected(self, now: float) -> None:
        """Nothing arrives and nothing leaves until we are connected again."""
        ...

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """A message came in; `retained` if the broker had it from before we subscribed.

        That may be older than what was heard live: a broker that crashed begins with what it last
        wrote to its disk.
        """
        ...

    def step(self, now: float) -> Iterable[Publication]:
        """Act on all that was received, and return what to publish now."""
        ...

    def wake_at(self, now: float) -> float:
        """When to step at the latest, even if nothing arrives."""
        ...


def fresh_name() -> str:
    """A name that nobody else has: of a process, of a run's opening, of a sequence of rewards."""
    return secrets.token_hex(8)
