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
from bitarm.experiments.findings import Findings
from bitarm.experiments.labels import NOUNS, label_of
from bitarm.experiments.theory import bounds_of

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
}
_OTHERS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#17becf", "#7f7f7f")
_BOUNDS = ((0, (4, 2)), (0, (1, 1)), (0, (6, 2, 1, 2)))  # dashes

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
    """One panel in both formats."""

    name: str
    group: str  # what it is shown with
    caption: str
    png: bytes
    svg: bytes


def draw_panel(
    findings: Findings, panel: Panel, series: Sequence[str], *, name: str, group: str
) -> Picture:
    """A measure of some series against the axis, the published points on top of ours."""
    with _styled():
        figure, axes = _blank(findings, panel.metric)
        compared = False
        drawn = [one for one in series if one not in panel.without]
        for number, one in enumerate(drawn):
            compared |= _draw_curve(axes, findings, panel.metric, one, number)
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
    findings: Findings, metric: str, series: Sequence[str], *, name: str, group: str
) -> Picture | None:
    """Measured prices between what theory allows and what it forbids; None without bounds."""
    with _styled():
        figure, axes = _blank(findings, metric)
        drawn = False
        for number, one in enumerate(series):
            _draw_curve(axes, findings, metric, one, number, compare=False)
            for bound, dashes in zip(bounds_of(findings, metric, one), _BOUNDS, strict=False):
                x, y = zip(*bound.points, strict=True)
                text = f"{label_of(one)}: {bound.label}"
                axes.plot(x, y, color=_look(one, number)[0], linestyle=dashes, label=text)
                drawn = True
        if not drawn:
            return None
        if metric != "rounds":
            axes.set_yscale("log")
        _legend(figure, *axes.get_legend_handles_labels())
        caption = f"{NOUNS[metric]} and their bounds"
        return _rendered(figure, name=name, group=group, caption=caption)


def _styled() -> AbstractContextManager[None]:
    return mpl.rc_context(_STYLE)  # type: ignore[arg-type]  # its keys are spelt out in its types


def _blank(findings: Findings, metric: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(4.4, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.set_xlabel(findings.experiment.axis.label)
    axes.set_ylabel(NOUNS[metric])
    return figure, axes


def _draw_curve(
    axes: Axes, findings: Findings, metric: str, series: str, number: int, *, compare: bool = True
) -> bool:
    """Draw ours, and the published points if there are any; says whether there were."""
    rows = sorted(findings.curve(metric, series), key=lambda row: row.x)
    colour, marker = _look(series, number)
    x, y = [row.x for row in rows], [row.mean for row in rows]
    spread = [2 * (row.sem or 0.0) for row in rows]
    axes.errorbar(x, y, spread, color=colour, linewidth=1.2, capsize=1.5, label=label_of(series))
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


def _look(series: str, number: int) -> tuple[str, str]:
    return _LOOKS.get(series, (_OTHERS[number % len(_OTHERS)], "o"))


def _legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str]) -> None:
    columns = 2 if max(map(len, labels)) < 30 else 1
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)


def _rendered(figure: Figure, *, name: str, group: str, caption: str) -> Picture:
    png, svg = io.BytesIO(), io.BytesIO()
    figure.savefig(png, format="png", dpi=150, metadata={"Software": None})
    figure.savefig(svg, format="svg", metadata={"Date": None})
    return Picture(name=name, group=group, caption=caption, png=png.getvalue(), svg=svg.getvalue())
