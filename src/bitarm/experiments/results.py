"""The results of an experiment: each measured number, and the published one beside it."""

import csv
import io
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib import resources
from typing import final

from bitarm.api.simulate import SweepPoint
from bitarm.experiments.experiment import Experiment
from bitarm.sim.sweep import MEASURES

_ABOUT = 1e-6  # positions on an axis are printed with 15 digits


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One number of ours beside the paper's: a line of `results.csv`."""

    experiment: str
    metric: str
    series: str
    x: float
    mean: float
    sem: float | None
    trials: int
    paper_mean: float | None
    relative_deviation: float | None  # ours over the paper's, less one


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """How far one curve is from the published one."""

    series: str
    metric: str
    median: float  # of the absolute relative deviations
    worst: ResultRow


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentResult:
    """An experiment and the simulated points of all its series."""

    experiment: Experiment
    trials: int
    seed: int
    points: Mapping[tuple[str, float], SweepPoint]  # by series and value on the axis

    @property
    def series(self) -> list[str]:
        """The series that were run, in their order."""
        return list(dict.fromkeys(series for series, _ in self.points))

    def is_exact(self, series: str) -> bool:
        """Whether a series tells means as they are: its bits say nothing of a quantizer."""
        x = self.experiment.axis.values[0]
        return self.points[series, x].setup.spec.quantizer.name == "exact"

    def curve(self, metric: str, series: str) -> list[ResultRow]:
        """One measure of one series along the axis."""
        return [self._row(metric, series, x) for x in self.experiment.axis.values]

    def rows(self) -> list[ResultRow]:
        """Every number, in the order of the measures, the series and the axis."""
        return [
            row
            for metric in MEASURES
            for series in self.series
            for row in self.curve(metric, series)
        ]

    def deviations(self) -> list[Deviation]:
        """How far each curve is from the published one, where there is one."""
        found: list[Deviation] = []
        if self.experiment.figure != self.experiment.name:  # told where that figure is reproduced
            return found
        for metric in MEASURES:
            for series in self.series:
                rows = [row for row in self.curve(metric, series) if row.paper_mean is not None]
                if rows:
                    median = statistics.median(_size(row) for row in rows)
                    worst = max(rows, key=_size)
                    found.append(
                        Deviation(series=series, metric=metric, median=median, worst=worst)
                    )
        return found

    def _row(self, metric: str, series: str, x: float) -> ResultRow:
        moments = getattr(self.points[series, x].result, metric)
        shown = self.experiment.axis.shown(x)
        # arms that were drawn for this run are not the paper's: there is nothing to compare
        drawn = self.experiment.is_drawn
        paper = None if drawn else published(self.experiment.figure, metric, series, shown)
        return ResultRow(
            experiment=self.experiment.name,
            metric=metric,
            series=series,
            x=shown,
            mean=moments.mean,
            sem=moments.sem,
            trials=moments.count,
            paper_mean=paper,
            relative_deviation=None if paper is None else moments.mean / paper - 1,
        )


def _size(row: ResultRow) -> float:
    assert row.relative_deviation is not None  # only rows with a published mean are sized
    return abs(row.relative_deviation)


def to_csv(rows: Iterable[ResultRow]) -> str:
    """The rows as CSV, with a head line; what does not exist is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in fields(ResultRow))
    writer.writerows(astuple(row) for row in rows)
    return text.getvalue()


@cache
def _points() -> dict[tuple[str, str, str], list[tuple[float, float]]]:
    text = resources.files(__package__).joinpath("paper.csv").read_text("utf-8")
    points: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in csv.DictReader(text.splitlines()):
        key = row["experiment"], row["metric"], row["series"]
        points.setdefault(key, []).append((float(row["x"]), float(row["paper_mean"])))
    return points


def published(experiment: str, metric: str, series: str, x: float) -> float | None:
    """The mean that the paper's figure plots at a position on the axis, if there is one."""
    for position, mean in _points().get((experiment, metric, series), ()):
        if abs(position - x) <= _ABOUT * max(1.0, abs(x)):
            return mean
    return None
