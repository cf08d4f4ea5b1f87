"""When an arm reports: the grid of cumulative pull counts t_1 < t_2 < … (the communication rule).

A schedule is a fixed grid that policies consult. A policy may visit every point in turn, skip
points, or (for widths that need no grid) stop between them: the learner only asks that the pulls
of an arm increase.
"""

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, ClassVar, Protocol, final

from bitarm.core.words import Word, check_words
from bitarm.errors import ConfigError

MAX_PULLS = 10**12
"""No arm is pulled more often: sums and counts stay in 64 bits, and every run is finite."""

_MORE = 16  # checkpoints that are computed at once, at least


class Schedule(Hashable, Protocol):
    """A strictly increasing grid of pull counts, numbered from 1: a value, as all of a setup is.

    Laws: `pulls_at(i) < pulls_at(i + 1)` while both exist; `pulls_at` is None from the first index
    past the end on; `index_at(pulls_at(i)) == i`.
    """

    name: ClassVar[str]

    def pulls_at(self, index: int) -> int | None:
        """t_i, the pulls of an arm up to checkpoint `index`; None past the end of the grid.

        ValueError if `index` is below 1.
        """
        ...

    def index_at(self, pulls: int) -> int:
        """Number of checkpoints at or below `pulls`: the index on the grid, visited or not."""
        ...


