"""A service that is watched from outside: whether it is connected, and what passes through it.

For metrics and health. Refuses to know what the messages say; a service does not notice.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import final

from bitarm.runtime.service import Publication, Service


@final
@dataclass(slots=True)
class ServiceFigures:
    """What is known of a running service; another thread may read it at any time."""

    is_connected: bool = False
    connections: int = 0
    received: int = 0
    sent: int = 0
    agents: int = 0  # of a learner's run
    count_present: Callable[[], int] = field(default=lambda: 0)  # those of them that are there


@final
class ObservedService:
    """The service itself, with its figures kept up to date."""

    def __init__(self, service: Service, figures: ServiceFigures) -> None:
        self._service = service
        self._figures = figures
        self.endpoint = service.endpoint

    @property
    def finished(self) -> bool:
        """Whether it has nothing left to do."""
        return self._service.finished

    def connected(self, now: float) -> None:
        """The broker took us in."""
        self._figures.is_connected = True
        self._figures.connections += 1
        self._service.connected(now)

    def disconnected(self, now: float) -> None:
        """The connection is gone."""
        self._figures.is_connected = False
        self._service.disconnected(now)

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """A message came in."""
        self._figures.received += 1
        self._service.received(topic, payload, retained=retained)

    def step(self, now: float) -> Iterable[Publication]:
        """Let it work, and count what it has to say."""
        said = list(self._service.step(now))
        self._figures.sent += len(said)
        return said

    def wake_at(self, now: float) -> float:
        """When it wants to work again."""
        return self._service.wake_at(now)
