"""What a run would cost on a thin link, in words and as JSON."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bitarm.api.tables import NetworkWords
from bitarm.core.words import words_of
from bitarm.runtime.link_ledger import FleetUse
from bitarm.runtime.links import LinkUse

_LINK = words_of(NetworkWords)["link"]

LinkOption = Annotated[
    str | None,
    typer.Option(
        metavar="LINK",
        help=f"{_LINK.word.help}: {', '.join(_LINK.choices)}",
        show_default=False,
    ),
]


def link_json(fleet: FleetUse) -> dict[str, Any]:
    """The same numbers for a program."""
    return {
        "name": fleet.link,
        "messages_up": fleet.messages_up,
        "messages_down": fleet.messages_down,
        "busiest": fleet.busiest.to_json(),
        "since_resumed": fleet.since_resumed,
    }


def print_link(console: Console, fleet: FleetUse) -> None:
    """Tell a person what the frames of a run come to on their link."""
    busiest = fleet.busiest
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    grid.add_row("link", fleet.link)
    since = " since the run was resumed" if fleet.since_resumed else " in all"
    grid.add_row("messages", f"{fleet.messages_up:,} up, {fleet.messages_down:,} down{since}")
    grid.add_row(
        "busiest agent",
        f"{busiest.messages_up:,} up, {busiest.messages_down:,} down{_air(busiest)}",
    )
    if busiest.least_hours:
        grid.add_row("lasts at least", f"{_duration(busiest.least_hours)}, by the link's limits")
    console.print()
    console.print(grid)


def _air(busiest: LinkUse) -> str:
    if busiest.air_seconds_up is None or busiest.air_seconds_down is None:
        return ""
    return f"; on air {busiest.air_seconds_up:.1f} s up, {busiest.air_seconds_down:.1f} s down"


def _duration(hours: float) -> str:
    if hours < 1:
        return f"{60 * hours:.0f} minutes"
    return f"{hours:.1f} hours" if hours < 48 else f"{hours / 24:.1f} days"
