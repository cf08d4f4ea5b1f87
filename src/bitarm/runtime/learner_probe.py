"""Whether a run has a learner already: asked before a second one would take its place."""

from collections.abc import Iterable
from typing import final

from bitarm.errors import PeerProtocolError
from bitarm.runtime.service import Endpoint, Publication
from bitarm.runtime.status import Presence, load_status
from bitarm.runtime.topics import LEARNER, Kind, Topics

_RETAINED_WITHIN = 0.3  # seconds for the broker to tell what it keeps
_ANSWER_WITHIN = 3.0  # seconds for a learner to say that it lives


@final
class LearnerProbe:
    """Looks for a status that a learner left, and then for the learner itself.

    What the broker keeps may be stale: a broker that lost power says for ever that a learner is
    online that lost it too. So the learner is asked, and only its own answer counts.
    """

    def __init__(self, run: str, *, identity: str) -> None:
        topics = Topics(run)
        self._status = topics.of(LEARNER, Kind.STATUS)
        self._request = topics.of(LEARNER, Kind.REQUEST)
        self._until = float("inf")
        self._heard = 0
        self._asked = False
        self.found = False
        self.finished = False
        self.endpoint = Endpoint(
            client_id=f"bitarm-{run}-probe-{identity}",
            subscriptions=(self._status,),
            will=Publication(topic=self._request, payload=b""),  # harmless: it asks once more
        )

    def connected(self, now: float) -> None:
        """Wait for what is retained."""
        self._until, self._heard, self._asked = now + _RETAINED_WITHIN, 0, False

    def disconnected(self, now: float) -> None:
        """Begin again when connected."""
        self._until = float("inf")

    def received(self, topic: str, payload: bytes) -> None:
        """A status: the first is what the broker kept, one more is a learner's own."""
        try:
            presence = load_status(payload).presence
        except PeerProtocolError:
            return
        self._heard += presence is Presence.ONLINE

    def step(self, now: float) -> Iterable[Publication]:
        """Ask once, if there is anybody to ask."""
        if self._heard and not self._asked:
            self._asked, self._until = True, now + _ANSWER_WITHIN
            return (Publication(topic=self._request, payload=b""),)
        self.found = self._heard > 1
        self.finished = self.found or now >= self._until
        return ()

    def wake_at(self, now: float) -> float:
        """When the time for an answer is over."""
        return min(self._until, now + 1.0)
