"""The pictures: our curves with their errors, the published points marked on top."""

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bitarm.experiments.analysis import Panel
from bitarm.experiments.baselines import Baseline, compared, factors
from bitarm.experiments.display_names import NOUNS, label_of
from bitarm.experiments.results import ExperimentResult
from bitarm.experiments.theory_bounds import Bound, floors, message_floors, promises

# The paper's colours and markers, so that its figures and ours can be laid side by side.
_LOOKS = {
    "quban-eps2": ("#ff7f0e", "^"),
    "quban-eps0.5": ("#2ca02c", "^"),
    "fed-sel": ("#9467bd", "o"),
    "fed-sel-sound": ("#9467bd", "s"),
    "icq-b2": ("#d62728", "D"),
    "icq-b3": ("#8c564b", "D"),
    "exact": ("#e377c2", "s"),
    "icq-b1": ("#1f77b4", "o"),
    "icq": ("#1f77b4", "o"),
    "exact-as-published": ("#f7b6d2", "s"),
    "icq-b3-as-published": ("#c49c94", "D"),
    "icq-b3-lucb": ("#17becf", "v"),
    "icq-b3-lil-ucb": ("#bcbd22", "v"),
    "icq-b3-pairwise": ("#e8a33d", "D"),
    "dicq-pairwise": ("#9ecae1", "o"),
    "dicq-mixture": ("#3182bd", "o"),
    "challenge": ("#00441b", "P"),
}
_OTHERS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#17becf", "#7f7f7f")
_DASHES = ((0, (4, 2)), (0, (1, 1)))
_FLOOR = "0.35"  # a grey: a lower bound is of no scheme

