"""How many times less than a baseline a series needs, point by point."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from bitarm.experiments.display_names import label_of
from bitarm.experiments.results import ExperimentResult, ResultRow

COMPARED = ("samples", "payload_bits")
"""The measures that a scheme is chosen for."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What a series is compared with: another one of the same run, or its published curve."""

    series: str
    published: bool = False

    @property
    def label(self) -> str:
        """The baseline in words: its series, and whether it was published or rerun."""
        return f"{label_of(self.series)}, {'as published' if self.published else 'rerun'}"

    def value(self, row: ResultRow) -> float:
        """What the baseline needs at one point of its curve."""
        if not self.published:
            return row.mean
        assert row.paper_mean is not None  # an analysis names only curves that were published
        return row.paper_mean


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """Baseline over series: above 1, the series needs less."""

    series: str
    points: tuple[tuple[float, float], ...]  # position on the axis, factor

    @property
    def mean(self) -> float:
        """The geometric mean over the axis."""
        return math.exp(math.fsum(math.log(factor) for _, factor in self.points) / len(self.points))

    @property
    def least(self) -> float:
        """The factor at the worst point."""
        return min(factor for _, factor in self.points)

    @property
    def most(self) -> float:
        """The factor at the best point."""
        return max(factor for _, factor in self.points)


def factors(result: ExperimentResult, metric: str, series: str, over: Baseline) -> Factors | None:
    """How many times less of a measure; None for the bits of a scheme that quantizes nothing."""
    if metric == "payload_bits" and (result.is_exact(series) or result.is_exact(over.series)):
        return None
    pairs = zip(result.curve(metric, over.series), result.curve(metric, series), strict=True)
    points = sorted((ours.x, over.value(theirs) / ours.mean) for theirs, ours in pairs)
    return Factors(series=series, points=tuple(points))


def compared(result: ExperimentResult, over: Baseline) -> Sequence[str]:
    """The series that stand against a baseline: all others, and itself if it was published."""
    return [series for series in result.series if over.published or series != over.series]
