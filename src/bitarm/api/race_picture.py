"""The race as a picture: every arm's mean and interval, against its pulls."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bitarm.api.extras import require
from bitarm.api.log_axis import make_logarithmic
from bitarm.core.guarantee import at_most
from bitarm.core.result import RunResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bitarm.api.identification import HistoryEntry  # which draws its race with this

_MOST_ARMS = 10  # as many as there are colours


def race_picture(result: RunResult, history: "Sequence[HistoryEntry]") -> "Figure":
    """A curve with a band for each arm; a cross where it fell, a ring at the answer or the leader.

    If there are many, those that went furthest have names and colours, and the others are grey.
    """
    require("matplotlib", extra="sim", what="a plot")
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    panel = figure.subplots()
    furthest = sorted(range(len(result.arms)), key=lambda arm: -result.arms[arm].pulls)
    named = set(furthest[:_MOST_ARMS])
    marked = result.best_arm if result.best_arm is not None else result.leader
    curves: dict[int, list[HistoryEntry]] = defaultdict(list)
    for report in history:
        curves[report.arm].append(report)
    others = [
        list(zip(_pulls(result, reports), [report.mean for report in reports], strict=True))
        for number, reports in curves.items()
        if number not in named
    ]
    panel.add_collection(LineCollection(others, colors="0.85", zorder=0))
    for number in sorted(named & curves.keys()):
        arm, reports = result.arms[number], curves[number]
        pulls, means = _pulls(result, reports), [report.mean for report in reports]
        (line,) = panel.plot(pulls, means, marker=".", label=arm.name)
        radii = [report.radius or 0.0 for report in reports]
        least, most = result.bounds or (-math.inf, math.inf)
        low = [max(mean - radius, least) for mean, radius in zip(means, radii, strict=True)]
        high = [min(mean + radius, most) for mean, radius in zip(means, radii, strict=True)]
        panel.fill_between(pulls, low, high, color=line.get_color(), alpha=0.12, linewidth=0)
        if len(set(pulls)) == 1:  # a band without width would not be seen
            panel.vlines(pulls, low, high, color=line.get_color(), alpha=0.3)
        if arm.dropped_in is not None:
            panel.plot(pulls[-1], means[-1], "x", color=line.get_color(), markersize=8)
        if number == marked:
            panel.plot(pulls[-1], means[-1], "o", color=line.get_color(), markersize=11, mfc="none")
    if result.bounds is not None:
        margin = (result.bounds[1] - result.bounds[0]) / 20
        panel.set_ylim(result.bounds[0] - margin, result.bounds[1] + margin)
    make_logarithmic(panel, "x")
    panel.set_xlabel("pulls of the arm")
    panel.set_ylabel("mean reward, as decoded")
    panel.set_title(_title(result), loc="left")
    panel.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize="small")
    return figure


def _pulls(result: RunResult, reports: "Sequence[HistoryEntry]") -> list[int]:
    """After how many pulls an arm reported: one that gave up, before those it was asked for."""
    return [min(report.pulls, result.arms[report.arm].pulls) for report in reports]


def _title(result: RunResult) -> str:
    if result.best_arm_name is not None:
        answer = f"best arm: {result.best_arm_name}"
        if result.guarantee is None:
            return answer
        return f"{answer}, wrong with probability at most {at_most(result.guarantee)}"
    leads = "" if result.leader_name is None else f"; {result.leader_name} leads"
    if result.lead == 0:
        leads = f"; {result.leader_name} level with {result.runner_up_name}"
    return f"no answer ({result.outcome.value.replace('_', ' ')}){leads}"
