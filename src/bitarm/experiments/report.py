"""The report: one page that needs nothing but itself."""

import base64
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import groupby
from typing import Any, final

import jinja2

from bitarm.experiments.catalog import BEYOND, Study
from bitarm.experiments.claims import Claim
from bitarm.experiments.factors import COMPARED, Baseline, Factors, compared, factors
from bitarm.experiments.findings import Deviation, Findings
from bitarm.experiments.folder import Origin
from bitarm.experiments.labels import NOUNS, label_of
from bitarm.experiments.panels import Picture
from bitarm.sim.cost import Cost
from bitarm.sim.statistics import Rate, clopper_pearson
from bitarm.sim.sweep import MEASURES


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A study with its results and pictures."""

    study: Study
    findings: Findings
    pictures: tuple[Picture, ...]

    @property
    def claims(self) -> list[tuple[Claim, list[str]]]:
        """The claims, each with the points at which it fails."""
        return [(claim, claim.failures(self.findings)) for claim in self.study.analysis.claims]


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


def render(scored: Sequence[Scored], *, origin: Origin, costs: Sequence[Cost]) -> str:
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
        glance=[it for it in map(_glance, scored) if it is not None],
        cost=_summed(costs),
        measures=MEASURES,
        compared_measures=COMPARED,
    )


def _section(one: Scored, origin: Origin) -> dict[str, Any]:
    experiment = one.findings.experiment
    deviations = one.findings.deviations()
    return {
        "name": experiment.name,
        "beyond": experiment.name in BEYOND,
        "title": experiment.title,
        "trials": one.findings.trials,
        "instance": experiment.instance,
        "axis": experiment.axis,
        "settings": {
            series: experiment.words(series, experiment.axis.values[0])
            | {word: "x" for word, value in _placed(one.findings, series) if value == "x"}
            for series in one.findings.series
        },
        "groups": {
            group: [
                {"caption": it.caption, "data": base64.b64encode(it.svg).decode()}
                for it in pictures
            ]
            for group, pictures in groupby(one.pictures, key=lambda picture: picture.group)
        },
        "deviations": _by_series(deviations),
        "median": statistics.median([it.median for it in deviations]) if deviations else None,
        "claims": one.claims,
        "compared": [_compared(one.findings, it) for it in one.study.analysis.baselines],
        "prices": _prices(one.findings) if one.study.analysis.baselines else [],
        "notes": one.study.analysis.notes,
        "errors": [_errors(one.findings, it) for it in one.findings.series] if origin.full else [],
    }


def _glance(one: Scored) -> dict[str, Any] | None:
    """The factors that stand for an experiment."""
    analysis = one.study.analysis
    if not analysis.headline:
        return None
    rows = dict(_compared(one.findings, analysis.baselines[0]).rows)
    return {
        "name": one.findings.experiment.name,
        "title": one.findings.experiment.title,
        "over": analysis.baselines[0],
        "series": analysis.headline,
        "factors": rows[analysis.headline],
    }


def _compared(findings: Findings, over: Baseline) -> Compared:
    rows = []
    for series in compared(findings, over):
        found = {metric: factors(findings, metric, series, over) for metric in COMPARED}
        rows.append((series, {metric: it for metric, it in found.items() if it is not None}))
    return Compared(over=over, rows=tuple(rows))


def _prices(findings: Findings) -> list[dict[str, Any]]:
    """Every price of every series, a line for each value on the axis."""
    lines = []
    for x in findings.experiment.axis.values:
        results = {series: findings.points[series, x].result for series in findings.series}
        lines.append(
            {
                "x": findings.experiment.axis.shown(x),
                "arms": len(findings.experiment.models(x)),
                "cells": {
                    series: [getattr(result, measure).mean for measure in MEASURES]
                    for series, result in results.items()
                },
            }
        )
    return lines


def _placed(findings: Findings, series: str) -> list[tuple[str, Any]]:
    experiment = findings.experiment
    own = {**experiment.series, **experiment.beyond}[series]
    return list({**experiment.settings, **own}.items())


def _by_series(deviations: Sequence[Deviation]) -> dict[str, dict[str, Deviation]]:
    table: dict[str, dict[str, Deviation]] = {}
    for it in deviations:
        table.setdefault(it.series, {})[it.metric] = it
    return table


def _errors(findings: Findings, series: str) -> Errors:
    points = {x: findings.points[series, x] for x in findings.experiment.axis.values}
    rates = {
        x: clopper_pearson(point.result.errors, point.result.samples.count)
        for x, point in points.items()
    }
    worst = max(rates, key=lambda x: rates[x].low / points[x].setup.spec.delta)
    return Errors(
        series=series,
        errors=sum(point.result.errors for point in points.values()),
        trials=sum(point.result.samples.count for point in points.values()),
        x=findings.experiment.axis.shown(worst),
        worst=rates[worst],
        delta=points[worst].setup.spec.delta,
    )


def _summed(costs: Sequence[Cost]) -> Cost | None:
    if not costs:
        return None
    return Cost(
        seconds=sum(cost.seconds for cost in costs),
        draw_seconds=sum(cost.draw_seconds for cost in costs),
    )


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
