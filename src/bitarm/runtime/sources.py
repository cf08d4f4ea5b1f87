"""Where rewards come from: a model, a Python callable, a column of a CSV file.

Every failure is a RewardError that names the arm and the source.
"""

import csv
import importlib
import math
import numbers
import sys
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from bitarm.errors import ConfigError, RewardError

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel

PULLED_AT_ONCE = 1 << 16
"""Most rewards of one batch: bounds memory, for a checkpoint may be 10^12 pulls away. Part of the
arithmetic too: a total is the sum of such batches, so every driver must cut them alike."""


@final
class ModelSource:
    """Rewards drawn from a model: reward n of an arm is a function of (seed, arm, n)."""

    def __init__(self, model: "RewardModel", *, seed: int, arm: int) -> None:
        import numpy as np  # here, so that an agent with other sources needs no numpy

        self.model = model
        sequence = np.random.SeedSequence(seed, spawn_key=(arm,))
        self._rng = np.random.Generator(np.random.SFC64(sequence))

    def pull(self, count: int) -> Sequence[float]:
        """The next draws."""
        rewards: list[float] = self.model.draw(self._rng, count).tolist()
        return rewards

    def skip(self, count: int) -> None:
        """Pass over draws that were used before a restart."""
        while count > 0:
            drawn = min(count, PULLED_AT_ONCE)
            self.model.draw(self._rng, drawn)
            count -= drawn


@final
class CallableSource:
    """Rewards from a function that is called without arguments, once a pull."""

    def __init__(self, function: Callable[[], float], *, label: str) -> None:
        self._function = function
        self._label = label

    def pull(self, count: int) -> Sequence[float]:
        """Call it `count` times."""
        return [self._one() for _ in range(count)]

    def _one(self) -> float:
        try:
            reward = self._function()
        except (Exception, SystemExit) as error:  # whatever the user's code raises is its fault
            raise RewardError(
                f"the source of {self._label} raised {type(error).__name__}: {error}"
            ) from error
        if not isinstance(reward, numbers.Real):
            raise RewardError(f"the source of {self._label} must return a number, got {reward!r}")
        try:
            return float(reward)
        except OverflowError:
            raise RewardError(
                f"the source of {self._label} returned a number that no float can hold"
            ) from None


@final
class CsvSource:
    """Rewards that were recorded in a column of a CSV file, in the order of its rows."""

    def __init__(self, path: Path, column: str, *, label: str) -> None:
        self._where = f"column {column!r} of {path}"
        self._label = label
        self._rewards = _read_column(path, column, label)
        self._next = 0

    def pull(self, count: int) -> Sequence[float]:
        """The next rows."""
        rewards = self._rewards[self._next : self._next + count]
        if len(rewards) < count:
            raise RewardError(
                f"{self._label} ran out of rewards: {self._where} has {len(self._rewards)} rows, "
                f"{self._next + count} are needed now; record more, or set a limit on rounds"
            )
        self._next += count
        return rewards

    def skip(self, count: int) -> None:
        """Pass over rows that were used before a restart."""
        self._next += count


def _read_column(path: Path, column: str, label: str) -> "array[float]":
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            names = rows.fieldnames or []
            if column not in names:
                raise RewardError(
                    f"{path} has no column {column!r} for {label}; "
                    f"its columns are {', '.join(names) or 'none: the file is empty'}"
                )
            rewards = array("d", (_number(row[column], path, rows.line_num, label) for row in rows))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RewardError(f"the rewards of {label} cannot be read from {path}: {error}") from None
    if not rewards:
        raise RewardError(f"column {column!r} of {path} is empty: {label} has no rewards")
    return rewards


def _number(text: str | None, path: Path, line: int, label: str) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RewardError(
            f"{path}, line {line}: a reward of {label} must be a finite number, got {text!r}"
        )
    return value


def load_callable(reference: str, folder: Path) -> Callable[[], Any]:
    """The function that `module:function` names; modules in `folder` are found too."""
    module_name, separator, name = reference.partition(":")
    if not (separator and module_name and name):
        raise ConfigError(f"a callable is named module:function, got {reference!r}")
    home = folder.resolve()
    if sys.path[:1] != [str(home)]:
        sys.path.insert(0, str(home))
    beside = home / f"{module_name}.py"
    loaded = getattr(sys.modules.get(module_name), "__file__", None)
    if beside.exists() and loaded not in (None, str(beside)):
        del sys.modules[module_name]  # another folder's module of the same name
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # an import runs the user's code
        raise ConfigError(
            f"the module of {reference!r} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise ConfigError(f"{module_name} has no function {name!r}")
    found: Callable[[], Any] = function
    return found
