"""What theory says of a curve: the bounds beside which measured prices are drawn."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from bitarm.core.theory import NoBound, closed_form, lower_bound, on_good_event
from bitarm.experiments.findings import Findings
from bitarm.sim.models import Gaussian

Value = Callable[[str, float], float | None]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A bound on one measure of one series, where it exists."""

    label: str
    points: tuple[tuple[float, float], ...]  # position on the axis, value


def bounds_of(findings: Findings, metric: str, series: str) -> list[Bound]:
    """Upper bounds of a series under `se`, and what no strategy can beat."""
    values = {
        "explicit bound (holds with probability 1 − δ)": _explicit(findings, metric, series),
        "closed form, corrected": _closed(findings, metric, series),
        "lower bound, T*·kl(δ, 1 − δ)": _lower(findings, metric, series),
    }
    axis = findings.experiment.axis
    found = []
    for label, value in values.items():
        points = [(axis.shown(x), value(x)) for x in axis.values]
        drawn = tuple((x, y) for x, y in points if y is not None and math.isfinite(y))
        if drawn:
            found.append(Bound(label=label, points=drawn))
    return found


def _explicit(findings: Findings, metric: str, series: str) -> Callable[[float], float | None]:
    def value(x: float) -> float | None:
        bound = on_good_event(findings.points[series, x].scheme.spec, _means(findings, x))
        return None if isinstance(bound, NoBound) else getattr(bound, metric)

    return value


def _closed(findings: Findings, metric: str, series: str) -> Callable[[float], float | None]:
    def value(x: float) -> float | None:
        form = closed_form(findings.points[series, x].scheme.spec, _means(findings, x))
        if isinstance(form, NoBound) or not form.proven:
            return None
        number: float | None = getattr(form, metric)
        return number

    return value


def _lower(findings: Findings, metric: str, series: str) -> Callable[[float], float | None]:
    """For Gaussian arms only: others may be easier than Gaussian ones with their σ."""

    def value(x: float) -> float | None:
        models = findings.experiment.models(x)
        if metric != "samples" or not all(isinstance(model, Gaussian) for model in models):
            return None
        spec = findings.points[series, x].scheme.spec
        return lower_bound(_means(findings, x), sigma=models[0].sigma, delta=spec.delta).samples

    return value


def _means(findings: Findings, x: float) -> list[float]:
    return [model.mean for model in findings.experiment.models(x)]