class _GrowingGrid(ABC):
    """A grid that follows from a rule, and is computed as far as somebody has asked.

    Threads may share one, as runs of one setup do: a longer grid takes the place of a shorter one
    as a whole, and whoever reads it goes on with what it has read.
    """

    __slots__ = ()

    _grid: tuple[int, ...]  # never empty

    @abstractmethod
    def _after(self, count: int, last: int) -> int:
        """t_{count + 1}, where `last` is t_count."""
        ...

    def pulls_at(self, index: int) -> int | None:
        """t_i; None once it would pass `MAX_PULLS`."""
        _check_index(index)
        grid = self._grid
        while len(grid) < index:
            longer = self._longer(grid)
            if longer is None:
                return None
            grid = longer
        return grid[index - 1]

    def index_at(self, pulls: int) -> int:
        """Number of checkpoints at or below `pulls`."""
        grid = self._grid
        while grid[-1] < pulls:
            longer = self._longer(grid)
            if longer is None:
                return len(grid)
            grid = longer
        return bisect_right(grid, pulls)

    def _longer(self, grid: tuple[int, ...]) -> tuple[int, ...] | None:
        """The grid with about as many checkpoints again; None if there are no more."""
        longer = list(grid)
        for _ in range(len(grid) + _MORE):
            after = self._after(len(longer), longer[-1])
            if after > MAX_PULLS:
                break
            longer.append(after)
        if len(longer) == len(grid):
            return None
        grown = tuple(longer)
        object.__setattr__(self, "_grid", grown)
        return grown


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GeometricSchedule(_GrowingGrid):
    """t_i = max(t_{i−1} + 1, ⌈t_1·α^{i−1}⌉): exponentially sparse, for any real α > 1.

    For integer α and t_1 = α this is the paper's t_i = α^i. The paper leaves the rounding for
    other α open, and a batch must never be empty: hence the ceiling and the "+ 1".
    """

    name: ClassVar[str] = "geometric"

    growth: Annotated[float, Word("Factor between two checkpoints", sign="α=", above=1)]
    first: Annotated[
        int, Word("Pulls up to the first checkpoint", sign="t₁=", least=1, most=MAX_PULLS)
    ]
    _grid: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_words(self)
        object.__setattr__(self, "_grid", (self.first,))

    def _after(self, count: int, last: int) -> int:
        try:
            return max(last + 1, math.ceil(self.first * self.growth**count))
        except OverflowError:
            return MAX_PULLS + 1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LooksSchedule(_GrowingGrid):
    """1, 2, 3, … and from 64 on 1/32 more each time: the counts at which a challenged agent looks.

    Whole numbers alone: t_{i+1} = t_i + max(1, ⌊t_i/32⌋), as the smallest agent computes it.
    """

    name: ClassVar[str] = "looks"

    _grid: tuple[int, ...] = field(init=False, repr=False, compare=False, default=(1,))

    def _after(self, count: int, last: int) -> int:
        return last + max(1, last // 32)


_LOOKS = LooksSchedule()


def next_look(pulls: int) -> int:
    """The first count after `pulls` at which a challenged agent looks."""
    return _LOOKS.pulls_at(_LOOKS.index_at(pulls) + 1) or MAX_PULLS


def is_look(pulls: int) -> bool:
    """Whether a challenged agent looks after so many pulls."""
    index = _LOOKS.index_at(pulls)
    return index > 0 and _LOOKS.pulls_at(index) == pulls


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSchedule:
    """Any strictly increasing list of checkpoints; a run that needs more ends at its limit."""

    name: ClassVar[str] = "listed"

    checkpoints: Annotated[
        tuple[int, ...], Word("Pulls at which arms may report", least=1, most=MAX_PULLS)
    ]

    def __post_init__(self) -> None:
        points = self.checkpoints
        if not points:
            raise ConfigError("a schedule needs at least one checkpoint")
        if points[0] < 1 or points[-1] > MAX_PULLS:
            raise ConfigError(f"checkpoints must lie between 1 and {MAX_PULLS}")
        for before, after in pairwise(points):
            if after <= before:
                raise ConfigError(f"checkpoints must increase, got {after} after {before}")

    def pulls_at(self, index: int) -> int | None:
        """The checkpoint at `index`; None past the end of the list."""
        _check_index(index)
        return self.checkpoints[index - 1] if index <= len(self.checkpoints) else None

    def index_at(self, pulls: int) -> int:
        """Number of checkpoints at or below `pulls`."""
        return bisect_right(self.checkpoints, pulls)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSchedule:
    """Another grid, for arms whose rewards are there already: where they end is a checkpoint too.

    The ends are known before the first reward is looked at, so the grid is as fixed as any. A list
    of checkpoints stays what its author wrote, and agents that look after every pull need no more.
    """

    name: ClassVar[str] = "recorded"

    grid: Schedule
    rows: tuple[int, ...]  # rewards that each arm has; `MAX_PULLS` of one that does not end
    _ends: tuple[int, ...] = field(init=False, repr=False, compare=False)  # off the grid

    def __post_init__(self) -> None:
        if not self.rows or not all(1 <= rows <= MAX_PULLS for rows in self.rows):
            raise ConfigError(f"recorded rewards are between 1 and {MAX_PULLS}, got {self.rows}")
        ends: list[int] = []
        for end in sorted(set(self.rows)) if isinstance(self.grid, GeometricSchedule) else ():
            # Ends close to each other share one: every checkpoint costs a report and some width.
            if end < MAX_PULLS and (not ends or end > ends[-1] * _APART):
                ends.append(end)
        off_grid = (end for end in ends if self._of_grid(end) != end)
        object.__setattr__(self, "_ends", tuple(off_grid))

    def pulls_at(self, index: int) -> int | None:
        """The checkpoint at `index`, of the grid and the ends together."""
        _check_index(index)
        for before, end in enumerate(self._ends):
            at = self.grid.index_at(end) + before + 1
            if index <= at:
                return end if index == at else self.grid.pulls_at(index - before)
        return self.grid.pulls_at(index - len(self._ends))

    def index_at(self, pulls: int) -> int:
        """Number of checkpoints at or below `pulls`."""
        return self.grid.index_at(pulls) + bisect_right(self._ends, pulls)

    def _of_grid(self, pulls: int) -> int | None:
        """The last checkpoint of the grid up to there."""
        index = self.grid.index_at(pulls)
        return self.grid.pulls_at(index) if index else None


_APART = 17 / 16  # from one end of recorded rewards to the next that gets a checkpoint of its own

SCHEDULES: dict[str, type[Schedule]] = {
    schedule.name: schedule
    for schedule in (GeometricSchedule, ListedSchedule, LooksSchedule, RecordedSchedule)
}


def paper_schedule(growth: float) -> GeometricSchedule:
    """The geometric schedule that starts where the paper's does: t_1 = ⌈α⌉."""
    return GeometricSchedule(growth=growth, first=default_first(growth))


def default_first(growth: float) -> int:
    """t_1 = ⌈α⌉, which makes t_i = α^i for integer α."""
    return math.ceil(growth) if math.isfinite(growth) else 1


def _check_index(index: int) -> None:
    if index < 1:
        raise ValueError(f"checkpoints are numbered from 1, got {index}")
