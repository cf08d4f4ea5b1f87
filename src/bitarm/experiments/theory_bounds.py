"""What theory says of a curve: the bounds beside which measured prices are drawn."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final

from bitarm.core.confidence import Intervals, Stride
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.setup import Setup
from bitarm.experiments.message_bounds import rate_bits, shortest_bits
from bitarm.experiments.results import ExperimentResult
from bitarm.sim.models import Gaussian
from bitarm.theory import (
    NoBound,
    closed_form,
    counting_bound,
    lower_bound,
    on_good_event,
)

Value = Callable[[float], float | None]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A bound on one measure, where it exists."""

    label: str
    points: tuple[tuple[float, float], ...]  # position on the axis, value


def promises(result: ExperimentResult, metric: str, series: str) -> list[Bound]:
    """Upper bounds of a series under `se` that judges by intervals."""
    return _found(
        result,
        {
            "explicit bound (holds with probability 1 − δ)": _explicit(result, metric, series),
            "closed form, corrected": _closed(result, metric, series),
        },
    )


def floors(result: ExperimentResult, metric: str) -> list[Bound]:
    """What no sound scheme can beat on average."""
    series = result.series[0]  # all have the same arms and δ
    lower = {
        "samples": {"lower bound for any scheme, T*·kl(δ, 1 − δ)": _least_samples(result, series)},
        "payload_bits": {"lower bound for any scheme, K·(1 − 2δ)": _least_bits(result, series)},
    }
    return _found(result, lower.get(metric, {}))


def message_floors(result: ExperimentResult, series: str) -> list[Bound]:
    """What messages that say what those of a series say must cost, if means are not known."""
    return _found(
        result,
        {
            "its messages in the best prefix code": shortest_bits(result, series),
            "any code as near in mean square": rate_bits(result, series),
        },
    )


def _found(result: ExperimentResult, values: Mapping[str, Value]) -> list[Bound]:
    axis = result.experiment.axis
    found = []
    for label, value in values.items():
        points = [(axis.shown(x), value(x)) for x in axis.values]
        drawn = tuple((x, y) for x, y in points if y is not None and math.isfinite(y))
        if drawn:
            found.append(Bound(label=label, points=drawn))
    return found


def _explicit(result: ExperimentResult, metric: str, series: str) -> Value:
    def value(x: float) -> float | None:
        setup = result.points[series, x].setup
        if not _judges_by_intervals(setup):
            return None
        bound = on_good_event(setup.spec, _means(result, x))
        return None if isinstance(bound, NoBound) else getattr(bound, metric)

    return value


def _closed(result: ExperimentResult, metric: str, series: str) -> Value:
    def value(x: float) -> float | None:
        form = closed_form(result.points[series, x].setup.spec, _means(result, x))
        if isinstance(form, NoBound) or not form.proven:
            return None
        number: float | None = getattr(form, metric)
        return number

    return value


def _least_samples(result: ExperimentResult, series: str) -> Value:
    """The lower bound on samples. Of Gaussian arms only: others may be easier with the same σ."""

    def value(x: float) -> float | None:
        models = result.experiment.models(x)
        if not all(isinstance(model, Gaussian) for model in models):
            return None
        delta = result.points[series, x].setup.spec.delta
        return lower_bound(_means(result, x), sigma=models[0].sigma, delta=delta).samples

    return value


def _least_bits(result: ExperimentResult, series: str) -> Value:
    def value(x: float) -> float | None:
        spec = result.points[series, x].setup.spec
        means = _means(result, x)
        return counting_bound(means, delta=spec.delta, bounds=spec.bounds).payload_bits

    return value


def _judges_by_intervals(setup: Setup) -> bool:
    confidence = setup.spec.sampling.confidence(Stride.TOGETHER)
    return isinstance(setup.policy, SuccessiveElimination) and isinstance(confidence, Intervals)


def _means(result: ExperimentResult, x: float) -> list[float]:
    return [model.mean for model in result.experiment.models(x)]
