"""What the paper says of its curves, and we of ours, as checks that can fail."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

from bitarm.experiments.baselines import Baseline, factors
from bitarm.experiments.display_names import NOUNS, label_of
from bitarm.experiments.results import ExperimentResult, ResultRow

_NOISE = 4.0  # standard errors of a difference that are put down to chance


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence, and the points at which it does not hold."""

    text: str
    failures: Callable[[ExperimentResult], list[str]]
    on_published: bool = False  # whether it compares with published numbers


def fewer(metric: str, series: str, than: Sequence[str]) -> Claim:
    """One series needs less than others, everywhere on the axis."""

    def failures(result: ExperimentResult) -> list[str]:
        return [
            f"{metric} at x = {ours.x:.4g}: {ours.mean:.4g} against {theirs.mean:.4g} of {other}"
            for other in than
            for ours, theirs in zip(
                result.curve(metric, series), result.curve(metric, other), strict=True
            )
            if not ours.mean < theirs.mean
        ]

    others = _listed([label_of(other) for other in than])
    text = f"{label_of(series)} needs fewer {NOUNS[metric]} than {others}"
    return Claim(text=text, failures=failures)


def times_fewer(metric: str, series: str, over: Baseline, *, least: float) -> Claim:
    """One series needs less than a baseline by at least a factor, everywhere on the axis."""

    def failures(result: ExperimentResult) -> list[str]:
        found = factors(result, metric, series, over)
        assert found is not None  # whoever claims a factor compares schemes that have it
        return [
            f"{NOUNS[metric]} at x = {x:.4g}: {factor:.2f} times fewer"
            for x, factor in found.points
            if not factor >= least
        ]

    times = "fewer" if least == 1 else f"at least {least:g} times fewer"
    text = f"{label_of(series)} needs {times} {NOUNS[metric]} than {over.label}, at every point"
    return Claim(text=text, failures=failures, on_published=over.published)


def times_fewer_on_average(metric: str, series: str, over: Baseline, *, least: float) -> Claim:
    """A series needs `least` times less than a baseline, in the geometric mean over the axis."""

    def failures(result: ExperimentResult) -> list[str]:
        found = factors(result, metric, series, over)
        assert found is not None
        return [] if found.mean >= least else [f"{found.mean:.2f} times fewer {NOUNS[metric]}"]

    text = (
        f"{label_of(series)} needs at least {least:g} times fewer {NOUNS[metric]} "
        f"than {over.label}, in the geometric mean"
    )
    return Claim(text=text, failures=failures, on_published=over.published)


def falls(metric: str, series: str) -> Claim:
    """One measure falls with every step along the axis, as far as chance lets it be seen."""
    return _monotone(metric, series, "fall", sign=1)


def rises(metric: str, series: str) -> Claim:
    """One measure rises with every step along the axis, as far as chance lets it be seen."""
    return _monotone(metric, series, "rise", sign=-1)


def ends_lower(metric: str, series: str) -> Claim:
    """One measure is lower at the far end of the axis; on the way it may step up."""

    def failures(result: ExperimentResult) -> list[str]:
        rows = sorted(result.curve(metric, series), key=lambda row: row.x)
        first, last = rows[0].mean, rows[-1].mean
        return [] if last < first else [f"{metric} of {series}: {first:.5g}, then {last:.5g}"]

    return Claim(
        text=f"{NOUNS[metric]} of {label_of(series)} end lower than they begin", failures=failures
    )


def _monotone(metric: str, series: str, verb: str, sign: int) -> Claim:
    def failures(result: ExperimentResult) -> list[str]:
        rows = sorted(result.curve(metric, series), key=lambda row: row.x)
        wrong = [
            f"{metric} of {series} from x = {left.x:.4g} to {right.x:.4g}: "
            f"{left.mean:.5g}, then {right.mean:.5g}"
            for left, right in pairwise(rows)
            if sign * (right.mean - left.mean) > _NOISE * _joint_error(left, right)
        ]
        if not sign * (rows[-1].mean - rows[0].mean) < 0:
            wrong.append(f"{metric} of {series} does not {verb} from one end to the other")
        return wrong

    return Claim(text=f"{NOUNS[metric]} of {label_of(series)} {verb}", failures=failures)


def _joint_error(left: ResultRow, right: ResultRow) -> float:
    return float(((left.sem or 0.0) ** 2 + (right.sem or 0.0) ** 2) ** 0.5)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
