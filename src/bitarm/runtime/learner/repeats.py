"""Reports that came again: counted, and written down when there is something new to say.

Each of them would otherwise be an entry of the journal, and one agent that repeats itself could
fill a disk. What they are ignored for follows from the other events; only their number is news.
"""

from collections import Counter
from dataclasses import replace
from typing import final

from bitarm.core.events import ReportIgnored


@final
class Repeats:
    """How often each arm's agent repeated itself, and how much of that is written down.

    The number is written whenever it has doubled, so that n repeats take log₂ n entries, and when
    a round opens.
    """

    def __init__(self) -> None:
        self._written: Counter[int] = Counter()
        self._pending: dict[int, ReportIgnored] = {}

    def note(self, ignored: ReportIgnored) -> list[ReportIgnored]:
        """Count one; returns what is to be written now."""
        arm = ignored.arm
        before = self._pending.get(arm)
        times = ignored.times if before is None else before.times + ignored.times
        self._pending[arm] = replace(ignored, times=times)
        return [self._write(arm)] if times >= self._written[arm] else []

    def drain(self) -> list[ReportIgnored]:
        """What is counted and not written yet; the caller writes it."""
        return [self._write(arm) for arm in list(self._pending)]

    def _write(self, arm: int) -> ReportIgnored:
        event = self._pending.pop(arm)
        self._written[arm] += event.times
        return event
