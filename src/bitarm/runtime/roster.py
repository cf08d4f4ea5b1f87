"""Who is there: the agents of a run as the learner knows them, and when to ask again or give up.

Knows times and statuses; knows no frames and decides nothing about arms.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from bitarm.core.events import FleetAssigned, LostRule
from bitarm.runtime.status import Presence, Status

_LONGEST_WAIT = 16  # a request is repeated after 1, 2, 4, … 16 times `retry`


@final
@dataclass(slots=True, kw_only=True)
class Member:
    """One agent."""

    name: str
    arms: tuple[int, ...]
    present: bool = False  # connected, and it has joined this run
    joined: bool = False  # it was present at some time
    done: bool = False  # dismissed, and it knows
    heard_at: float  # the last sign of life; while away, the beginning of its absence
    asked_at: float = 0.0
    waits: int = 1  # until the next repetition, in units of `retry`
    restarts: int = 0


@final
class Roster:
    """All agents of a run. Absence is counted only while the learner itself is connected."""

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
            member.present = False
            member.heard_at = now

    def spoke(self, member: Member, now: float) -> None:
        """A sign of life."""
        member.heard_at = now
        member.waits = 1

    def told(self, member: Member, status: Status, now: float) -> bool:
        """An agent said how it is; whether it should be asked again at once."""
        if status.presence in (Presence.OFFLINE, Presence.FAILED):
            if member.present:
                member.heard_at = now
            member.present = False
            return False
        if status.opening != self._opening:
            member.present = False  # it has yet to hear of this run
            return False
        if status.presence is Presence.DONE:
            member.done, member.present = True, False
            return False
        news = status.presence is Presence.ONLINE or not member.present
        member.present = member.joined = True
        self.spoke(member, now)
        return news

    def asked(self, member: Member, now: float) -> None:
        """A request was sent."""
        member.asked_at = now

    def to_repeat(self, busy: Iterable[Member], now: float) -> list[Member]:
        """Of the agents that owe a report, those whose request is due to be sent again."""
        due = []
        for member in busy:
            if member.present and now >= self._repeat_at(member):
                member.waits = min(2 * member.waits, self._most_waits())
                due.append(member)
        return due

    def lost(self, wanted: Iterable[Member], now: float) -> list[Member]:
        """Of the agents whose arms are in the race, those that were away for too long."""
        if self._fleet.lost is LostRule.WAIT:
            return []
        return [member for member in wanted if now >= self._lost_at(member)]

    def _repeat_at(self, member: Member) -> float:
        return member.asked_at + member.waits * self.retry

    def _most_waits(self) -> int:
        return _LONGEST_WAIT if self._fleet.lost is LostRule.WAIT else 1

    def _lost_at(self, member: Member) -> float:
        patience = self._fleet.lost_after if member.joined else self._fleet.join_within
        return member.heard_at + patience
