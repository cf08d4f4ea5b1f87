"""Rewards on their way to an agent: where they come from, and what they must satisfy."""

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

from bitarm.core.bounds import Bounds
from bitarm.errors import BitarmError, RefusedRewardError, RewardError

PULLED_AT_ONCE = 1 << 16
"""Most rewards of one batch: bounds memory, for a checkpoint may be 10^12 pulls away. Part of the
arithmetic too: a total is the sum of such batches, so every driver must cut them alike."""

CLIPPED = "rewards outside the bounds were clipped, which moves the means"
"""The caveat of a run whose rewards had to be moved."""

REFUSED = (
    "rewards were refused, since they lay outside the bounds or were no numbers, and are missing: "
    "the means are those of the rewards that passed"
)
"""The caveat of a run that went on after an agent had refused live rewards."""


class RewardSource(Protocol):
    """The rewards of one arm, in order.

    Law: pulling m and then n rewards gives the same rewards as pulling m + n at once.
    """

    def pull(self, count: int) -> Sequence[float]:
        """The next `count` rewards; RewardError if there are not that many."""
        ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Rewards that passed, and their sum."""

    rewards: Sequence[float]
    total: float
    clipped: int

    @property
    def count(self) -> int:
        """How many they are."""
        return len(self.rewards)


def pull_from(source: RewardSource, count: int) -> Sequence[float]:
    """The next `count` rewards of a source that anybody may have written.

    RewardError, whatever it does instead: the source is at fault, and not who asked it.
    """
    try:
        rewards = source.pull(count)
        given = len(rewards)
    except BitarmError:
        raise
    except Exception as error:
        raise RewardError(f"its source raised {type(error).__name__}: {error}") from error
    if given != count:
        raise RewardError(f"{count} rewards were asked for, the source gave {given}")
    return rewards


def float_in(reward: Any) -> float | None:
    """The float that a reward stands for, infinite if it is too large; None if it is no number.

    A truth value is a number, as it is to Python: a coin. So are the scalars of arrays, which NumPy
    has of its own kinds.
    """
    if getattr(reward, "ndim", None) == 0:
        reward = reward.item()
    if not isinstance(reward, numbers.Real):
        return None
    try:
        return float(reward)
    except OverflowError:
        return math.inf


def collect(rewards: Sequence[float], bounds: Bounds | None, *, clip: bool) -> Batch:
    """Check rewards against the declared bounds and add them up, exactly rounded.

    A reward outside the bounds is an error unless `clip` is set, and then it is counted: it
    breaks the assumption under which the answer is guaranteed. RefusedRewardError for that and for
    what is no finite number: to go on without such a reward breaks it likewise.
    """
    try:
        rewards = [float(reward) for reward in rewards]
    except OverflowError:
        raise RefusedRewardError("a reward must be a number that a float can hold") from None
    except (TypeError, ValueError) as error:
        raise RefusedRewardError(f"a reward must be a number: {error}") from None
    clipped = 0
    if bounds is not None and rewards:
        a, b = bounds
        if not (a <= min(rewards) and max(rewards) <= b):
            _check_finite(rewards)
            clipped = sum(not a <= reward <= b for reward in rewards)
            if not clip:
                first = next(reward for reward in rewards if not a <= reward <= b)
                raise RefusedRewardError(
                    f"a reward of {first} lies outside the bounds [{a}, {b}]: "
                    "widen the bounds, or ask for clipping"
                )
            rewards = [min(max(reward, a), b) for reward in rewards]
    try:
        total = math.fsum(rewards)
    except (OverflowError, ValueError):
        total = math.nan
    if not math.isfinite(total):
        _check_finite(rewards)
        raise RefusedRewardError("the rewards of one batch add up to more than a float can hold")
    return Batch(rewards=rewards, total=total, clipped=clipped)


def _check_finite(rewards: Sequence[float]) -> None:
    for reward in rewards:
        if not math.isfinite(reward):
            raise RefusedRewardError(f"a reward must be a finite number, got {reward}")
