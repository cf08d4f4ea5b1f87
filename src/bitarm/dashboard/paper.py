"""The paper's published curves, from the table that the experiments compare themselves with."""

import csv
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import final

_PRICES = ("samples", "payload_bits")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PaperCurve:
    """A published curve: samples against bits, a point for each setting."""

    experiment: str
    series: str
    x: list[float]  # what the figure sweeps
    samples: list[float]
    payload_bits: list[float]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PaperCurves:
    """Every published curve that has both prices; none where the numbers are not installed."""

    curves: list[PaperCurve]


@cache
def published() -> tuple[PaperCurve, ...]:
    """Every curve that has both prices; none where the file is not installed."""
    try:
        file = resources.files("bitarm.experiments") / "paper.csv"
        return curves(file.read_text(encoding="utf-8"))
    except (ModuleNotFoundError, FileNotFoundError):
        return ()


def curves(text: str) -> tuple[PaperCurve, ...]:
    """The curves in a table of experiment, metric, series, x and mean."""
    means: dict[tuple[str, str], dict[str, dict[float, float]]] = defaultdict(
        lambda: {price: {} for price in _PRICES}
    )
    for row in csv.DictReader(text.splitlines()):
        if row["metric"] in _PRICES:
            curve = means[row["experiment"], row["series"]]
            curve[row["metric"]][float(row["x"])] = float(row["paper_mean"])
    return tuple(
        _curve(experiment, series, prices["samples"], prices["payload_bits"])
        for (experiment, series), prices in means.items()
        if prices["samples"].keys() & prices["payload_bits"].keys()
    )


def _curve(
    experiment: str, series: str, samples: dict[float, float], bits: dict[float, float]
) -> PaperCurve:
    places = sorted(samples.keys() & bits.keys())
    return PaperCurve(
        experiment=experiment,
        series=series,
        x=places,
        samples=[samples[x] for x in places],
        payload_bits=[bits[x] for x in places],
    )
