"""Rewards that were recorded: a column of a CSV file."""

import csv
import math
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, final

from bitarm.errors import RewardError

if TYPE_CHECKING:
    pass


@final
class CsvSource:
    """Rewards that were recorded in a column of a CSV file, in the order of its rows."""

    def __init__(self, path: Path, column: str, *, label: str) -> None:
        self._where = f"column {column!r} of {path}"
        self._label = label
        self._rewards = _read_column(path, column, label)
        self._next = 0

    def pull(self, count: int) -> Sequence[float]:
        """The next `count` rows; RewardError if there are not that many."""
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
