"""What is measured of a learner, an agent and a dashboard, under the names that Prometheus sees."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import final

from bitarm.runtime.observed import ServiceFigures

_COMPANIONS = ("", "-wal", "-shm")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One number at this moment. Names that end in `_total` only ever grow."""

    name: str
    help: str
    value: float


Measures = Callable[[], Iterable[Measure]]
Health = Callable[[], str | None]
"""Why a process is not well; None if it is."""


def service_measures(figures: ServiceFigures) -> list[Measure]:
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


def fleet_measures(figures: ServiceFigures) -> list[Measure]:
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


def broker_health(figures: ServiceFigures) -> str | None:
    """Why an end of a run is not well, None if it is."""
    return None if figures.is_connected else "not connected to the broker"
