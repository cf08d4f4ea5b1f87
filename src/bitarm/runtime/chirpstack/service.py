"""Experimental: the learner's service where its agents are devices behind a ChirpStack server.

The same service as ever, with the bridge between it and the wire. Nobody speaks for a device on
the topics of the run: only what ChirpStack says of it is heard.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import final

from bitarm.core.events import FleetAssigned
from bitarm.errors import PeerProtocolError
from bitarm.runtime.chirpstack.bridge import ChirpStackBridge
from bitarm.runtime.learner.service import LearnerService
from bitarm.runtime.service import Publication
from bitarm.wire.topics import LEARNER, Subject, Topics

RETRY = math.inf
"""Seconds until the learner asks again by itself: a device that listens says so."""


@final
class ChirpStackService:
    """A learner's service, seen from ChirpStack's topics."""

    def __init__(self, learner: LearnerService, fleet: FleetAssigned) -> None:
        assert fleet.application is not None  # or its agents are on the topics of the run
        self._learner = learner
        self._topics = Topics(fleet.fleet)
        self._bridge = ChirpStackBridge(
            fleet.application,
            fleet.fleet,
            dict(zip(fleet.agents, fleet.devices, strict=True)),
            opening=learner.opening,
            busy=[agent for agent, arms in Counter(fleet.agents).items() if arms > 1],
        )
        learner.leave_out(self._bridge.waits)
        self._inbox: list[tuple[str, bytes]] = []
        self._own = (  # whether this run has a learner, and which
            self._topics.of(LEARNER, Subject.REQUEST),
            self._topics.of(LEARNER, Subject.END),
            self._topics.of(LEARNER, Subject.STATUS),
        )
        self.endpoint = replace(
            learner.endpoint, subscriptions=(*self._own, *self._bridge.subscriptions)
        )

    @property
    def finished(self) -> bool:
        """Whether the learner's service has nothing left to say."""
        return self._learner.finished

    def connected(self, now: float) -> None:
        """What ChirpStack did meanwhile is not known: ask again, and it keeps each frame once."""
        self._bridge.forget()
        self._learner.connected(now)

    def disconnected(self, now: float) -> None:
        """Wait; the devices' own memory is ChirpStack's queue."""
        self._inbox.clear()
        self._learner.disconnected(now)

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Remember a message."""
        self._inbox.append((topic, payload))

    def step(self, now: float) -> Iterable[Publication]:
        """Let the learner act on what the devices said, and queue for them what it says."""
        inbox, self._inbox = self._inbox, []
        for topic, payload in inbox:
            try:
                for said in self._heard(topic, payload):
                    self._learner.received(*said)
            except PeerProtocolError as error:
                self._learner.refusals.note(topic, str(error))
        return [publication for said in self._learner.step(now) for publication in self._told(said)]

    def wake_at(self, now: float) -> float:
        """When the learner's service must step at the latest."""
        return self._learner.wake_at(now)

    def _heard(self, topic: str, payload: bytes) -> Iterable[tuple[str, bytes]]:
        if topic in self._own:
            return [(topic, payload)]
        return self._bridge.received(topic, payload)

    def _told(self, said: Publication) -> list[Publication]:
        parsed = self._topics.read(said.topic)
        if parsed is not None and parsed.subject is Subject.RUN:
            return []  # a device takes run, arm and epoch from its requests
        if parsed is None or parsed.subject is not Subject.REQUEST:
            return [said]
        queued = self._bridge.received(said.topic, said.payload)
        return [Publication(topic=topic, payload=payload) for topic, payload in queued]
