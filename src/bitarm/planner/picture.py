"""The trade-off as a picture: bits against samples, the plan, and what no strategy can beat."""

import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bitarm.api.log_axis import make_logarithmic
from bitarm.core.policies import SuccessiveElimination
from bitarm.errors import ConfigError
from bitarm.planner.plan import Plan
from bitarm.planner.search import Tried

_COLOURS = {
    "dyadic under challenge": "#17becf",
    "dicq": "#1f77b4",
    "icq": "#d62728",
    "quban": "#ff7f0e",
    "fed-sel": "#9467bd",
    "exact": "#e377c2",
}
_ROOM = 10  # times the largest of the curve, in samples and in bits
_STYLE: dict[str, Any] = {
    "svg.hashsalt": "bitarm",  # the same picture is the same bytes
    "svg.fonttype": "path",  # looks the same wherever it is opened
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


def draw_plan(plan: Plan, path: Path) -> None:
    """Write the picture; the file's ending names the format."""
    ending = path.suffix.lstrip(".").lower() or "svg"
    written = io.BytesIO()
    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]  # its keys are spelt out in its types
        figure = _figure(plan)
        try:
            # the same plan is the same bytes: no date in them
            when = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
            figure.savefig(written, format=ending, dpi=150, metadata=when)
            path.write_bytes(written.getvalue())
        except (OSError, ValueError) as error:
            raise ConfigError(f"the plot cannot be written to {path}: {error}") from None


def _figure(plan: Plan) -> Figure:
    figure = Figure(figsize=(7.2, 5.0), layout="constrained")
    axes = figure.subplots()
    for kind in dict.fromkeys(map(_kind, plan.others)):
        points = [tried for tried in plan.others if _kind(tried) == kind]
        _points(axes, points, colour=_COLOURS.get(kind, "#7f7f7f"), label=kind)
    axes.plot(
        [tried.figures.samples.mean for tried in plan.curve],
        [tried.figures.payload_bits.mean for tried in plan.curve],
        color="0.15",
        linewidth=1.3,
        marker="o",
        markersize=4,
        label="no setting beats these in both",
    )
    figures = plan.figures
    axes.errorbar(
        figures.samples.mean,
        figures.payload_bits.mean,
        xerr=_within(figures.samples.mean, figures.samples.sd),
        yerr=_within(figures.payload_bits.mean, figures.payload_bits.sd),
        color="#2ca02c",
        marker="*",
        markersize=14,
        capsize=2,
        linewidth=1,
        zorder=5,
        label="the plan, ± a standard deviation of runs",
    )
    if plan.lower_bound > 0:
        axes.axvline(plan.lower_bound, color="0.4", linestyle=(0, (4, 2)), linewidth=1)
        axes.annotate(
            "lower bound on samples",
            (plan.lower_bound, 1),
            xycoords=("data", "axes fraction"),
            xytext=(4, -4),
            textcoords="offset points",
            rotation=90,
            va="top",
            color="0.4",
            fontsize=8,
        )
    _frame(axes, plan)
    make_logarithmic(axes, "x")
    make_logarithmic(axes, "y")
    axes.set_xlabel("samples, all arms")
    axes.set_ylabel("payload bits, all arms")
    axes.set_title(_title(plan), fontsize=9, loc="left")
    figure.legend(loc="outside lower center", ncols=3)  # beside the points, not over them
    return figure


def _kind(tried: Tried) -> str:
    quantizer, policy, _ = tried.setting.kind
    return quantizer if policy == SuccessiveElimination.name else f"{quantizer} under {policy}"


def _frame(axes: Axes, plan: Plan) -> None:
    """Settings that cost many times what the curve does are left outside."""
    drawn = [*(tried.figures for tried in plan.curve), plan.figures]
    samples = [figures.samples.mean for figures in drawn]
    bits = [max(figures.payload_bits.mean, 1.0) for figures in drawn]
    left = min(samples) if plan.lower_bound <= 0 else min(*samples, plan.lower_bound)
    axes.set_xlim(left / 1.4, max(samples) * _ROOM)
    axes.set_ylim(min(bits) / 2, max(bits) * _ROOM)


def _points(axes: Axes, points: list[Tried], *, colour: str, label: str) -> None:
    axes.plot(
        [tried.figures.samples.mean for tried in points],
        [tried.figures.payload_bits.mean for tried in points],
        linestyle="",
        marker=".",
        color=colour,
        alpha=0.45,
        label=label,
    )


def _within(mean: float, sd: float) -> list[list[float]]:
    """Error bars that stay above 0, which a logarithmic axis does not have."""
    return [[min(sd, 0.9 * mean)], [sd]]


def _title(plan: Plan) -> str:
    task = plan.task
    (guess,) = (f"{word.replace('_', ' ')} {value}" for word, value in _guess(plan).items())
    bounds = "" if task.bounds is None else f", in [{task.bounds[0]:g}, {task.bounds[1]:g}]"
    sigma = "" if task.sigma is None else f", σ = {task.sigma:g}"
    return f"{task.arms} arms, δ = {task.delta:g}{sigma}{bounds}, {guess}"


def _guess(plan: Plan) -> dict[str, Any]:
    guess = plan.task.guess.to_json()
    gaps = guess.get("gaps", ())
    return {"gaps": f"{min(gaps):g} to {max(gaps):g}"} if gaps else guess
