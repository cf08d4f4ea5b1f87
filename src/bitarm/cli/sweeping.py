"""What `bitarm simulate` does with its flags: the sweep, its progress and its output."""

import csv
import json
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from bitarm.api.identify import new_seed
from bitarm.api.models import parse_arms
from bitarm.api.problem import load_problem
from bitarm.api.scheme import displaced_words
from bitarm.api.simulate import Simulation, simulate
from bitarm.cli.exits import Exit, complain
from bitarm.cli.flags.storage import chunk_folder
from bitarm.cli.show.progress import trials_bar
from bitarm.cli.show.sweep_plot import plot_simulation
from bitarm.core.policy import Outcome
from bitarm.core.vocabulary import labels
from bitarm.errors import ConfigError
from bitarm.sim.models import RewardModel
from bitarm.sim.sweep import MEASURES


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How the results are shown."""

    as_json: bool
    as_csv: bool
    plot: Path | None


def run_sweep(
    problem: Path | None,
    arms: str | None,
    parameters: Mapping[str, float | None],
    given: Mapping[str, Any],
    output: Output,
    *,
    trials: int,
    seed: int | None,
    workers: int | None,
    cluster: str | None,
    cache: Path | None,
) -> None:
    """Run the sweep that the given words describe, and show it."""
    if output.as_json and output.as_csv:
        raise ConfigError("give either --json or --csv, not both")
    models, words = _task(problem, arms, parameters)
    words = {word: value for word, value in words.items() if word not in _displaced(given)} | dict(
        given
    )
    chosen = new_seed() if seed is None else seed
    if workers is None and cluster is None:
        workers = os.cpu_count()
    how = {"workers": workers, "cluster": cluster, "cache": chunk_folder(cache)}
    try:
        _show(_run(models, words, trials=trials, seed=chosen, **how), output)
    except KeyboardInterrupt:
        complain(f"interrupted; the same command with --seed {chosen} goes on from here")
        raise typer.Exit(Exit.INTERRUPTED) from None


def _show(result: Simulation, output: Output) -> None:
    for reason in sorted({it.guarantee.reason for it in result.points if not it.guarantee.delta}):
        complain(f"no guarantee: {reason}")
    if output.plot is not None:
        plot_simulation(result, output.plot)
    if output.as_json:
        typer.echo(json.dumps(result.to_json()))
    elif output.as_csv:
        _print_csv(result)
    else:
        _print_table(result)


def _displaced(given: Mapping[str, Any]) -> set[str]:
    """Words of a file that lose their meaning to every value of a flag."""
    lost: set[str] = set()
    for word in ("quantizer", "policy", "growth", "first", "bit_budget"):
        if word in given:
            lost |= set.intersection(*(displaced_words({word: it}) for it in given[word]))
    return lost


def _task(
    path: Path | None, arms: str | None, parameters: Mapping[str, float | None]
) -> tuple[tuple[RewardModel, ...], dict[str, Any]]:
    given = {word: value for word, value in parameters.items() if value is not None}
    if (path is None) == (arms is None):
        raise ConfigError("give either a problem file or --arms, such as --arms bernoulli:0.7,0.5")
    if arms is not None:
        return parse_arms(arms, given), {}
    if given:
        raise ConfigError(f"{', '.join(given)} applies to --arms only: the file has its own arms")
    assert path is not None  # one of the two is given
    problem = load_problem(path)
    limits = {f"max_{word}": value for word, value in problem.limits.items()}
    return problem.models(), {**problem.problem, **problem.scheme, **limits}


def _run(models: tuple[RewardModel, ...], words: dict[str, Any], **how: Any) -> Simulation:
    with trials_bar() as progress:
        return simulate(models, **how, **words, progress=progress)


def _print_csv(result: Simulation) -> None:
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


def _print_table(result: Simulation) -> None:
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
    """The trials that ended with an answer, of those that ended in one way."""
    outcome, trials = count
    return trials if outcome in (Outcome.DECIDED.value, Outcome.BUDGET_SPENT.value) else 0


def _with_error(average: dict[str, Any]) -> str:
    mean, sem = average["mean"], average["sem"]
    if sem is None:
        return f"{mean:,}"
    # as many digits as the error leaves meaning to
    digits = 0 if sem == 0 else min(max(1 - math.floor(math.log10(sem)), 0), 3)
    return f"{mean:,.{digits}f} ±" + (f"{sem:,.0f}" if sem >= 10 else f"{sem:.2g}")
