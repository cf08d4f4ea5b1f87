"""The results of a sweep as a table for a person, or as CSV."""

import csv
import math
import sys
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from bitarm.api.simulate import Simulation
from bitarm.core.policy import Outcome
from bitarm.core.vocabulary import labels
from bitarm.sim.sweep import MEASURES


def print_csv(result: Simulation) -> None:
    """Print a row for each setting, under the names that the JSON has, nested ones joined by _."""
    rows = [_flat(point) for point in result.to_json()["results"]]
    writer = csv.DictWriter(sys.stdout, list(dict.fromkeys(key for row in rows for key in row)))
    writer.writeheader()
    writer.writerows(rows)


def _flat(point: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in point.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}_")
        else:
            flat[prefix + key] = value
    return flat


def print_table(result: Simulation) -> None:
    """Print a line for each setting: its label, what it cost, and how often it was wrong."""
    points = result.to_json()["results"]
    undecided = [result.trials - sum(map(_answered, point["outcomes"].items())) for point in points]
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        caption=f"{result.trials:,} trials, seed {result.seed}; mean ± standard error, "
        "error rate with its 95 % interval",
        caption_justify="left",
    )
    table.add_column("setting")
    for title in ("rounds", "samples", "bits", "error rate", *["undecided"] * any(undecided)):
        table.add_column(title, justify="right", no_wrap=True)
    for label, point, silent in zip(labels(points), points, undecided, strict=True):
        rate = point["error_rate"]
        table.add_row(
            label,
            *(_with_error(point[measure]) for measure in MEASURES),
            f"{rate['value']:.2g} [{rate['low']:.2g}, {rate['high']:.2g}]",
            *[f"{silent:,}"] * any(undecided),
        )
    Console().print(table)


def _answered(count: tuple[str, int]) -> int:
    """How many trials of an outcome ended with an answer: all of them, or none."""
    outcome, trials = count
    return trials if outcome in (Outcome.DECIDED.value, Outcome.BUDGET_SPENT.value) else 0


def _with_error(average: dict[str, Any]) -> str:
    mean, sem = average["mean"], average["sem"]
    if sem is None:
        return f"{mean:,}"
    # as many digits as the error leaves meaning to
    digits = 0 if sem == 0 else min(max(1 - math.floor(math.log10(sem)), 0), 3)
    return f"{mean:,.{digits}f} ±" + (f"{sem:,.0f}" if sem >= 10 else f"{sem:.2g}")
