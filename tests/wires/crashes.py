"""Where a process may die: before and after each transaction, save and publication."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bitarm.core.events import LearnerEvent, RunOpened
from bitarm.core.journal import Entry, Journal, RunSummary
from bitarm.runtime.agent.memory import AgentMemory, Keeper


class Killed(BaseException):
    """What kill -9 is to a process."""


@dataclass
class Points:
    """Every place where a process may die, counted; the chosen one kills."""

    kill_at: frozenset[int] = frozenset()
    passed: int = 0
    names: Counter[str] = field(default_factory=Counter)

    def hit(self, name: str) -> None:
        self.passed += 1
        self.names[name] += 1
        if self.passed in self.kill_at:
            raise Killed(name)


class CrashingJournal:
    """A journal that survives its process, and may die before or after each transaction."""

    def __init__(self, journal: Journal, points: Points) -> None:
        self._journal, self._points = journal, points

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        self._points.hit("before the opening")
        run = self._journal.open_run(opened, then)
        self._points.hit("after the opening")
        return run

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        self._points.hit("before a transaction")
        self._journal.append(run, events)
        self._points.hit("after a transaction")

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        return self._journal.read(run, after)

    def runs(self) -> list[RunSummary]:
        return self._journal.runs()

    def close(self) -> None:
        """Stays open: the disk outlives the process."""


class CrashingKeeper:
    """The same for an agent's memory."""

    def __init__(self, keeper: Keeper, points: Points) -> None:
        self._keeper, self._points = keeper, points

    def load(self) -> AgentMemory | None:
        return self._keeper.load()

    def save(self, memory: AgentMemory) -> None:
        self._points.hit("before a save")
        self._keeper.save(memory)
        self._points.hit("after a save")
