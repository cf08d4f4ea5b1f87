"""What survives a process, without a disk: memories and journals that can be put back."""

from collections.abc import Iterator, Sequence

from bitarm.core.events import LearnerEvent, RunOpened
from bitarm.core.journal import Entry, RunSummary
from bitarm.runtime.agent.memory import AgentMemory
from bitarm.store import MemoryJournal

Rewards = tuple[int, ...]
"""Which rewards of a live source an agent knows, in order."""


class MemoryKeeper:
    """An agent's memory without a disk."""

    def __init__(self) -> None:
        self.memory: AgentMemory | None = None

    def load(self) -> AgentMemory | None:
        return self.memory

    def save(self, memory: AgentMemory) -> None:
        self.memory = memory


class HistoryKeeper:
    """An agent's memory without a disk, which can be put back to what it was after any save.

    Beside each memory it keeps which rewards of a live source had gone into it, arm by arm: `drawn`
    tells those of the process that is running. So a test knows what the machines cannot know:
    whether two answers are about one sequence of rewards.
    """

    def __init__(self) -> None:
        self.history: list[tuple[AgentMemory, dict[int, Rewards]]] = []
        self.drawn: dict[int, list[int]] = {}

    def load(self) -> AgentMemory | None:
        return self.history[-1][0] if self.history else None

    def save(self, memory: AgentMemory) -> None:
        known = {
            arm: tuple(self.drawn.get(arm, ())[: state.pulls]) for arm, state in memory.arms.items()
        }
        self.history.append((memory, known))

    def begin(self, arm: int, *, pulls: int) -> list[int]:
        """What a process that begins now knows of an arm, to be continued by it."""
        known = self.history[-1][1].get(arm, ()) if self.history and pulls else ()
        self.drawn[arm] = list(known[:pulls])
        return self.drawn[arm]

    def put_back(self, saves: int) -> None:
        """To what was there after so many saves; 0 is before the first."""
        del self.history[saves:]

    def copy(self) -> "HistoryKeeper":
        other = HistoryKeeper()
        other.history = list(self.history)
        return other


class TransactionJournal:
    """A journal of one run, in memory, that can be put back to what it was after any step."""

    def __init__(self, transactions: Sequence[Sequence[LearnerEvent]] = ()) -> None:
        self.transactions: list[tuple[LearnerEvent, ...]] = []
        self._journal = MemoryJournal()
        for number, events in enumerate(transactions):
            if number:
                self.append(1, events)
            else:
                opened = events[0]
                assert isinstance(opened, RunOpened)
                self.open_run(opened, events[1:])

    def open_run(self, opened: RunOpened, then: Sequence[LearnerEvent] = ()) -> int:
        self.transactions.append((opened, *then))
        return self._journal.open_run(opened, then)

    def append(self, run: int, events: Sequence[LearnerEvent]) -> None:
        self.transactions.append(tuple(events))
        self._journal.append(run, events)

    def read(self, run: int, after: int = 0) -> Iterator[Entry]:
        return self._journal.read(run, after)

    def runs(self) -> list[RunSummary]:
        return self._journal.runs()

    def close(self) -> None:
        """Stays open: the disk outlives the process."""

    def prefix(self, transactions: int) -> "TransactionJournal":
        """A copy as it was after so many transactions."""
        return TransactionJournal(self.transactions[:transactions])

    @property
    def events(self) -> list[LearnerEvent]:
        return [event for events in self.transactions for event in events]
