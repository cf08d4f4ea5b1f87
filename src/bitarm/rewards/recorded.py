"""Rewards that are there already: a column, an array, a list; or that an iterator hands out."""

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, final

from bitarm.core.rewards import float_in
from bitarm.errors import NoMoreRewardsError, RefusedRewardError, RewardError


@final
class RecordedSource:
    """Rewards that were recorded, in their order; `where` names the place in errors."""

    def __init__(self, rewards: "array[float]", *, label: str, where: str) -> None:
        if not rewards:
            raise RewardError(f"{where} is empty: {label} has no rewards")
        self.rewards: Sequence[float] = rewards
        self.label = label
        self.where = where
        self._next = 0

    @property
    def left(self) -> int:
        """Rewards that nobody has used yet."""
        return len(self.rewards) - self._next

    def pull(self, count: int) -> Sequence[float]:
        """The next `count` of them; NoMoreRewardsError if there are not that many."""
        rewards = self.rewards[self._next : self._next + count]
        if len(rewards) < count:
            raise NoMoreRewardsError(
                f"{self.label} ran out of rewards: {self.where} has {len(self.rewards):,} rows, "
                f"{self._next + count:,} are needed now: record more"
            )
        self._next += count
        return rewards

    def skip(self, count: int) -> None:
        """Pass over rewards that were used before a restart."""
        self._next += count


def recorded(values: Iterable[Any], *, label: str) -> RecordedSource:
    """The numbers of an array, a column or a list as rewards; RefusedRewardError for other things.

    Whatever can be gone through will do: lists, NumPy arrays, columns of pandas, Polars and Arrow.
    """
    where = f"the data of {label}"
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        raise RefusedRewardError(
            f"{where} must be one row of numbers, got an array of the shape {shape}"
        )
    # Of arrays, Python's own numbers: by the name that NumPy and pandas have for it, or Arrow.
    natives = getattr(values, "tolist", getattr(values, "to_pylist", values.__iter__))
    checked = (_number(value, place, where) for place, value in enumerate(natives()))
    return RecordedSource(array("d", checked), label=label, where=where)


@final
class IteratorSource:
    """Rewards that an iterator hands out, one a pull: they cannot be had again."""

    def __init__(self, rewards: Iterator[Any], *, label: str) -> None:
        self._rewards = rewards
        self._label = label
        self._given = 0

    def pull(self, count: int) -> Sequence[float]:
        """The next `count` of them; NoMoreRewardsError if it ends before, whatever it gave then."""
        return [self._one() for _ in range(count)]

    def _one(self) -> float:
        try:
            value = next(self._rewards)
        except StopIteration:
            raise NoMoreRewardsError(
                f"{self._label} ran out of rewards: its iterator ended after {self._given:,}; "
                "as a list they would all be used"
            ) from None
        except (Exception, SystemExit) as error:  # whatever the user's code raises is its fault
            raise RewardError(
                f"the iterator of {self._label} raised {type(error).__name__}: {error}"
            ) from error
        reward = _number(value, self._given, f"the iterator of {self._label}")
        self._given += 1
        return reward


def _number(value: Any, place: int, where: str) -> float:
    """A finite number; else the error says which one it is, by its index as Python counts."""
    number = float_in(value)
    if number is None or not math.isfinite(number):
        is_missing = value is None or number is not None
        remedy = "leave it out, or fill it in" if is_missing else "convert all to floats first"
        shown = value if number is None else number  # which has few digits
        raise RefusedRewardError(
            f"{where} must be finite numbers, but at index {place} is {shown!r:.60}: {remedy}"
        )
    return number
