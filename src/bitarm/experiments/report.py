"""The report: one page that needs nothing but itself."""

import base64
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import groupby
from typing import Any, final

import jinja2

from bitarm.experiments.baselines import COMPARED, Baseline, Factors, compared, factors
from bitarm.experiments.catalog import BEYOND, PAPER, Study
from bitarm.experiments.claims import Claim
from bitarm.experiments.display_names import NOUNS, label_of
from bitarm.experiments.panels import Picture
from bitarm.experiments.peers import PeerRow
from bitarm.experiments.result_folder import Origin
from bitarm.experiments.results import Deviation, ExperimentResult
from bitarm.sim.processor_time import ProcessorTime
from bitarm.sim.statistics import Rate, clopper_pearson
from bitarm.sim.sweep import MEASURES


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A study with its result and its pictures."""

    study: Study
    result: ExperimentResult
    pictures: tuple[Picture, ...]
    peers: tuple[PeerRow, ...] = ()  # other strategies on the same arms, and ours among them

    @property
    def claims(self) -> list[tuple[Claim, list[str]]]:
        """The claims, each with the points at which it fails."""
        return [(claim, claim.failures(self.result)) for claim in self.study.analysis.claims]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """How often one series was wrong, at the point where it was wrong most often."""

    series: str
    errors: int  # in all points
    trials: int
    x: float
    worst: Rate
    delta: float

    @property
    def contradicts(self) -> bool:
        """Whether the exact interval lies above δ."""
        return self.worst.low > self.delta


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """All series against one baseline."""

    over: Baseline
    rows: tuple[tuple[str, dict[str, Factors]], ...]  # series, and its factors by measure


def render(scored: Sequence[Scored], *, origin: Origin, costs: Sequence[ProcessorTime]) -> str:
    """The page as HTML."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"percent": _percent, "label": label_of, "number": _number}
    environment.globals["noun"] = NOUNS
    source = resources.files(__package__).joinpath("report.html.jinja").read_text("utf-8")
    return environment.from_string(source).render(
        origin=origin,
        sections=[_section(one, origin) for one in scored],
        glance=[row for row in map(_glance, scored) if row is not None],
        cost=_summed(costs),
        measures=MEASURES,
        compared_measures=COMPARED,
    )


def _section(one: Scored, origin: Origin) -> dict[str, Any]:
    experiment = one.result.experiment
    deviations = one.result.deviations()
    return {
        "name": experiment.name,
        "of_paper": experiment.name in (*PAPER, "valid_sigma") or bool(deviations),
        "beyond": experiment.name in BEYOND,
        "title": experiment.title,
        "trials": one.result.trials,
        "instance": experiment.instance,
        "axis": experiment.axis,
        "settings": {
            series: experiment.words(series, experiment.axis.values[0])
            | {word: "x" for word, value in _placed(one.result, series) if value == "x"}
            for series in one.result.series
        },
        "groups": {
            group: [
                {"caption": picture.caption, "data": base64.b64encode(picture.svg).decode()}
                for picture in pictures
            ]
            for group, pictures in groupby(one.pictures, key=lambda picture: picture.group)
        },
        "deviations": _by_series(deviations),
        "median": statistics.median([deviation.median for deviation in deviations])
        if deviations
        else None,
        "claims": one.claims,
        "compared": [_compared(one.result, baseline) for baseline in one.study.analysis.baselines],
        "prices": _prices(one.result) if one.study.analysis.baselines else [],
        "notes": one.study.analysis.notes,
        "peers": one.peers,
        "errors": [_errors(one.result, series) for series in one.result.series]
        if origin.full
        else [],
    }


def _glance(one: Scored) -> dict[str, Any] | None:
    """The factors that stand for an experiment."""
    analysis = one.study.analysis
    if not analysis.headline:
        return None
    rows = dict(_compared(one.result, analysis.baselines[0]).rows)
    return {
        "name": one.result.experiment.name,
        "title": one.result.experiment.title,
        "over": analysis.baselines[0],
        "series": analysis.headline,
        "factors": rows[analysis.headline],
    }


def _compared(result: ExperimentResult, over: Baseline) -> Compared:
    rows = []
    for series in compared(result, over):
        found = {metric: factors(result, metric, series, over) for metric in COMPARED}
        rows.append(
            (series, {metric: factor for metric, factor in found.items() if factor is not None})
        )
    return Compared(over=over, rows=tuple(rows))


def _prices(result: ExperimentResult) -> list[dict[str, Any]]:
    """Every price of every series, a line for each value on the axis."""
    lines = []
    for x in result.experiment.axis.values:
        measured = {series: result.points[series, x].result for series in result.series}
        lines.append(
            {
                "x": result.experiment.axis.shown(x),
                "arms": len(result.experiment.models(x)),
                "cells": {
                    series: [getattr(averages, measure).mean for measure in MEASURES]
                    for series, averages in measured.items()
                },
            }
        )
    return lines


def _placed(result: ExperimentResult, series: str) -> list[tuple[str, Any]]:
    experiment = result.experiment
    own = {**experiment.series, **experiment.beyond}[series]
    return list({**experiment.settings, **own}.items())


def _by_series(deviations: Sequence[Deviation]) -> dict[str, dict[str, Deviation]]:
    table: dict[str, dict[str, Deviation]] = {}
    for deviation in deviations:
        table.setdefault(deviation.series, {})[deviation.metric] = deviation
    return table


def _errors(result: ExperimentResult, series: str) -> Errors:
    points = {x: result.points[series, x] for x in result.experiment.axis.values}
    rates = {
        x: clopper_pearson(point.result.errors, point.result.trials) for x, point in points.items()
    }
    worst = max(rates, key=lambda x: rates[x].low / points[x].setup.spec.delta)
    return Errors(
        series=series,
        errors=sum(point.result.errors for point in points.values()),
        trials=sum(point.result.trials for point in points.values()),
        x=result.experiment.axis.shown(worst),
        worst=rates[worst],
        delta=points[worst].setup.spec.delta,
    )


def _summed(costs: Sequence[ProcessorTime]) -> ProcessorTime | None:
    if not costs:
        return None
    return ProcessorTime(
        seconds=sum(cost.seconds for cost in costs),
        draw_seconds=sum(cost.draw_seconds for cost in costs),
    )


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
