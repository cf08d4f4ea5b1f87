"""Who is there: the agents of a run as the learner knows them, and when to ask again or give up.

Knows times and statuses; knows no frames and decides nothing about arms. `ATTENDANCE` has every
transition of an agent between being there, being away, and having stopped for good.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import final

from bitarm.core.events import FleetAssigned, LostRule
from bitarm.wire.status import Presence, Status

_LONGEST_WAIT = 16  # a request is repeated after 1, 2, 4, … 16 times `retry`


class Attendance(Enum):
    """Where an agent is, as the learner knows it."""

    AWAY = "away"  # not connected, or it has yet to hear of this run
    PRESENT = "present"  # connected, and it has joined this run
    DONE = "done"  # dismissed, and it knows


class Sign(Enum):
    """What was learnt of an agent's whereabouts."""

    HERE = "here"  # it serves this run
    GONE = "gone"  # it stopped, failed, or its connection broke
    ELSEWHERE = "elsewhere"  # it has heard of no run, or of another
    FINISHED = "finished"  # all its arms are dismissed, and it stops
    UNHEARD = "unheard"  # the learner was away itself, or may not believe the agent


ATTENDANCE: dict[tuple[Attendance, Sign], Attendance] = {
    (Attendance.AWAY, Sign.HERE): Attendance.PRESENT,
    (Attendance.AWAY, Sign.GONE): Attendance.AWAY,
    (Attendance.AWAY, Sign.ELSEWHERE): Attendance.AWAY,
    (Attendance.AWAY, Sign.FINISHED): Attendance.DONE,
    (Attendance.AWAY, Sign.UNHEARD): Attendance.AWAY,
    (Attendance.PRESENT, Sign.HERE): Attendance.PRESENT,
    (Attendance.PRESENT, Sign.GONE): Attendance.AWAY,
    (Attendance.PRESENT, Sign.ELSEWHERE): Attendance.AWAY,
    (Attendance.PRESENT, Sign.FINISHED): Attendance.DONE,
    (Attendance.PRESENT, Sign.UNHEARD): Attendance.AWAY,
    # A learner that begins an epoch wants agents again that it had dismissed.
    (Attendance.DONE, Sign.HERE): Attendance.PRESENT,
    (Attendance.DONE, Sign.GONE): Attendance.DONE,
    (Attendance.DONE, Sign.ELSEWHERE): Attendance.DONE,
    (Attendance.DONE, Sign.FINISHED): Attendance.DONE,
    (Attendance.DONE, Sign.UNHEARD): Attendance.DONE,
}
"""What follows from what: an agent's attendance, and a sign of it, to its attendance after that."""


@final
@dataclass(slots=True, kw_only=True)
class Member:
    """One agent as the learner knows it."""

    name: str
    arms: tuple[int, ...]
    attendance: Attendance = Attendance.AWAY
    has_joined: bool = False  # it was present at some time
    is_elsewhere: bool = False  # connected, and it serves no run or another one
    heard_at: float  # the last sign of life; while away, the beginning of its absence
    asked_at: float = 0.0
    asked: int = 0  # the highest number of a question that it was sent in this epoch
    waits: int = 1  # until the next repetition, in units of `retry`
    boot: str = ""  # the process that speaks for it
    earlier_boots: set[str] = field(default_factory=set)
    life: str = ""  # its sequences of live rewards
    is_silent: bool = False  # it came without a name of its process: what it remembers is not known
    outbid: bool = False  # it knew of an epoch after ours, once
    reason: str = ""  # what it refuses, as it last said

    @property
    def is_present(self) -> bool:
        """Whether it is connected and serves this run."""
        return self.attendance is Attendance.PRESENT

    @property
    def is_done(self) -> bool:
        """Whether it is dismissed, and knows."""
        return self.attendance is Attendance.DONE

    def note(self, sign: Sign) -> None:
        """Take in a sign of its whereabouts."""
        self.attendance = ATTENDANCE[self.attendance, sign]
        self.is_elsewhere = sign is Sign.ELSEWHERE
        self.has_joined |= self.is_present


