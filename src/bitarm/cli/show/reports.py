"""The reports of a run as rows of a table: for a spreadsheet, under the names that results have."""

from collections.abc import Iterable, Iterator
from typing import Any

from bitarm.core.events import ReportAccepted
from bitarm.core.journal import Entry
from bitarm.core.standings import Standings, follow

REPORT_COLUMNS = (
    *("sequence", "at", "round", "arm", "name", "message", "pulls", "mean", "radius"),
    *("beaten_by", "payload_bits", "samples", "total_payload_bits", "contenders"),
)
"""Columns for the report itself, and for what the whole run had cost by then."""


def report_rows(entries: Iterable[Entry]) -> Iterator[dict[str, Any]]:
    """A row for each report that was accepted, in their order; what does not exist is empty."""
    standings: Standings | None = None
    for entry in entries:
        event = entry.event
        standings = follow(standings, event)
        if not isinstance(event, ReportAccepted):
            continue
        arm = standings.arms[event.arm]
        values = (
            *(entry.sequence, entry.at, event.round, event.arm, arm.name, event.message),
            *(event.pulls, arm.mean, arm.radius, event.beaten_by),
            *(event.symbol.nbits, standings.samples, standings.payload_bits),
            sum(arm.active for arm in standings.arms),
        )
        yield dict(zip(REPORT_COLUMNS, values, strict=True))
