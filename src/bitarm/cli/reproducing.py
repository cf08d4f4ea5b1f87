"""What `bitarm reproduce` does with its flags: the run, its progress and what it prints."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from bitarm.api.extras import require
from bitarm.api.words import unknown
from bitarm.cli.exits import Exit, complain
from bitarm.cli.flags.storage import chunk_folder
from bitarm.cli.show.progress import trials_bar
from bitarm.errors import ConfigError
from bitarm.experiments.reproduce import INSTANCES, Reproduction, reproduce
from bitarm.sim.sweep import MEASURES

_TITLES = {"rounds": "rounds", "samples": "samples", "payload_bits": "bits"}


def run_reproduction(
    experiments: Sequence[str],
    *,
    trials: int | None,
    seed: int,
    out: Path,
    instance: str,
    full: bool,
    overwrite: bool,
    workers: int | None,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Reproduce the experiments that are named, and say how near they come."""
    require("matplotlib", extra="sim", what="a reproduction")
    require("jinja2", extra="sim", what="a reproduction")
    if instance not in INSTANCES:
        raise ConfigError(unknown("--instance", instance, INSTANCES))
    try:
        with trials_bar() as progress:
            found = reproduce(
                experiments,
                trials=trials,
                seed=seed,
                out=out,
                instance=instance,
                full=full,
                overwrite=overwrite,
                workers=workers or os.cpu_count() or 1,
                cache=chunk_folder(cache),
                progress=progress,
            )
    except KeyboardInterrupt:
        complain("interrupted; the same command goes on from here")
        raise typer.Exit(Exit.INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(_summary(found)))
    else:
        _print(found)


def _summary(found: Reproduction) -> dict[str, Any]:
    return {
        "report": str(found.report),
        "experiments": [
            {
                "experiment": one.findings.experiment.name,
                "trials": one.findings.trials,
                "seed": one.findings.seed,
                "deviations": [
                    {
                        "series": it.series,
                        "metric": it.metric,
                        "median": it.median,
                        "worst": it.worst.relative_deviation,
                        "worst_x": it.worst.x,
                    }
                    for it in one.findings.deviations()
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


def _print(found: Reproduction) -> None:
    console = Console()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("experiment")
    table.add_column("series", no_wrap=True)
    for measure in MEASURES:
        table.add_column(_TITLES[measure], justify="right", no_wrap=True)
    for one in found.scored:
        rows: dict[str, dict[str, str]] = {}
        for it in one.findings.deviations():
            rows.setdefault(it.series, {})[it.metric] = f"{100 * it.median:.1f} %"
        for series, cells in rows.items():
            name = one.findings.experiment.name
            table.add_row(name, series, *(cells.get(measure, "") for measure in MEASURES))
    if table.row_count:
        table.caption = "median deviation from the published numbers"
        table.caption_justify = "left"
        console.print(table)
    for one in found.scored:
        for claim, failures in one.claims:
            if failures:
                more = f", and {len(failures) - 1} more" if failures[1:] else ""
                name = one.findings.experiment.name
                complain(f"{name}: “{claim.text}” fails: {failures[0]}{more}")
    console.print(f"report: {found.report}", soft_wrap=True)
