"""Arms as a program has them: functions, arrays, columns, generators, by name or in a list."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Protocol, TypeAlias

from bitarm.core.rewards import RewardSource
from bitarm.errors import ConfigError
from bitarm.rewards.callables import CallableSource
from bitarm.rewards.recorded import IteratorSource, recorded


class TableOfArms(Protocol):
    """A table whose columns are the arms, as pandas, Polars and Arrow have them."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""
        ...

    def __getitem__(self, name: Any, /) -> Any:
        """The column of this name."""
        ...


ArmRewards: TypeAlias = Callable[[], float] | Iterable[float] | RewardSource
"""One arm: a function, numbers that are there, an iterator that hands them out, or a source."""

Arms: TypeAlias = Mapping[Any, ArmRewards] | Sequence[ArmRewards] | TableOfArms
"""All arms: by name, in a list (they are called arm-0, arm-1, …), or the columns of a table."""

_KINDS = "a function that returns a reward, an array or a column of numbers, or a generator"


def sources_of(arms: Arms) -> dict[str, RewardSource]:
    """The rewards of each arm by its name; ConfigError or RewardError for what gives none.

    Names become texts: the arm 7 is called "7".
    """
    return {name: _source(name, rewards) for name, rewards in _named(arms).items()}


def _named(arms: Any) -> dict[str, Any]:
    if getattr(arms, "groups", None) is not None:
        raise ConfigError(
            "a table that is grouped has no columns to choose from: give the rewards of each "
            "group, as in dict(iter(table.groupby('arm')['reward']))"
        )
    # A table of Arrow calls its names so; of pandas and Polars its columns are names.
    columns = getattr(arms, "column_names", getattr(arms, "columns", None))
    if columns is not None and not isinstance(arms, Mapping):
        return _by_text((name, arms[name]) for name in columns)
    if isinstance(arms, Mapping):
        return _by_text(arms.items())
    if getattr(arms, "ndim", 1) == 2:
        raise ConfigError(
            "an array does not say whether its rows or its columns are the arms: "
            "give list(array), or list(array.T)"
        )
    if isinstance(arms, Sequence) and not isinstance(arms, str | bytes):
        return {f"arm-{number}": rewards for number, rewards in enumerate(arms)}
    raise ConfigError(f"arms must be a mapping by name, a list or a table, got {arms!r:.80}")


def _by_text(pairs: Iterable[tuple[Hashable, Any]]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for name, rewards in pairs:
        if str(name) in named:
            raise ConfigError(f"two arms are called {str(name)!r}: give each a name of its own")
        named[str(name)] = rewards
    return named


def _source(name: str, rewards: Any) -> RewardSource:
    if callable(getattr(rewards, "pull", None)):
        source: RewardSource = rewards
        return source
    if callable(rewards):
        return CallableSource(rewards, label=name)
    if isinstance(rewards, Iterator):
        return IteratorSource(rewards, label=name)
    if isinstance(rewards, Set):
        raise ConfigError(
            f"arm {name!r} is a set, which has no order and no number twice: rewards are a sample, "
            "give all of them in a list"
        )
    if isinstance(rewards, Iterable) and not isinstance(rewards, str | bytes | Mapping):
        return recorded(rewards, label=name)
    raise ConfigError(f"arm {name!r} needs {_KINDS}, got {rewards!r:.80}")
