"""bitarm beside others: figures that were published for the same arms and δ, and ours.

Published figures are data with their source (`peers.csv`). They are compared with, and enter no
result of ours.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import final

from bitarm.experiments.display_names import label_of
from bitarm.experiments.full_bets import run_full_bets
from bitarm.experiments.results import ExperimentResult


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PeerFigure:
    """The mean samples of one strategy on one instance."""

    samples: float
    sem: float | None = None  # None where none was published
    bits: float | None = None  # None: it sees every reward
    wrong: float | None = None  # share of runs; None where it was not published


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PeerRow:
    """One strategy on all instances."""

    strategy: str
    source: str  # who measured it
    note: str
    figures: tuple[PeerFigure, ...]  # by instance


@cache
def published_rows() -> tuple[PeerRow, ...]:
    """The published figures, in their order."""
    text = resources.files(__package__).joinpath("peers.csv").read_text("utf-8")
    found: dict[tuple[str, str, str], list[PeerFigure]] = {}
    for row in csv.DictReader(text.splitlines()):
        key = row["strategy"], row["source"], row["note"]
        found.setdefault(key, []).append(PeerFigure(samples=float(row["samples"])))
    return tuple(
        PeerRow(strategy=strategy, source=source, note=note, figures=tuple(figures))
        for (strategy, source, note), figures in found.items()
    )


def peer_rows(result: ExperimentResult) -> tuple[PeerRow, ...]:
    """Ours and theirs, those that take fewest samples on the first instance first."""
    rows = [*published_rows(), *_ours(result)]
    return tuple(sorted(rows, key=lambda row: row.figures[0].samples))


def _ours(result: ExperimentResult) -> Iterator[PeerRow]:
    """A row for every series, and what its evidence can do where all rewards are seen."""
    source = f"bitarm, {result.trials:,} runs"
    instances = result.experiment.axis.values
    for series in result.series:
        points = [result.points[series, x].result for x in instances]
        yield PeerRow(
            strategy=label_of(series),
            source=source,
            note="",
            figures=tuple(
                PeerFigure(
                    samples=point.samples.mean,
                    sem=point.samples.sem,
                    bits=None if result.is_exact(series) else point.payload_bits.mean,
                    wrong=point.errors / result.trials,
                )
                for point in points
            ),
        )
    yield PeerRow(
        strategy="bets on every reward, seen in one place",
        source=source,
        note="no σ",
        figures=tuple(_full_bets(result, instances)),
    )


def _full_bets(result: ExperimentResult, instances: Sequence[float]) -> Iterator[PeerFigure]:
    for x in instances:
        series = result.series[0]
        found = run_full_bets(
            [model.mean for model in result.experiment.models(x)],
            delta=result.points[series, x].setup.spec.delta,
            trials=result.trials,
            seed=result.seed,
        )
        yield PeerFigure(
            samples=found.samples.mean, sem=found.samples.sem, wrong=found.wrong / result.trials
        )
