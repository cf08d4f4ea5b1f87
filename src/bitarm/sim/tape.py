"""Tapes: the rewards of many trials, drawn once and read by every scheme that is compared.

One stream of rewards an arm, kept as sums over the cells of a grid: cell c holds the rewards from
pull grid[c−1] + 1 to pull grid[c]. A grid that contains the checkpoints of several schedules serves
them all (common random numbers), so comparisons are paired and many curves cost one set of draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from bitarm.errors import ConfigError
from bitarm.sim.kernels.arrays import Floats, Integers, TapeArrays


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tape:
    """Sums, dithers and prior draws of a block of trials.

    Laws: a cell that is filled never changes; the cells of an arm are filled in order; the mean
    after grid[c] pulls is the sum of cells 0..c over grid[c], added in that order as an agent adds
    them (`core/running_sum.py`).
    """

    grid: Integers  # [cell] strictly increasing pull counts
    cells: Floats  # [trial, cell, arm] sums of rewards
    filled: Integers  # [trial, arm] how many cells are drawn
    wanted: Integers  # [trial, arm] how many cells a starved trial needs
    dithers: Floats  # [trial, message, arm] in [0, 1)
    dithered: Integers  # [trial, arm] how many dithers are drawn
    units: Floats  # [trial, arm] in [0, 1): where a uniform prior lies between its bounds

    def __post_init__(self) -> None:
        trials, cells, arms = self.cells.shape
        if self.grid.shape != (cells,) or np.any(np.diff(self.grid, prepend=0) < 1):
            raise ConfigError("a tape's grid must increase, with one pull count for each cell")
        for name in ("filled", "wanted", "dithered", "units"):
            if getattr(self, name).shape != (trials, arms):
                raise ConfigError(f"a tape's {name} must have the shape {(trials, arms)}")
        if self.dithers.ndim != 3 or self.dithers.shape[::2] != (trials, arms):
            raise ConfigError(f"a tape's dithers must have the shape ({trials}, messages, {arms})")
        if self.dithers.shape[1] < cells:
            raise ConfigError(f"a tape of {cells} cells needs as many dithers an arm")

    @property
    def trials(self) -> int:
        """Number of trials."""
        return int(self.cells.shape[0])

    @property
    def arms(self) -> int:
        """Number of arms, K."""
        return int(self.cells.shape[2])

    def pulls_in(self, cell: int) -> int:
        """The number of rewards that a cell sums."""
        return int(self.grid[cell] - (self.grid[cell - 1] if cell else 0))

    def arrays(self) -> TapeArrays:
        """The tape as a kernel reads it, and writes to it; the same arrays, not copies."""
        return TapeArrays(
            grid=self.grid,
            cells=self.cells,
            filled=self.filled,
            wanted=self.wanted,
            dithers=self.dithers,
            dithered=self.dithered,
        )


def empty_tape(grid: Integers, *, trials: int, messages: int, units: Floats) -> Tape:
    """A tape on which nothing is drawn yet but `units`, from which priors follow."""
    arms = units.shape[1]
    return Tape(
        grid=grid,
        cells=np.empty((trials, grid.size, arms)),
        filled=np.zeros((trials, arms), dtype=np.int64),
        wanted=np.zeros((trials, arms), dtype=np.int64),
        dithers=np.empty((trials, messages, arms)),
        dithered=np.zeros((trials, arms), dtype=np.int64),
        units=units,
    )


def recorded_tape(
    grid: Sequence[int],
    cells: npt.ArrayLike,
    *,
    dithers: npt.ArrayLike | None = None,
    units: npt.ArrayLike | None = None,
) -> Tape:
    """A tape of a user's own sums, [trial, cell, arm]; dithers and units default to one half."""
    sums = np.array(cells, dtype=np.float64, order="C")  # a copy: a tape may grow
    if sums.ndim != 3 or not np.all(np.isfinite(sums)):
        raise ConfigError("a tape's cells must be finite numbers, indexed by trial, cell and arm")
    trials, depth, arms = sums.shape
    rounding = _units("dithers", np.full(sums.shape, 0.5) if dithers is None else dithers)
    if rounding.ndim != 3:
        raise ConfigError("a tape's dithers are indexed by trial, message and arm")
    return Tape(
        grid=_whole(grid),
        cells=sums,
        filled=np.full((trials, arms), depth, dtype=np.int64),
        wanted=np.zeros((trials, arms), dtype=np.int64),
        dithers=rounding,
        dithered=np.full((trials, arms), rounding.shape[1], dtype=np.int64),
        units=_units("units", np.full((trials, arms), 0.5) if units is None else units),
    )


def _units(name: str, values: npt.ArrayLike) -> Floats:
    numbers = np.array(values, dtype=np.float64, order="C")
    if not np.all((numbers >= 0) & (numbers < 1)):
        raise ConfigError(f"a tape's {name} must lie in [0, 1)")
    return numbers


def _whole(grid: Sequence[int]) -> Integers:
    numbers = np.asarray(grid)
    if not np.issubdtype(numbers.dtype, np.integer):
        raise ConfigError(f"a tape's grid must be whole numbers, got {list(grid)}")
    return numbers.astype(np.int64)
