"""A line a minute on stderr, where no table is shown: a long run is at work, and how far it is."""

import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self, final

from bitarm.cli.exits import notify
from bitarm.cli.show.outlook import progress_line
from bitarm.core.events import LearnerEvent
from bitarm.core.standings import Standings, follow

EVERY = 60.0
"""Seconds between two lines."""


@final
class Heartbeat:
    """Says where a run stands, at intervals; a context manager around the run.

    A round may take longer than an interval, so a thread of its own speaks. It reads nothing but a
    finished sentence: the standings are the run's.
    """

    def __init__(self, every: float = EVERY) -> None:
        self._every = every
        self._standings: Standings | None = None
        self._line = "waiting for the first reports"
        self._fresh_until = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._speak, daemon=True, name="heartbeat")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    def watch(self, events: Sequence[LearnerEvent]) -> None:
        """Take events in."""
        for event in events:
            self._standings = follow(self._standings, event)
        now = time.monotonic()
        if self._standings is None or not self._standings.samples or now < self._fresh_until:
            return
        self._line = progress_line(self._standings)
        self._fresh_until = now + self._every / 60  # a run may have thousands of rounds a second

    def _speak(self) -> None:
        while not self._done.wait(self._every):
            notify(self._line)
