"""The numbers that the paper's figures plot."""

import csv
from functools import cache
from importlib import resources

_ABOUT = 1e-6  # positions on an axis are printed with 15 digits


@cache
def _points() -> dict[tuple[str, str, str], list[tuple[float, float]]]:
    text = resources.files(__package__).joinpath("paper.csv").read_text("utf-8")
    points: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in csv.DictReader(text.splitlines()):
        key = row["experiment"], row["metric"], row["series"]
        points.setdefault(key, []).append((float(row["x"]), float(row["paper_mean"])))
    return points


def published(experiment: str, metric: str, series: str, x: float) -> float | None:
    """The published mean at a position on the axis, if there is one."""
    for position, mean in _points().get((experiment, metric, series), ()):
        if abs(position - x) <= _ABOUT * max(1.0, abs(x)):
            return mean
    return None
