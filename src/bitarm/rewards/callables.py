"""Rewards from a Python function, which a problem file names as module:function."""

import importlib
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, final

from bitarm.core.rewards import float_in
from bitarm.errors import ConfigError, NoMoreRewardsError, RefusedRewardError, RewardError


@final
class CallableSource:
    """Rewards from a function that is called without arguments, once a pull."""

    def __init__(self, function: Callable[[], float], *, label: str) -> None:
        self._function = function
        self._label = label
        self._given = 0

    def pull(self, count: int) -> Sequence[float]:
        """What `count` calls return; RewardError if one raises, or returns no real number.

        A function that raises StopIteration has no more: NoMoreRewardsError.
        """
        return [self._one() for _ in range(count)]

    def _one(self) -> float:
        try:
            reward = self._function()
        except StopIteration:  # as `lambda: next(rewards)` raises it
            raise NoMoreRewardsError(
                f"{self._label} ran out of rewards: its function raised StopIteration "
                f"after {self._given:,}"
            ) from None
        except (Exception, SystemExit) as error:  # whatever the user's code raises is its fault
            raise RewardError(
                f"the source of {self._label} raised {type(error).__name__}: {error}"
            ) from error
        number = float_in(reward)
        if number is None:
            raise RefusedRewardError(
                f"the source of {self._label} must return a number, got {reward!r:.80}"
                f"{_remedy(reward)}"
            )
        self._given += 1
        return number


def _remedy(reward: Any) -> str:
    """What to do about a function that returns what has to be waited for, or gone through."""
    if isinstance(reward, Coroutine):
        reward.close()  # nobody will await it, which Python would warn of
        return ": it is an async function; give one that waits, such as lambda: asyncio.run(f())"
    if isinstance(reward, Iterator):
        return ": call the function once, and give the generator that it returns"
    return ""


def load_callable(reference: str, folder: Path) -> Callable[[], Any]:
    """The function that a reference such as `"probe:signal_strength"` names.

    `reference` is a module and a function in it; a module in `folder` is found before all others.
    ConfigError if there is no such function, or if its module cannot be imported.
    """
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