@final
class Roster:
    """All agents of a run. Absence counts only while the learner is connected, and listens."""

    def __init__(self, fleet: FleetAssigned, opening: str, *, retry: float, now: float) -> None:
        self._fleet = fleet
        self._opening = opening
        # Under a rule that gives agents up, silence must mean that repetitions went unanswered.
        self.retry = retry if fleet.lost is LostRule.WAIT else min(retry, fleet.lost_after / 4)
        # How often to look: a thousand members are not searched for each report that comes in.
        self.every = min(1.0, self.retry / 4)
        if fleet.lost is not LostRule.WAIT:
            self.every = min(self.every, fleet.join_within / 4)
        arms: dict[str, list[int]] = {}
        for arm, agent in enumerate(fleet.agents):
            arms.setdefault(agent, []).append(arm)
        self.members = {
            name: Member(name=name, arms=tuple(served), heard_at=now)
            for name, served in arms.items()
        }

    def reconnected(self, now: float) -> None:
        """The learner was away itself: nobody's absence counts so far."""
        for member in self.members.values():
            member.note(Sign.UNHEARD)
            member.heard_at = now

    def looked(self, late: float, now: float) -> None:
        """Somebody looks for agents, so many seconds after it was due.

        A learner that was frozen, or held up by its disk, could hear nobody: what they said
        meanwhile is yet to be read, and their silence is its own.
        """
        if late <= self.every:
            return  # not one look was missed
        for member in self.members.values():
            member.heard_at = min(member.heard_at + late, now)

    def spoke(self, member: Member, now: float) -> None:
        """Take in that a member was heard: it is there, and is asked again at short intervals."""
        member.heard_at = now
        member.waits = 1

    def told(self, member: Member, status: Status, now: float) -> bool:
        """An agent said how it is; whether it should be asked again at once."""
        sign = self._sign(status)
        was_present = member.is_present
        member.note(sign)
        if sign is Sign.HERE:
            self.spoke(member, now)
            return status.presence is Presence.ONLINE or not was_present
        if sign is Sign.GONE and was_present:
            member.heard_at = now  # its absence begins
        return False

    def _sign(self, status: Status) -> Sign:
        if status.presence in (Presence.OFFLINE, Presence.FAILED):
            return Sign.GONE
        if status.opening != self._opening:
            return Sign.ELSEWHERE
        return Sign.FINISHED if status.presence is Presence.DONE else Sign.HERE

    def asked(self, member: Member, now: float, number: int = 0) -> None:
        """Requests were sent; `number` is the highest of their numbers."""
        member.asked_at = now
        member.asked = max(member.asked, number)

    def renumber(self) -> None:
        """An epoch began: nobody was asked anything in it."""
        for member in self.members.values():
            member.asked = 0

    def to_repeat(self, busy: Iterable[Member], now: float) -> list[Member]:
        """The `busy` agents, which owe a report, whose request is due to be sent again."""
        due = []
        for member in busy:
            if member.is_present and now >= self._repeat_at(member):
                member.waits = min(2 * member.waits, self._most_waits())
                due.append(member)
        return due

    def excuse(self, owing: Iterable[Member], now: float) -> None:
        """The silence of agents that are there and none of the `owing` means nothing: no word is
        due from them. Nor does it once they are asked: their time to answer begins then.
        """
        debtors = {member.name for member in owing}
        for member in self.members.values():
            if member.is_present and member.name not in debtors:
                member.heard_at = now

    def lost(self, wanted: Iterable[Member], now: float) -> list[Member]:
        """The agents that were away for too long, of those `wanted`: their arms are in the race."""
        return [member for member in wanted if now >= self._lost_at(member)]

    def _repeat_at(self, member: Member) -> float:
        return member.asked_at + member.waits * self.retry

    def _most_waits(self) -> int:
        return _LONGEST_WAIT if self._fleet.lost is LostRule.WAIT else 1

    def _lost_at(self, member: Member) -> float:
        patience = self._fleet.lost_after if member.has_joined else self._fleet.join_within
        return member.heard_at + patience
