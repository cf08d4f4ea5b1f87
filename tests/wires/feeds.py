"""Rewards of an agent in a test: from a tape, again or once only."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tapes import Problem
from wires.memories import HistoryKeeper

if TYPE_CHECKING:
    from wires.world import World

HANDFUL = 20  # live rewards that are there at once


class LiveFeed:
    """One arm's rewards from a source that forgets: each is drawn once, for whoever asks."""

    live = True

    def __init__(self, world: "World", arm: int, keeper: HistoryKeeper | None, pulls: int) -> None:
        self._world, self._arm = world, arm
        self._known = keeper.begin(arm, pulls=pulls) if keeper else []

    def skip(self, count: int) -> None:
        """What is past cannot be had again."""

    def take(self, most: int) -> Sequence[float]:
        most = min(most, HANDFUL)
        first = self._world.drawn[self._arm]
        self._world.drawn[self._arm] += most
        self._known.extend(range(first, first + most))
        return self._world.problem.tape.rewards(self._arm, first, most)

    def rest(self) -> None:
        """Nothing to stop."""


class TapeSource:
    """One arm's rewards, one by one, from a tape of exact sums."""

    def __init__(self, problem: Problem, arm: int) -> None:
        self._tape, self._arm, self._done = problem.tape, arm, 0

    def pull(self, count: int) -> Sequence[float]:
        rewards = self._tape.rewards(self._arm, self._done, count)
        self._done += count
        return rewards

    def skip(self, count: int) -> None:
        self._done += count