_STYLE: dict[str, Any] = {
    "svg.hashsalt": "bitarm",  # the same picture is the same bytes
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One panel as PNG and as SVG."""

    name: str
    group: str  # what it is shown with
    caption: str
    png: bytes
    svg: bytes


def draw_panel(
    result: ExperimentResult, panel: Panel, series: Sequence[str], *, name: str, group: str
) -> Picture:
    """A measure of some series against the axis, the published points on top of ours."""
    with _styled():
        figure, axes = _blank(result, panel.metric)
        compared = False
        drawn = [one for one in series if one not in panel.without]
        for number, one in enumerate(drawn):
            compared |= _draw_curve(axes, result, panel.metric, one, number)
        handles, labels = axes.get_legend_handles_labels()
        if compared:
            handles.append(Line2D([], [], color="0.25", marker="o", linestyle="", fillstyle="none"))
            labels.append("published")
        if panel.logarithmic:
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        _legend(figure, handles, labels)
        letter = f"({panel.letter}) " if panel.letter else ""
        caption = f"{letter}{NOUNS[panel.metric]}"
        return _rendered(figure, name=name, group=group, caption=caption)


def draw_bounds(
    result: ExperimentResult, metric: str, series: Sequence[str], *, name: str, group: str
) -> Picture | None:
    """Measured prices between what theory allows and what it forbids; None without bounds."""
    with _styled():
        figure, axes = _blank(result, metric)
        drawn = False
        for number, one in enumerate(series):
            _draw_curve(axes, result, metric, one, number, compare=False)
            drawn |= _draw_bounds(
                axes, result, promises(result, metric, one), _look(one, number)[0], one
            )
        drawn |= _draw_bounds(axes, result, floors(result, metric), _FLOOR)
        if not drawn:
            return None
        if metric != "rounds":
            axes.set_yscale("log")
        _legend(figure, *axes.get_legend_handles_labels())
        caption = f"{NOUNS[metric]} and their bounds"
        return _rendered(figure, name=name, group=group, caption=caption)


def draw_floors(
    result: ExperimentResult, metric: str, series: Sequence[str], *, name: str, group: str
) -> Picture | None:
    """Measured prices above what theory forbids, to any scheme and to messages such as these."""
    with _styled():
        figure, axes = _blank(result, metric)
        for number, one in enumerate(series):
            _draw_curve(axes, result, metric, one, number, compare=False)
            if metric == "payload_bits" and result.experiment.instance.offsets != (0.0,):
                # a law of messages needs means that no code can know
                _draw_bounds(axes, result, message_floors(result, one), _look(one, number)[0], one)
        if not _draw_bounds(axes, result, floors(result, metric), _FLOOR):
            return None
        axes.set_yscale("log")
        _legend(figure, *axes.get_legend_handles_labels())
        caption = f"{NOUNS[metric]}, and what none can undercut"
        return _rendered(figure, name=name, group=group, caption=caption)


def draw_factors(
    result: ExperimentResult, metric: str, over: Baseline, *, name: str, group: str
) -> Picture | None:
    """How many times less than a baseline each series needs; None if no series can be compared."""
    with _styled():
        figure, axes = _blank(result, metric)
        axes.set_ylabel(f"times fewer {NOUNS[metric]}")
        for number, one in enumerate(compared(result, over)):
            found = factors(result, metric, one, over)
            if found is not None:
                colour, marker = _look(one, number)
                x, y = zip(*found.points, strict=True)
                line, mark = ("", marker) if _stands_apart(result) else ("-", "")
                axes.plot(x, y, color=colour, linestyle=line, marker=mark, label=label_of(one))
        handles, labels = axes.get_legend_handles_labels()
        if not handles:
            return None
        axes.axhline(1.0, color="0.4", linewidth=0.8)
        axes.set_ylim(bottom=0)
        _legend(figure, handles, labels)
        return _rendered(figure, name=name, group=group, caption=f"times fewer {NOUNS[metric]}")


def _draw_bounds(
    axes: Axes, result: ExperimentResult, bounds: Sequence[Bound], colour: str, series: str = ""
) -> bool:
    """Draw what bounds there are; says whether there were any."""
    prefix = f"{label_of(series)}: " if series else ""
    for bound, dashes in zip(bounds, _DASHES, strict=False):
        x, y = zip(*sorted(bound.points), strict=True)
        label = f"{prefix}{bound.label}"
        if _stands_apart(result):
            axes.plot(x, y, color=colour, linestyle="", marker="_", markersize=9, label=label)
        else:
            axes.plot(x, y, color=colour, linestyle=dashes, label=label)
    return bool(bounds)


def _styled() -> AbstractContextManager[None]:
    return mpl.rc_context(_STYLE)  # type: ignore[arg-type]  # its keys are spelt out in its types


def _blank(result: ExperimentResult, metric: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(4.4, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.set_xlabel(result.experiment.axis.label)
    axes.set_ylabel(NOUNS[metric])
    return figure, axes


def _draw_curve(
    axes: Axes,
    result: ExperimentResult,
    metric: str,
    series: str,
    number: int,
    *,
    compare: bool = True,
) -> bool:
    """Draw ours, and the published points if there are any; says whether there were."""
    rows = sorted(result.curve(metric, series), key=lambda row: row.x)
    colour, marker = _look(series, number)
    x, y = [row.x for row in rows], [row.mean for row in rows]
    spread = [2 * (row.sem or 0.0) for row in rows]
    axes.errorbar(
        x,
        y,
        spread,
        color=colour,
        linewidth=1.2,
        capsize=1.5,
        fmt=marker if _stands_apart(result) else "-",
        markersize=4,
        label=label_of(series),
    )
    paper = [(row.x, row.paper_mean) for row in rows if row.paper_mean is not None]
    if compare and paper:
        axes.plot(
            *zip(*paper, strict=True),
            color=colour,
            marker=marker,
            linestyle="",
            fillstyle="none",
            markersize=5,
        )
    return compare and bool(paper)


def _stands_apart(result: ExperimentResult) -> bool:
    """Whether a line between two points of the axis would say nothing."""
    return bool(result.experiment.instance.each)


def _look(series: str, number: int) -> tuple[str, str]:
    return _LOOKS.get(series, (_OTHERS[number % len(_OTHERS)], "o"))


def _legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str]) -> None:
    columns = 2 if max(map(len, labels)) < 30 else 1
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)


def _rendered(figure: Figure, *, name: str, group: str, caption: str) -> Picture:
    png, svg = io.BytesIO(), io.BytesIO()
    figure.savefig(png, format="png", dpi=150, metadata={"Software": None})
    figure.set_layout_engine("none")  # it is laid out now: again would take as long as drawing
    figure.savefig(svg, format="svg", metadata={"Date": None})
    return Picture(name=name, group=group, caption=caption, png=png.getvalue(), svg=svg.getvalue())
