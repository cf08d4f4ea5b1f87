"""What is measured of a run from its events: a learner's, for an agent is told of none."""

import time
from collections.abc import Callable, Sequence
from typing import final

from bitarm.cli.metrics.figures import Measure
from bitarm.core.events import LearnerEvent, ReportAccepted
from bitarm.core.standings import Standings, follow


@final
class RunFigures:
    """A watcher of one run: how far it has come, and when an agent was last heard."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._standings: Standings | None = None
        self._reports = 0
        self._reported_at = clock()

    def watch(self, events: Sequence[LearnerEvent]) -> None:
        """Take events in."""
        for event in events:
            self._standings = follow(self._standings, event)
            if isinstance(event, ReportAccepted):
                self._reports += 1
                self._reported_at = self._clock()

    def measures(self) -> list[Measure]:
        """The run as numbers."""
        standings = self._standings
        rounds, samples, bits, arms = 0, 0, 0, 0
        if standings is not None:
            rounds, bits = standings.round, standings.payload_bits
            samples = standings.samples + standings.spared  # a total never falls, as samples may
            arms = sum(arm.active for arm in standings.arms)
        has_ended = standings is not None and standings.ending is not None
        silence = self._clock() - self._reported_at
        return [
            Measure(name="bitarm_rounds_total", help="Rounds that were opened", value=rounds),
            Measure(
                name="bitarm_samples_total",
                help="Pulls that were reported, or asked of an arm that gave up",
                value=samples,
            ),
            Measure(name="bitarm_payload_bits_total", help="Bits of all symbols", value=bits),
            Measure(name="bitarm_reports_total", help="Reports accepted", value=self._reports),
            Measure(name="bitarm_arms_in_race", help="Arms still in the race", value=arms),
            Measure(name="bitarm_run_ended", help="1 once the run is over", value=has_ended),
            Measure(
                name="bitarm_seconds_since_report",
                help="Since a report was accepted, or the process started",
                value=silence,
            ),
        ]
