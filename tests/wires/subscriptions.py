"""Which messages reach a subscriber."""

from collections.abc import Sequence
from functools import cache


def reaches(topic: str, subscriptions: Sequence[str]) -> bool:
    """Whether one of the subscriptions asks for a topic."""
    return any(_matches(pattern, topic) for pattern in subscriptions)


@cache  # every message is held against every subscription
def _matches(pattern: str, topic: str) -> bool:
    wanted, found = pattern.split("/"), topic.split("/")
    return len(wanted) == len(found) and all(
        one in ("+", other) for one, other in zip(wanted, found, strict=True)
    )
