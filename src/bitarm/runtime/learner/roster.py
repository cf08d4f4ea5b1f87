"""Who is there: the agents of a run as the learner knows them, and when to ask again or give up.

Knows times and statuses; knows no frames and decides nothing about arms.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import final

from bitarm.core.events import AgentJoined, FleetAssigned, LostRule
from bitarm.wire.status import Presence, Start, Status

_LONGEST_WAIT = 16  # a request is repeated after 1, 2, 4, … 16 times `retry`
_COMPLAIN_AFTER = 30.0  # seconds of waiting for agents that are away; then twice that, and so on
_MOST_NAMES = 8


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
    asked: int = 0  # the highest number of a question that it was sent in this epoch
    waits: int = 1  # until the next repetition, in units of `retry`
    boot: str = ""  # the process that speaks for it
    earlier_boots: set[str] = field(default_factory=set)
    life: str = ""  # its sequences of live rewards
    outbid: bool = False  # it knew of an epoch after ours, once
    reason: str = ""  # what it refuses, as it last said


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """A process that was not heard from before, and what it may have forgotten."""

    joined: AgentJoined
    forgot: Mapping[int, int]  # arms that begin new sequences; pulls of each counted before
    is_twin: bool  # its predecessor had taken its place, and now it is back: both are there


def newcomer(member: Member, status: Status, counted: Mapping[int, int]) -> Newcomer | None:
    """The process that speaks for a member from now on; None if it is the one that did before.

    `counted` has the pulls of its arms that the learner heard of. Memory can only be lost between
    two processes; later statuses of one may be stale, as what a broker keeps is.
    """
    if not status.boot or status.boot == member.boot:
        return None
    is_twin = status.boot in member.earlier_boots
    forgot = _forgotten(member, status, counted)
    if member.boot:
        member.earlier_boots.add(member.boot)
    member.boot, member.life = status.boot, status.life
    joined = AgentJoined(
        agent=member.name,
        boot=status.boot,
        life=status.life,
        restarts=status.restarts,
        discarded=status.discarded,
    )
    return Newcomer(joined=joined, forgot=forgot, is_twin=is_twin)


def _forgotten(member: Member, status: Status, counted: Mapping[int, int]) -> dict[int, int]:
    """Live arms whose rewards are not all those that were told, and how many of them are.

    The memory that speaks names the processes that went on from it, each with what it remembered.
    If the one that we heard from last is among them, what its successor remembered decides. If it
    is not, this memory is older than that process, or another one. So a loss is seen even by a
    learner that was itself put back to before it.
    """
    if not member.boot:
        return {}
    if member.life != status.life:
        return {arm: 0 for arm in status.pulls if arm in counted}
    starts = (*status.before, Start(boot=status.boot, pulls=status.pulls))
    known = [start.boot for start in starts]
    is_known = member.boot in known
    after = starts[known.index(member.boot) + 1] if is_known else starts[-1]
    return {
        arm: min(after.pulls.get(arm, 0), counted[arm])
        for arm in status.pulls
        if arm in counted and (not is_known or after.pulls.get(arm, 0) < counted[arm])
    }


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
        self._complain_at, self._complain_after = math.inf, _COMPLAIN_AFTER
        arms: dict[str, list[int]] = {}
        for arm, agent in enumerate(fleet.agents):
            arms.setdefault(agent, []).append(arm)
        self.members = {
            name: Member(name=name, arms=tuple(served), heard_at=now)
            for name, served in arms.items()
        }

    def long_absent(self, busy: Iterable[Member], now: float) -> str:
        """The names of agents that owe a report and are away, now and then if that lasts long.

        Empty in between: they may have to be started again, and somebody should know, but once.
        """
        absent = sorted(member.name for member in busy if not member.present)
        if not absent:
            self._complain_at, self._complain_after = math.inf, _COMPLAIN_AFTER
        elif math.isinf(self._complain_at):
            self._complain_at = now + self._complain_after
        elif now >= self._complain_at:
            self._complain_after *= 2
            self._complain_at = now + self._complain_after
            more = f" and {len(absent) - _MOST_NAMES:,} more" if len(absent) > _MOST_NAMES else ""
            return ", ".join(absent[:_MOST_NAMES]) + more
        return ""

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
        member.present, member.joined, member.done = True, True, False
        self.spoke(member, now)
        return news

    def asked(self, member: Member, now: float, number: int = 0) -> None:
        """Requests were sent; `number` is the highest of their numbers."""
        member.asked_at = now
        member.asked = max(member.asked, number)

    def renumber(self) -> None:
        """An epoch began: nobody was asked anything in it."""
        for member in self.members.values():
            member.asked = 0

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
