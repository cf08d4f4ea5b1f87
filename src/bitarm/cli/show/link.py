"""What the frames of a run cost on a thin link: as a table, and as JSON."""

from typing import Any

from rich.console import Console

from bitarm.cli.show.tables import facts_table
from bitarm.links.cost import FleetUse, LinkUse


def link_json(fleet: FleetUse) -> dict[str, Any]:
    """For a program: messages of all agents, and the load of the busiest one."""
    return {
        "name": fleet.link,
        "messages_up": fleet.messages_up,
        "messages_down": fleet.messages_down,
        "busiest": fleet.busiest.to_json(),
        "gateway_hours": fleet.gateway_hours,
        "since_resumed": fleet.since_resumed,
        "pulls_included": fleet.pulls_included,
    }


def print_link(console: Console, fleet: FleetUse) -> None:
    """For a person: messages of all agents, air time of the busiest, and how long it must take."""
    busiest = fleet.busiest
    grid = facts_table()
    grid.add_row("link", fleet.link)
    since = " since the run was resumed" if fleet.since_resumed else " in all"
    grid.add_row("messages", f"{fleet.messages_up:,} up, {fleet.messages_down:,} down{since}")
    grid.add_row(
        "busiest agent",
        f"{busiest.messages_up:,} up, {busiest.messages_down:,} down{_air(busiest)}",
    )
    if fleet.gateway_hours:
        grid.add_row("downlinks", f"{duration(fleet.gateway_hours)} of one gateway's duty cycle")
    if busiest.packets_of_pulls:
        grid.add_row("its pulls", f"{busiest.packets_of_pulls:,} packets over the same link")
    if busiest.least_hours:
        why = "pulls included" if fleet.pulls_included else "by the link's limits on frames alone"
        grid.add_row("lasts at least", f"{duration(busiest.least_hours)}, {why}")
    console.print()
    console.print(grid)


def _air(busiest: LinkUse) -> str:
    if busiest.air_seconds_up is None or busiest.air_seconds_down is None:
        return ""
    return f"; on air {busiest.air_seconds_up:.1f} s up, {busiest.air_seconds_down:.1f} s down"


def duration(hours: float) -> str:
    """Hours as a person says them."""
    if hours < 1:
        return f"{60 * hours:.0f} minutes"
    return f"{hours:.1f} hours" if hours < 48 else f"{hours / 24:.1f} days"
