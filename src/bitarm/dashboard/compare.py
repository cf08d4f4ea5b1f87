"""Runs and saved simulations side by side: what each cost, and what no strategy could undercut."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, final

from bitarm.core.outcome import Outcome
from bitarm.core.plain import to_plain
from bitarm.core.policy import tolerance_of
from bitarm.core.result import RAW_REWARD_BYTES
from bitarm.core.vocabulary import labels, vocabulary
from bitarm.dashboard.history import History
from bitarm.errors import ConfigError
from bitarm.theory import counting_bound, lower_bound

_RAW_REWARD_BITS = 8 * RAW_REWARD_BYTES


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SavedResult:
    """What `bitarm simulate --json` printed, and the name of the file that it was kept in."""

    name: str
    simulation: dict[str, Any]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What to compare."""

    runs: list[int]
    results: list[SavedResult]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPoint:
    """One run, or one setting of a simulation, with its price."""

    source: Literal["run", "simulation"]
    label: str
    scheme: str  # what tells its setting from those of the others
    words: dict[str, Any]  # its setting, every word
    outcome: str | None  # of a run
    trials: int | None  # of a simulation
    rounds: float
    samples: float
    samples_sem: float | None
    payload_bits: float
    payload_bits_sem: float | None
    raw_bits: float
    error_rate: float | None
    delta: float | None  # None under a fixed budget
    lower_bound: float | None  # on the expected samples, for Gaussian arms of these means
    lower_bound_note: str
    least_bits: float | None  # on the expected bits of any scheme that asks its agents


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPoints:
    """What was compared, in the order in which it was asked for."""

    points: list[ComparedPoint]


def compared(points: Sequence[ComparedPoint]) -> ComparedPoints:
    """The points, each with a label of what tells it from the others."""
    told = labels([point.words for point in points], always=("quantizer", "policy"))
    return ComparedPoints(
        points=[
            replace(
                point,
                scheme=scheme,
                label=point.label if point.source == "run" else f"{point.label}: {scheme}",
            )
            for point, scheme in zip(points, told, strict=True)
        ]
    )


def point_of_run(history: History) -> ComparedPoint:
    """The price of a run so far."""
    row, spec = history.row(), history.spec
    bound: float | None = None
    least: float | None = None
    note = "only a decided run has means that are known well enough"
    if row.outcome == Outcome.DECIDED.value:
        means = [arm.mean for arm in history.standings.arms if arm.mean is not None]
        bound, note = _bound(means, spec.sigma, spec.delta, "at the means as decoded")
        epsilon = tolerance_of(history.standings.opened.setup.policy)
        least = _least_bits(means, spec.delta, spec.bounds, epsilon)
    return ComparedPoint(
        source="run",
        label=f"run {row.run}",
        scheme="",
        words=to_plain(history.standings.opened.setup.words),
        outcome=row.outcome or "open",
        trials=None,
        rounds=row.rounds,
        samples=row.samples,
        samples_sem=None,
        payload_bits=row.payload_bits,
        payload_bits_sem=None,
        raw_bits=row.raw_bits,
        error_rate=None,
        delta=row.delta,
        lower_bound=bound,
        lower_bound_note=note,
        least_bits=least,
    )


def points_of_result(saved: SavedResult) -> list[ComparedPoint]:
    """The settings of a saved simulation; ConfigError if the file is none."""
    try:
        settings = saved.simulation["results"]
        answered = (result for result in settings if result["samples"]["mean"] is not None)
        return [_point(saved, result) for result in answered]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{saved.name} is no result of `bitarm simulate --json`: "
            f"{type(error).__name__}: {error}"
        ) from None


def _point(saved: SavedResult, result: Mapping[str, Any]) -> ComparedPoint:
    means = saved.simulation.get("means", [])
    delta = _optional(result["delta"])
    bound, note = _bound(means, _number(result["sigma"]), delta, "at the true means")
    samples = _number(result["samples"]["mean"])
    return ComparedPoint(
        source="simulation",
        label=saved.name,
        scheme="",
        words={"quantizer": result["quantizer"], "policy": result["policy"]}
        | {word: result[word] for word in vocabulary().words if word in result},
        outcome=None,
        trials=int(_number(saved.simulation["trials"])),
        rounds=_number(result["rounds"]["mean"]),
        samples=samples,
        samples_sem=_optional(result["samples"]["sem"]),
        payload_bits=_number(result["payload_bits"]["mean"]),
        payload_bits_sem=_optional(result["payload_bits"]["sem"]),
        raw_bits=_RAW_REWARD_BITS * samples,
        error_rate=_number(result["error_rate"]["value"]),
        delta=delta,
        lower_bound=bound,
        lower_bound_note=note,
        least_bits=_least_bits(means, delta, result.get("bounds"), result.get("epsilon") or 0.0),
    )


def _bound(
    means: Sequence[float], sigma: float, delta: float | None, where: str
) -> tuple[float | None, str]:
    """The least expected samples, and for what; None and why if there is no such number."""
    if delta is None:
        return None, "a fixed budget has no delta that it would bound"
    try:
        samples = lower_bound([_number(mean) for mean in means], sigma=sigma, delta=delta).samples
    except ConfigError as error:
        return None, str(error)
    if not math.isfinite(samples):
        return None, "two arms share the best mean"
    return samples, where


def _least_bits(
    means: Sequence[float], delta: float | None, bounds: Sequence[float] | None, epsilon: float
) -> float | None:
    """The least expected bits of any scheme; None if no means or no δ make such a number."""
    if delta is None:
        return None
    try:
        return counting_bound(
            [_number(mean) for mean in means],
            delta=delta,
            bounds=None if bounds is None else (_number(bounds[0]), _number(bounds[1])),
            epsilon=_number(epsilon),
        ).payload_bits
    except ConfigError:
        return None


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(f"expected a number, got {value!r}")
    return float(value)


def _optional(value: Any) -> float | None:
    return None if value is None else _number(value)
