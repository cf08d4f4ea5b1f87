"""What is measured of a learner, an agent and a dashboard, under the names that Prometheus sees."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import final

from bitarm.core.events import LearnerEvent, ReportAccepted
from bitarm.core.standings import Standings, follow
from bitarm.runtime.observed import Figures

_COMPANIONS = ("", "-wal", "-shm")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One number at this moment. Names that end in `_total` only ever grow."""

    name: str
    help: str
    value: float


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
            rounds, samples, bits = standings.round, standings.samples, standings.payload_bits
            arms = sum(arm.active for arm in standings.arms)
        has_ended = standings is not None and standings.ending is not None
        silence = self._clock() - self._reported_at
        return [
            Measure(name="bitarm_rounds_total", help="Rounds that were opened", value=rounds),
            Measure(name="bitarm_samples_total", help="Pulls that were reported", value=samples),
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


def service_measures(figures: Figures) -> list[Measure]:
    """An end of a run as numbers: its connection, and what went over it."""
    return [
        Measure(
            name="bitarm_connected",
            help="1 while connected to the broker",
            value=figures.is_connected,
        ),
        Measure(
            name="bitarm_connections_total",
            help="Times that the broker took us in",
            value=figures.connections,
        ),
        Measure(
            name="bitarm_messages_received_total",
            help="MQTT messages that came in",
            value=figures.received,
        ),
        Measure(
            name="bitarm_messages_sent_total",
            help="MQTT messages that were sent",
            value=figures.sent,
        ),
    ]


def fleet_measures(figures: Figures) -> list[Measure]:
    """A learner's agents as numbers."""
    return [
        Measure(name="bitarm_agents", help="Agents of the run", value=figures.agents),
        Measure(
            name="bitarm_agents_present",
            help="Agents that are connected and have joined",
            value=figures.count_present(),
        ),
    ]


def journal_measures(path: Path) -> list[Measure]:
    """The size of a journal on the disk, with the files beside it."""
    size = 0
    for companion in _COMPANIONS:
        with suppress(FileNotFoundError):  # the last writer takes its companions away
            size += path.with_name(path.name + companion).stat().st_size
    return [Measure(name="bitarm_journal_bytes", help="The journal on the disk", value=size)]


def broker_health(figures: Figures) -> str | None:
    """Why an end of a run is not well, None if it is."""
    return None if figures.is_connected else "not connected to the broker"
