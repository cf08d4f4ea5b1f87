"""What single accounts may read and write beside the rules for all: the topics of sensors.

Kept as lines of Mosquitto's own list, which a person may edit as well:

    user gw-1
    topic read sensors/cellar
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import final

from bitarm.errors import ConfigError
from bitarm.wire.topics import ROOT, check_name

_OURS = ROOT.partition("/")[0]


class Right(Enum):
    """What may be done with a topic, in Mosquitto's words."""

    READ = "read"
    WRITE = "write"
    BOTH = "readwrite"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One account's right to the topics that a filter matches; refused if it is bitarm's own."""

    user: str
    right: Right
    topic: str  # a filter: "+" is any level, "#" at the end all that follow

    def __post_init__(self) -> None:
        check_name("an account", self.user)
        first, *rest = levels = self.topic.split("/")
        if first in ("", "+", "#", _OURS) or first.startswith("$"):
            raise ConfigError(
                f"what is granted begins with a word that is not {_OURS!r}, as sensors/cellar "
                f"does, got {self.topic!r}: bitarm's own topics have rules of their own"
            )
        if not self.topic.isprintable() or self.topic != self.topic.strip():
            raise ConfigError(
                f"a topic stands in a line of Mosquitto's list: {self.topic!r} cannot"
            )
        if "#" in rest[:-1] or any(len(level) > 1 and set(level) & set("+#") for level in levels):
            raise ConfigError(
                f'"+" and "#" stand for whole levels, "#" for the last ones, got {self.topic!r}'
            )

    def lets_read(self, user: str, wanted: str) -> bool:
        """Whether a subscription of an account names nothing beyond this."""
        return user == self.user and self.right is not Right.WRITE and _covers(self.topic, wanted)


def _covers(granted: str, wanted: str) -> bool:
    """Whether one filter matches all that another does."""
    have, want = granted.split("/"), wanted.split("/")
    for at, level in enumerate(have):
        if level == "#":
            return True
        if at >= len(want) or want[at] == "#" or level not in ("+", want[at]):
            return False
    return len(have) == len(want)


def write_grants(grants: Iterable[Grant]) -> str:
    """Grants as lines of Mosquitto's list."""
    by_user: dict[str, list[Grant]] = {}
    for grant in grants:
        by_user.setdefault(grant.user, []).append(grant)
    return "".join(
        f"user {user}\n" + "".join(f"topic {one.right.value} {one.topic}\n" for one in theirs)
        for user, theirs in by_user.items()
    )


def read_grants(text: str) -> tuple[Grant, ...]:
    """Grants from lines of Mosquitto's list; ConfigError, with the line, for anything else."""
    user, grants = None, []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.strip().partition(" ")
        right, _, topic = rest.partition(" ")
        if word == "user" and rest:
            user = rest
        elif word == "topic" and user is not None and right in {one.value for one in Right}:
            grants.append(Grant(user=user, right=Right(right), topic=topic))
        else:
            raise ConfigError(
                f"line {number} of grants is neither `user NAME` nor, below one, "
                f"`topic read|write|readwrite TOPIC`: {line:.100}"
            )
    return tuple(dict.fromkeys(grants))
