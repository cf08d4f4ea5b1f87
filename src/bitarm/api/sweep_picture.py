"""A sweep as a picture: each measure against the word that varies most."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bitarm.api.extras import require
from bitarm.api.log_axis import make_logarithmic
from bitarm.core.vocabulary import vocabulary
from bitarm.core.words import WordKind
from bitarm.errors import ConfigError
from bitarm.sim.sweep import MEASURES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NUMBERS = (WordKind.NUMBER, WordKind.WHOLE)
_LOGARITHMIC = ("delta", "sigma")


def sweep_picture(settings: Sequence[Mapping[str, Any]]) -> "Figure":
    """A panel for each measure, with a curve for each kind of setting.

    `settings` are the results of a simulation's JSON. Those none of whose trials answered have no
    cost to show and are left out; ConfigError if that leaves nothing.
    """
    require("matplotlib", extra="sim", what="a plot")
    from matplotlib.figure import Figure

    points = [dict(point) for point in settings if point["samples"]["mean"] is not None]
    if not points:
        raise ConfigError("there is nothing to draw: no trial of any setting ended with an answer")
    axes = [name for name, word in vocabulary().words.items() if word.kind in _NUMBERS]
    axis = max(axes, key=lambda word: len(_values(points, word)))
    ends = _values(points, axis)
    curves = _curves(points, axis)
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    for panel, measure in zip(figure.subplots(1, len(MEASURES)), MEASURES, strict=True):
        for label, curve in curves.items():
            placed = [(x, point) for point in curve for x in _places(point, axis, ends)]
            x = [place for place, _ in placed]
            y = [point[measure]["mean"] for _, point in placed]
            spread = [2 * (point[measure]["sem"] or 0.0) for _, point in placed]
            panel.errorbar(x, y, spread, marker="o", markersize=3, capsize=2, label=label)
        panel.set_xlabel(axis)
        panel.set_title(measure)
        panel.grid(alpha=0.3)
        if axis in _LOGARITHMIC:
            make_logarithmic(panel, "x")
        if measure != "rounds":
            make_logarithmic(panel, "y")
    figure.legend(*panel.get_legend_handles_labels(), loc="outside right upper", fontsize="small")
    return figure


def _curves(points: list[dict[str, Any]], axis: str) -> dict[str, list[dict[str, Any]]]:
    """Points that differ in the axis alone, under a label of what tells them from the others."""
    others = [word for word in vocabulary().labelled if word != axis]
    varying = [word for word in others if len(_values(points, word)) > 1]
    curves: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for point in points:
        words = [
            vocabulary()[word].label(point[word]) for word in varying if point.get(word) is not None
        ]
        curves[", ".join(words) or point["quantizer"]].append(point)
    return {
        label: sorted(curve, key=lambda point: point.get(axis) or 0)
        for label, curve in curves.items()
    }


def _values(points: list[dict[str, Any]], word: str) -> list[Any]:
    """The different values that a word has in these points, ascending."""
    return sorted({point[word] for point in points if point.get(word) is not None})


def _places(point: dict[str, Any], axis: str, ends: list[Any]) -> list[Any]:
    """Where a point is drawn: at its value, or, if it has none, at both ends, as a line across."""
    return [point[axis]] if point.get(axis) is not None else [ends[0], ends[-1]]
