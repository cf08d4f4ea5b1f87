"""Phases of a fixed budget, and what a budget of bits leaves for each message of them.

The phases follow from the number of arms and the pulls alone. So the number of messages is known
before the first of them, and bits can be divided among them in advance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.errors import ConfigError

SET_BY_BITS = "bit_budget sets it"
"""Why a quantizer's own word for its messages' length says nothing beside a budget of bits."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """`arms` arms are pulled until each has `until` pulls in all, and then heard from."""

    arms: int
    until: int


def messages(phases: Sequence[Phase]) -> int:
    """How many messages all arms send together: one for every arm in every phase."""
    return sum(phase.arms for phase in phases)


def pulls(phases: Sequence[Phase]) -> int:
    """The pulls of all arms together."""
    before = 0
    total = 0
    for phase in phases:
        total += phase.arms * (phase.until - before)
        before = phase.until
    return total


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BitBudget:
    """Payload bits of all arms together, to be divided among the messages of these phases."""

    bits: int
    phases: tuple[Phase, ...]
    policy: str  # whose phases they are

    def each(self, quantizer: str, *, least: int, most: int) -> int:
        """The bits that every message may have, up to `most`; ConfigError for fewer than `least`.

        `quantizer` is the name of the one that asks.
        """
        count, arms = messages(self.phases), self.phases[0].arms
        if self.bits < least * count:
            once = " (not even to hear from every arm once)" if self.bits < least * arms else ""
            need = "1 bit" if least == 1 else f"{least} bits"
            raise ConfigError(
                f"bit_budget must be at least {least * count:,}, got {self.bits:,}, which does not "
                f"suffice{once}: {self.policy} hears {count:,} messages of {arms:,} arms, "
                f"and {quantizer} needs {need} for each"
            )
        return min(self.bits // count, most)

    def allowances(self, each: int, *, most: int) -> list[int]:
        """Bits of each phase's messages: what is left after equal shares goes to early phases.

        The first message has the widest range to cover, and every later one starts where it ended.
        """
        left = self.bits - each * messages(self.phases)
        allowances = []
        for phase in self.phases:
            more = 1 if left >= phase.arms and each < most else 0
            left -= more * phase.arms
            allowances.append(each + more)
        return allowances
