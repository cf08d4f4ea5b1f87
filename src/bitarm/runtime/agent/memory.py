"""What an agent remembers of a run, and whether a memory is its own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, final

from bitarm.core.agent import AgentState
from bitarm.core.epochs import is_later
from bitarm.core.messages import Cause
from bitarm.errors import StoreError
from bitarm.wire.announcement import Announcement
from bitarm.wire.status import MOST_STARTS, Start

_MOST_COUNTS = 20_000  # in a status: of all arms and all starts that it tells

BEGIN_ANEW = (
    "Put the right file back; or remove it, and the agent begins anew: rewards of a model or a "
    "column are read again, live ones are lost, and the run goes on"
)
"""What to do about a memory that cannot be used."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMemory:
    """All that an agent process must not forget."""

    opening: str
    agent: str
    life: str  # names its sequences of live rewards
    arms: Mapping[int, AgentState] = field(default_factory=dict)
    starts: tuple[Start, ...] = ()  # of processes that went on from it, in order
    restarts: int = 0
    discarded: int = 0
    clipped: int = 0
    refused: int = 0  # times that live rewards were refused, and are missing since
    stopped: bool = False  # in order: nothing was under way

    @property
    def is_over(self) -> bool:
        """Whether the agent knows that this run has ended."""
        return bool(self.arms) and all(state.cause is Cause.ENDED for state in self.arms.values())

    def gone_on_by(self, start: Start) -> "AgentMemory":
        """This memory with the start of one more process; with many arms it keeps fewer starts."""
        most = max(2, min(MOST_STARTS, _MOST_COUNTS // max(1, len(start.pulls))))
        return replace(self, starts=(*self.starts, start)[-most:])


class Keeper(Protocol):
    """Where an agent's memory lies. Law: what `save` was given survives a crash once it returns."""

    def load(self) -> AgentMemory | None:
        """What was saved last; None if nothing was."""
        ...

    def save(self, memory: AgentMemory) -> None:
        """Replace it, all of it or nothing."""
        ...


def recall(
    memory: AgentMemory | None, announced: Announcement, agent: str, *, life: str
) -> AgentMemory:
    """What an agent goes on from in the run that was announced to it; refuses another's memory.

    Of a run that it knows nothing of, it begins a new memory, with a new `life`.
    """
    if memory is not None and memory.agent != agent:
        raise StoreError(
            f"the memory here is agent {memory.agent}'s, and this is agent {agent}. {BEGIN_ANEW}"
        )
    if memory is None or memory.opening != announced.opening:
        return AgentMemory(opening=announced.opening, agent=agent, life=life)
    if memory.arms.keys() != announced.arms.keys():
        raise StoreError(
            f"the memory here is of arms {sorted(memory.arms)}, and the learner asks agent "
            f"{agent} to serve arms {sorted(announced.arms)}. {BEGIN_ANEW}"
        )
    return replace(memory, restarts=memory.restarts + 1)


def latest_epoch(states: Iterable[AgentState]) -> int | None:
    """The latest epoch that any arm has heard of."""
    latest: int | None = None
    for state in states:
        if state.epoch is not None and (latest is None or is_later(state.epoch, latest)):
            latest = state.epoch
    return latest
