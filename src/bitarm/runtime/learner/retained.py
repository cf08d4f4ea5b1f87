"""What the learner has the broker retain: its status, and for each agent its part in the run."""

from collections.abc import Iterable
from typing import final

from bitarm.core.learner import Learner
from bitarm.runtime.learner.roster import Member, Roster
from bitarm.runtime.service import Publication
from bitarm.wire.announcement import Announcement, dump_announcement
from bitarm.wire.status import Presence, Status, dump_status
from bitarm.wire.topics import LEARNER, Subject, Topics


@final
class Retained:
    """Makes these messages, and knows which are due; each replaces the one of its topic.

    `boot` names the learner's process, `report_bytes` is what a frame of an agent may have.
    """

    def __init__(
        self,
        learner: Learner,
        roster: Roster,
        *,
        topics: Topics,
        boot: str,
        report_bytes: int,
        now: float,
    ) -> None:
        self._learner = learner
        self._roster = roster
        self._topics = topics
        self._boot = boot
        self._report_bytes = report_bytes
        self._is_status_due = False
        self._is_end_stale = False
        self._due: set[str] = set()  # agents to be told of the run
        self.announced_at = now  # the last time that any agent was

    @property
    def is_announcing(self) -> bool:
        """Whether any agent is to be told of the run."""
        return bool(self._due)

    def say_status(self) -> None:
        """Say with the next news that this run has a learner."""
        self._is_status_due = True

    def announce(self, member: Member) -> None:
        """Tell an agent of the run with the next news."""
        self._due.add(member.name)

    def say_all(self) -> None:
        """Say everything with the next news: the broker, or some agents, may not know it."""
        self._is_status_due = True
        self._due = set(self._roster.members)

    def news(self, now: float, *, is_running: bool) -> list[Publication]:
        """What is due. Nobody is told of a run that is over."""
        said: list[Publication] = []
        if self._is_status_due:
            self._is_status_due = False
            said.append(self.status(Presence.ONLINE))
        if self._is_end_stale and is_running:
            said.append(self._message(LEARNER, Subject.END, b""))
        self._is_end_stale = False
        if self._due and is_running:
            self.announced_at = now
            said.extend(
                self._announcement(self._roster.members[name]) for name in sorted(self._due)
            )
        self._due.clear()
        return said

    def status(self, presence: Presence) -> Publication:
        """The learner's own status; "done" says how the run ended, too."""
        return self._message(LEARNER, Subject.STATUS, self._own(presence))

    def _own(self, presence: Presence) -> bytes:
        ending = self._learner.ending
        status = Status(
            presence=presence,
            opening=self._learner.opening,
            epoch=self._learner.epoch,
            boot=self._boot,
            reason=ending.outcome.value if ending and presence is Presence.DONE else "",
        )
        return dump_status(status)

    def take_end_back(self) -> None:
        """Clear with the next news what a learner before us said of the run's end."""
        self._is_end_stale = True

    def end(self) -> list[Publication]:
        """The words that the run is over; nothing is announced to anybody any more.

        They go to a topic of their own: a learner's status may be overwritten later, by the last
        will of one that was paused.
        """
        cleared = (
            self._message(member.name, Subject.RUN, b"") for member in self._roster.members.values()
        )
        ended = self._message(LEARNER, Subject.END, self._own(Presence.DONE))
        return [self.status(Presence.DONE), ended, *cleared]

    def clear_statuses(self, away: Iterable[Member]) -> list[Publication]:
        """Clear the statuses of agents that are away, and cannot do it themselves."""
        return [self._message(member.name, Subject.STATUS, b"") for member in away]

    def _announcement(self, member: Member) -> Publication:
        spec = self._learner.spec
        announcement = Announcement(
            opening=self._learner.opening,
            epoch=self._learner.epoch,
            arms={arm: spec.arms[arm] for arm in member.arms},
            bounds=spec.bounds,
            seed=spec.seed,
            report_bytes=self._report_bytes,
        )
        return self._message(member.name, Subject.RUN, dump_announcement(announcement))

    def _message(self, agent: str, subject: Subject, payload: bytes) -> Publication:
        return Publication(topic=self._topics.of(agent, subject), payload=payload, retain=True)
