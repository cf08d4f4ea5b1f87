"""Rewards from a sensor that publishes by MQTT anyway: the numbers in its payloads."""

import json
import math
from collections import deque
from collections.abc import Sequence
from typing import Any, final

from bitarm.errors import RefusedRewardError, RewardError


@final
class SensorFeed:
    """Numbers in the payloads of a topic: what arrives while nothing is wanted is not a reward.

    `pointer` says where in a payload the number is, `label` names the arm in errors.
    """

    live = True

    def __init__(self, pointer: str, *, label: str) -> None:
        self._pointer = pointer
        self._label = label
        self._there: deque[float] = deque()
        self._wanted = 0
        self._error: RewardError | None = None

    def offer(self, payload: bytes) -> None:
        """Take the number in a payload that came in, if a reward is wanted.

        Nothing after a payload that held none: rewards that pass it over would be selected.
        """
        if self._wanted <= len(self._there) or self._error is not None:
            return
        try:
            self._there.append(read_number(payload, self._pointer))
        except RewardError as error:
            self._error = RefusedRewardError(f"the sensor of {self._label}: {error}")

    def skip(self, count: int) -> None:
        """Does nothing: past payloads cannot be had again."""

    def take(self, most: int) -> Sequence[float]:
        """Rewards that came since the last call; RewardError if a payload held none."""
        rewards = [self._there.popleft() for _ in range(min(most, len(self._there)))]
        self._wanted = most - len(rewards)
        if not rewards and self._error is not None:
            raise self._error
        return rewards

    def rest(self) -> None:
        """Pass over what arrives from now on."""
        self._wanted = 0
        self._there.clear()


def read_number(payload: bytes, pointer: str) -> float:
    """The number that a JSON pointer (RFC 6901) finds in a payload; "" is the payload itself.

    `read_number(b'{"t": [20.5]}', "/t/0")` is 20.5. RefusedRewardError if there is no number.
    """
    try:
        value: Any = json.loads(payload)
    except (ValueError, RecursionError):
        raise RefusedRewardError(f"a payload must be JSON, got {payload[:60]!r}") from None
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif (
            isinstance(value, list) and key.isascii() and key.isdecimal() and int(key) < len(value)
        ):
            value = value[int(key)]
        else:
            raise RefusedRewardError(f"the pointer {pointer!r} finds nothing in {payload[:60]!r}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RefusedRewardError(f"the pointer {pointer!r} must find a number, got {value!r:.60}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise RefusedRewardError(f"a reward must be a finite number, got {value!r:.60}")
    return number
