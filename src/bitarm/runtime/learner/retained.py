"""What the learner has the broker keep: its own status, and for each agent its part in the run."""

from dataclasses import dataclass
from typing import final

from bitarm.core.learner import Learner
from bitarm.runtime.learner.roster import Member
from bitarm.runtime.service import Publication
from bitarm.wire.announcement import Announcement, dump_announcement
from bitarm.wire.status import Presence, Status, dump_status
from bitarm.wire.topics import LEARNER, Subject, Topics


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """Makes these messages; each replaces the one of its topic."""

    learner: Learner
    topics: Topics
    boot: str  # names the learner's process
    report_bytes: int  # that a frame of an agent may have

    def status(self, presence: Presence) -> Publication:
        """The learner's own status; "done" is the last word of a run, and stays."""
        status = Status(
            presence=presence,
            opening=self.learner.opening,
            epoch=self.learner.epoch,
            boot=self.boot,
        )
        return self._kept(LEARNER, Subject.STATUS, dump_status(status))

    def announcement(self, member: Member) -> Publication:
        """That there is a run, and which arms are this agent's."""
        spec = self.learner.spec
        announcement = Announcement(
            opening=self.learner.opening,
            epoch=self.learner.epoch,
            arms={arm: spec.arms[arm] for arm in member.arms},
            bounds=spec.bounds,
            seed=spec.seed,
            report_bytes=self.report_bytes,
        )
        return self._kept(member.name, Subject.RUN, dump_announcement(announcement))

    def no_announcement(self, member: Member) -> Publication:
        """Nothing is announced to this agent any more."""
        return self._kept(member.name, Subject.RUN, b"")

    def no_status(self, member: Member) -> Publication:
        """An agent that is away cannot clear its own status."""
        return self._kept(member.name, Subject.STATUS, b"")

    def _kept(self, agent: str, subject: Subject, payload: bytes) -> Publication:
        return Publication(topic=self.topics.of(agent, subject), payload=payload, retain=True)
