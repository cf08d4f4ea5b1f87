"""What the broker knows of a run before a learner speaks: is there one already, in which epoch?"""

from collections.abc import Iterable
from typing import final

from bitarm.errors import PeerProtocolError
from bitarm.runtime.learner.rivals import ANSWER_WITHIN, RETAINED_WITHIN
from bitarm.runtime.service import Endpoint, Publication
from bitarm.wire.announcement import load_announcement
from bitarm.wire.status import Presence, load_status
from bitarm.wire.topics import LEARNER, Subject, Topics

_MORE_WITHIN = 0.1  # seconds for the next of many such messages


@final
class LearnerProbe:
    """Looks for a status that a learner left, and then for the learner itself.

    What the broker keeps may be stale: a broker that lost power says for ever that a learner is
    online that lost it too. So the learner is asked, and only its own answer counts. Epochs count
    whoever names them, since each was taken once: agents' statuses, announcements, learners.
    """

    def __init__(self, run: str, *, identity: str) -> None:
        topics = Topics(run)
        self._status = topics.of(LEARNER, Subject.STATUS)
        self._request = topics.of(LEARNER, Subject.REQUEST)
        self._runs = topics.of("+", Subject.RUN).split("+")
        self._until = float("inf")
        self._heard = False
        self._more = False
        self._asked = False
        self._epochs: dict[str, set[int]] = {}  # by opening
        self.found = False
        self.finished = False
        self.endpoint = Endpoint(
            client_id=f"bitarm-{run}-probe-{identity}",
            subscriptions=(
                self._status,  # by its name too: RabbitMQ keeps nothing for wildcards
                topics.of("+", Subject.STATUS),
                topics.of("+", Subject.RUN),
                topics.of(LEARNER, Subject.END),
            ),
            will=Publication(topic=self._request, payload=b""),  # harmless: it asks once more
        )

    def epochs(self, opening: str) -> set[int]:
        """The epochs of a run that anybody knows of."""
        return self._epochs.get(opening, set())

    def connected(self, now: float) -> None:
        """Wait for what is retained."""
        self._until, self._heard, self._asked = now + RETAINED_WITHIN, False, False

    def disconnected(self, now: float) -> None:
        """Wait for a connection, and begin again then."""
        self._until = float("inf")

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Take in what the broker keeps, and what a learner itself says: that comes unretained.

        What it kept may come twice, once for each subscription that it fits.
        """
        self._more = True
        if not payload:
            return
        head, tail = self._runs
        try:
            if topic.startswith(head) and topic.endswith(tail):
                announced = load_announcement(payload)
                self._epochs.setdefault(announced.opening, set()).add(announced.epoch)
                return
            status = load_status(payload)
        except PeerProtocolError:
            return
        if status.opening is not None and status.epoch is not None:
            self._epochs.setdefault(status.opening, set()).add(status.epoch)
        if topic == self._status and status.presence is Presence.ONLINE:
            self._heard = True
            self.found = self.found or (self._asked and not retained)

    def step(self, now: float) -> Iterable[Publication]:
        """Ask once, if there is anybody to ask."""
        if self._more:
            self._more, self._until = False, max(self._until, now + _MORE_WITHIN)
        if self._heard and not self._asked:
            self._asked, self._until = True, now + ANSWER_WITHIN
            return (Publication(topic=self._request, payload=b""),)
        self.finished = self.found or now >= self._until
        return ()

    def wake_at(self, now: float) -> float:
        """When the time for an answer is over."""
        return min(self._until, now + 1.0)
