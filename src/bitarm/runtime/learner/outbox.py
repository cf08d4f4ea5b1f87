"""What the agents must hear of a run: questions, dismissals, and how they stand when they return.

Knows who is there and what is open; decides nothing about arms. Messages to one agent leave
together, packed, and every frame is counted.

A LoRaWAN device hears only after it has spoken. One that gave up knows that it is out, says so a
few times and rests: it is dismissed only if it goes on speaking (docs/lorawan.md).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import final

from bitarm import wire
from bitarm.core.events import FleetAssigned
from bitarm.core.learner import Learner
from bitarm.core.learner_state import ArmPhase
from bitarm.core.messages import Dismiss, Request
from bitarm.links.cost import LinkLedger
from bitarm.links.profiles import Link
from bitarm.runtime.learner.meter import Meter
from bitarm.runtime.learner.roster import Member, Roster
from bitarm.runtime.service import Publication
from bitarm.wire.topics import Subject, Topics

_SPARED = 8  # times that a device which gave up may speak: four at once, then once a day


@final
class Outbox:
    """Questions and dismissals from the learner to its agents, packed into frames."""

    def __init__(
        self,
        learner: Learner,
        fleet: FleetAssigned,
        roster: Roster,
        *,
        topics: Topics,
        link: Link,
        meter: Meter,
        ledger: LinkLedger | None,
    ) -> None:
        self._learner = learner
        self._fleet = fleet
        self._roster = roster
        self._topics = topics
        self._link = link
        self._meter = meter
        self._ledger = ledger
        self._waits: Callable[[str, bytes], bool] = lambda agent, frame: False
        self._unsent: list[Request | Dismiss] = []
        self._callers: dict[str, Member] = {}  # to be told how they stand
        self._due = self._pending()  # questions without an answer
        self._spared = Counter[int]()  # how often arms that gave up were not dismissed

    def _pending(self) -> dict[int, Request]:
        return {request.arm: request for request in self._learner.pending}

    @property
    def has_news(self) -> bool:
        """Whether something waits to be sent for the first time."""
        return bool(self._unsent)

    def leave_out(self, waits: Callable[[str, bytes], bool]) -> None:
        """Send no frame to an agent that waits for it already, as `waits` says."""
        self._waits = waits

    def take(self, messages: Iterable[Request | Dismiss]) -> None:
        """Send these, once what they follow from is durable."""
        for message in messages:
            if isinstance(message, Request):
                self._due[message.arm] = message
            else:
                self._due.pop(message.arm, None)
            self._unsent.append(message)

    def answered(self, arm: int) -> None:
        """Ask arm `arm` no longer: its question was answered."""
        self._due.pop(arm, None)

    def begin_again(self) -> None:
        """Forget the messages of an epoch that is over: its open questions have new numbers."""
        self._unsent.clear()
        self._due = self._pending()

    def tell(self, member: Member) -> None:
        """Send an agent, with the next letters, how each of its arms stands."""
        self._callers[member.name] = member

    def forget_news(self) -> None:
        """Forget what could not be sent, and to whom: who comes back is told how it stands."""
        self._unsent.clear()
        self._callers.clear()

    def debtors(self) -> list[Member]:
        """The agents that owe an answer."""
        names = dict.fromkeys(self._fleet.agents[arm] for arm in self._due)  # in one order always
        return [self._roster.members[name] for name in names]

    def in_race(self) -> list[Member]:
        """The agents with an arm that may still win: those that gave up are not waited for."""
        arms = self._learner.arms
        return [
            member
            for member in self._roster.members.values()
            if any(
                arms[arm].phase is not ArmPhase.OUT and arms[arm].beaten_by is None
                for arm in member.arms
            )
        ]

    def letters(self, again: Sequence[Member], now: float) -> list[Publication]:
        """All that is due: news, how those stand that came back, and repetitions for `again`."""
        letters: dict[str, dict[int, Request | Dismiss]] = {}
        for member in (*self._callers.values(), *again):
            letters[member.name] = self._standing(member)
        self._callers.clear()
        for message in self._unsent:
            agent = self._fleet.agents[message.arm]
            if self._roster.members[agent].is_present:  # others are told when they come
                letters.setdefault(agent, {})[message.arm] = message
        self._unsent.clear()
        said: list[Publication] = []
        for agent, whole in letters.items():
            letter = self._without_spared(agent, whole)
            numbers = [
                message.message for message in letter.values() if isinstance(message, Request)
            ]
            self._roster.asked(self._roster.members[agent], now, max(numbers, default=0))
            said.extend(self._frames(agent, tuple(letter.values())))
        return said

    def _standing(self, member: Member) -> dict[int, Request | Dismiss]:
        """How each arm of an agent stands: what is asked of it, or that it is out."""
        letter: dict[int, Request | Dismiss] = {}
        for arm in member.arms:
            if arm in self._due:
                letter[arm] = self._due[arm]
            elif self._learner.arms[arm].phase is ArmPhase.OUT:
                letter[arm] = self._learner.dismissal(arm)
        return letter

    def _without_spared(
        self, agent: str, letter: dict[int, Request | Dismiss]
    ) -> dict[int, Request | Dismiss]:
        """A letter without the dismissals of arms that gave up, if its agent is a device.

        One whose arms are all out is told once it has spoken too often: it may have forgotten.
        """
        if self._fleet.application is None:
            return letter
        arms = self._learner.arms
        gave_up = [
            arm
            for arm, message in letter.items()
            if isinstance(message, Dismiss) and arms[arm].beaten_by is not None
        ]
        if all(arms[arm].phase is ArmPhase.OUT for arm in self._roster.members[agent].arms):
            self._spared.update(gave_up)
        spared = {arm for arm in gave_up if self._spared[arm] <= _SPARED}
        return {arm: message for arm, message in letter.items() if arm not in spared}

    def _frames(self, agent: str, letter: Sequence[Request | Dismiss]) -> list[Publication]:
        topic = self._topics.of(agent, Subject.REQUEST)
        said: list[Publication] = []
        for kind in (Dismiss, Request):
            batch = [message for message in letter if isinstance(message, kind)]
            frames = wire.pack_all(batch, limit=self._link.down.max_bytes) if batch else []
            for frame in frames:
                if self._waits(agent, frame):
                    continue
                inside = batch if len(frames) == 1 else wire.decode(frame)
                arms = [message.arm for message in inside]
                self._meter.went_down(topic, frame, arms)
                if self._ledger is not None:
                    self._ledger.went_down(agent, len(frame))
                said.append(Publication(topic=topic, payload=frame))
        return said
