"""Which process speaks for an agent, and has it forgotten rewards that its predecessor told of?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from bitarm.core.events import AgentJoined
from bitarm.runtime.learner.roster import Member
from bitarm.wire.status import Start, Status

_AT_ONCE = 100.0  # processes of one agent: more than a bad day brings
_EVERY = 60.0  # seconds after which one more may join


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """A process that was not heard from before, and what it may have forgotten."""

    joined: AgentJoined
    forgot: Mapping[int, int]  # arms that begin new sequences; pulls of each counted before
    is_twin: bool  # its predecessor had taken its place, and now it is back: both are there


@final
class Joins:
    """How many processes of each agent may still join: many at once, then one a minute.

    Each is an entry of the journal. Two processes that take turns, pushing each other off the
    broker, would otherwise fill a disk.
    """

    def __init__(self) -> None:
        self._left: dict[str, tuple[float, float]] = {}  # by agent: how many, and when counted

    def take(self, agent: str, now: float) -> bool:
        """Whether one more may join now; if so, it is counted."""
        left, counted_at = self._left.get(agent, (_AT_ONCE, now))
        left = min(_AT_ONCE, left + (now - counted_at) / _EVERY)
        may_join = left >= 1
        self._left[agent] = (left - may_join, now)
        return may_join


def newcomer(member: Member, status: Status, counted: Mapping[int, int]) -> Newcomer | None:
    """The process that speaks for a member from now on; None if it is the one that did before.

    `counted` has the pulls of its arms that the learner heard of. Memory can only be lost between
    two processes; later statuses of one may be stale, as what a broker keeps is.
    """
    if not status.boot:
        return None if member.is_silent else _silent(member)
    if status.boot == member.boot:
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
        forgot=bool(forgot),
        went_on=any(status.pulls.values()),
    )
    return Newcomer(joined=joined, forgot=forgot, is_twin=is_twin)


def _silent(member: Member) -> Newcomer:
    """A device that has no status: it is known to be there, and nothing more. Written down once."""
    member.is_silent = True
    joined = AgentJoined(agent=member.name, boot="", life="")
    return Newcomer(joined=joined, forgot={}, is_twin=False)


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
