"""A reproduction of the paper beside its published numbers: as a table, and as JSON."""

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from bitarm.cli.exits import notify
from bitarm.cli.show.tables import NARROW, plain_table
from bitarm.experiments.display_names import NOUNS
from bitarm.experiments.peers import published_rows
from bitarm.experiments.report import Scored
from bitarm.experiments.reproduce import Reproduction
from bitarm.sim.sweep import MEASURES

_LEAST_NAME = 8  # letters of a name that stay in a line on a narrow screen


def reproduction_json(found: Reproduction) -> dict[str, Any]:
    """For a program: how far each series is from the published one, and which claims hold."""
    return {
        "report": str(found.report),
        "experiments": [
            {
                "experiment": one.result.experiment.name,
                "trials": one.result.trials,
                "seed": one.result.seed,
                "deviations": [
                    {
                        "series": deviation.series,
                        "metric": deviation.metric,
                        "median": deviation.median,
                        "worst": deviation.worst.relative_deviation,
                        "worst_x": deviation.worst.x,
                    }
                    for deviation in one.result.deviations()
                ],
                "peers": [
                    {
                        "strategy": row.strategy,
                        "source": row.source,
                        "note": row.note,
                        "figures": [asdict(figure) for figure in row.figures],
                    }
                    for row in one.peers
                ],
                "claims": [
                    {"claim": claim.text, "holds": not failures, "failures": failures}
                    for claim, failures in one.claims
                ],
            }
            for one in found.scored
        ],
        "seconds": sum(cost.seconds for cost in found.costs),
        "draw_seconds": sum(cost.draw_seconds for cost in found.costs),
    }


def print_reproduction(found: Reproduction) -> None:
    """For a person: the deviations as a table, and the report; on stderr the claims that fail."""
    console = Console()
    is_narrow = console.width < NARROW
    table = plain_table(gap=0 if is_narrow else 2)
    table.add_column("name" if is_narrow else "experiment", min_width=_LEAST_NAME, overflow="fold")
    table.add_column("series", no_wrap=not is_narrow, min_width=_LEAST_NAME, overflow="fold")
    for measure in MEASURES:
        table.add_column(NOUNS[measure], justify="right", no_wrap=True)
    for one in found.scored:
        rows: dict[str, dict[str, str]] = {}
        for deviation in one.result.deviations():
            cell = f"{100 * deviation.median:.1f} %"
            rows.setdefault(deviation.series, {})[deviation.metric] = cell
        for series, cells in rows.items():
            name = one.result.experiment.name
            table.add_row(name, series, *(cells.get(measure, "") for measure in MEASURES))
    if table.row_count:
        table.caption = "median deviation from the published numbers"
        console.print(table)
    for one in found.scored:
        if one.peers:
            console.print(_peers(one, is_narrow=is_narrow))
    for one in found.scored:
        for claim, failures in one.claims:
            if failures:
                more = f", and {len(failures) - 1} more" if failures[1:] else ""
                name = one.result.experiment.name
                notify(f"{name}: “{claim.text}” fails: {failures[0]}{more}")
    console.print(f"report: {found.report}", soft_wrap=True)


def _peers(one: Scored, *, is_narrow: bool) -> Table:
    """Strategies side by side: samples, and bits where rewards are not all seen."""
    table = plain_table(gap=0 if is_narrow else 2)
    table.add_column("strategy", min_width=_LEAST_NAME, overflow="fold")
    for x in one.result.experiment.axis.values:
        title = f"samples,\n{x:g}" if is_narrow else f"samples, {x:g}"
        table.add_column(title, justify="right", no_wrap=True)
        table.add_column("bits", justify="right", no_wrap=True)
    if not is_narrow:
        table.add_column("by", no_wrap=True, style="dim")
    for row in one.peers:
        cells = []
        for figure in row.figures:
            bits = "all" if figure.bits is None else f"{figure.bits:,.0f}"
            cells += [f"{figure.samples:,.0f}", bits]
        named = f"{row.strategy} ({row.note})" if row.note else row.strategy
        by = "them" if row in published_rows() else "us"
        table.add_row(*((f"{named}, {by}", *cells) if is_narrow else (named, *cells, by)))
    sources = dict.fromkeys(row.source for row in one.peers)
    table.caption = f"by: {'; '.join(sources)}\nall: the strategy sees every reward"
    return table
