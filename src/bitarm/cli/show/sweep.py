"""The results of a sweep: a table for a person, CSV, or a picture in a file."""

import csv
import math
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bitarm.api.simulate import Simulation
from bitarm.cli.show.tables import NARROW, plain_table
from bitarm.core.vocabulary import labels
from bitarm.errors import ConfigError

_WIDE = 120  # screen columns from which on there is room for intervals
_LEAST_LABEL = 14


def print_csv(result: Simulation) -> None:
    """Print a row for each setting, under the names that the JSON has, nested ones joined by _."""
    rows = result.rows()
    writer = csv.DictWriter(sys.stdout, list(dict.fromkeys(key for row in rows for key in row)))
    writer.writeheader()
    writer.writerows(rows)


def print_table(result: Simulation) -> None:
    """Print a line for each setting: its label, what it cost, and how often it was wrong."""
    Console().print(sweep_table(result, Console().width))


def plot_simulation(result: Simulation, path: Path) -> None:
    """Draw a sweep into a file, whose ending names the format; ConfigError if it cannot be."""
    figure = result.plot()
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise ConfigError(f"the plot cannot be written to {path}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"the plot cannot be written to {path}: {error}") from None


def sweep_table(result: Simulation, screen_width: int) -> Table:
    """The table of a sweep; a narrow screen gets fewer digits, intervals and columns."""
    points = result.to_json()["results"]
    undecided = any(point["undecided"] for point in points)
    wide, narrow = screen_width >= _WIDE, screen_width < NARROW
    caption = _caption(result, wide=wide, narrow=narrow, undecided=undecided)
    table = plain_table(caption=caption)
    table.add_column("setting", overflow="fold", min_width=0 if narrow else _LEAST_LABEL)
    spread = () if narrow else ("median", "99 %")
    titles = ("rounds", "samples", *spread, "bits", "wrong", *["undecided"] * undecided)
    for title in titles:
        shown = title if wide or title != "undecided" else "open"
        table.add_column(shown, justify="right", no_wrap=narrow)
    for label, point in zip(labels(points), points, strict=True):
        samples = point["samples"]
        table.add_row(
            label,
            _with_error(point["rounds"]) if wide else _plain(point["rounds"]["mean"]),
            _plain(samples["mean"]) if narrow else _with_error(samples),
            *([] if narrow else [_plain(samples["median"]), _plain(samples["p99"])]),
            _with_error(point["payload_bits"]) if wide else _plain(point["payload_bits"]["mean"]),
            _rate(point["error_rate"], wide=wide),
            *[f"{point['undecided']:,}"] * undecided,
        )
    return table


def _caption(result: Simulation, *, wide: bool, narrow: bool, undecided: bool) -> str:
    averages = (
        "means" if narrow else "mean ± standard error, median and 99th percentile of the samples"
    )
    rate = "error rate with its 95 % interval" if wide else "wrong: the error rate"
    left_out = (
        f"; {'undecided' if wide else 'open'}: ended without an answer, which the averages leave "
        "out; wrong if the best arm had fallen"
    )
    cut = (
        f"; answers of at most {result.most_bits} bits, as {result.link} carries: run by learner "
        "and agents themselves"
    ) * (result.most_bits is not None)
    return (
        f"{result.trials:,} trials, seed {result.seed}; {averages}; {rate}"
        f"{left_out * undecided}{cut}"
    )


def _rate(rate: dict[str, float], *, wide: bool) -> str:
    interval = f" [{rate['low']:.2g}, {rate['high']:.2g}]" if wide else ""
    return f"{rate['value']:.2g}{interval}"


def _plain(number: float | None) -> str:
    """A number without its error, in about four digits."""
    if number is None:
        return "–"
    return f"{number:,.0f}" if number >= 100 or number == int(number) else f"{number:.3g}"


def _with_error(average: dict[str, Any]) -> str:
    mean, sem = average["mean"], average["sem"]
    if sem is None:
        return _plain(mean)
    # as many digits as the error leaves meaning to
    digits = 0 if sem == 0 else min(max(1 - math.floor(math.log10(sem)), 0), 3)
    return f"{mean:,.{digits}f} ±" + (f"{sem:,.0f}" if sem >= 10 else f"{sem:.2g}")
