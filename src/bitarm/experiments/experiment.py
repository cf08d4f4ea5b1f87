"""What an experiment runs: the SWEEP of its file, checked.

    SWEEP = {
        "title":    what the panels show,
        "x":        {"label": ..., "values": [...], "scale": "x" or "ln(1/x)"},
        "trials":   of every point, unless told otherwise,
        "arms":     {"model": ..., "means": [...], "sd": ...} or {"instance": a fitted one},
        "figure":   the experiment whose published numbers stand beside these; by default its own,
        "settings": words of a problem file, for all series,
        "series":   {name: words of its own, ...},
        "beyond":   more series, run only where more than the paper is asked for,
    }

Wherever a number stands, "x" stands for the value on the horizontal axis. In place of "means",
arms may have "each": a list of means for every value 1, 2, … of x. "offsets" of the arms are added
to all means, one after the other, and results are averaged over them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, final

from bitarm.core.vocabulary import vocabulary
from bitarm.core.words import unknown, whole_number
from bitarm.errors import ConfigError
from bitarm.experiments.instances import Instance, X, drawn, instance_of
from bitarm.sim.models import RewardModel

_KEYS = ("title", "x", "trials", "arms", "figure", "settings", "series", "beyond")
_NEEDED = ("title", "x", "trials", "arms", "series")
_SCALES = ("x", "ln(1/x)")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The horizontal axis: the values that are run, and where they are drawn."""

    label: str
    values: tuple[float, ...]
    scale: str = "x"

    def shown(self, x: float) -> float:
        """The position at which a value is drawn on the axis."""
        return x if self.scale == "x" else -math.log(x)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One sweep of schemes over one axis."""

    name: str
    title: str
    axis: Axis
    trials: int
    instance: Instance
    fitted: str | None  # the name of the shipped instance that its arms are, if they are one
    is_drawn: bool = False  # whether its arms were drawn anew instead
    figure: str  # whose published numbers are compared with
    settings: Mapping[str, Any]
    series: Mapping[str, Mapping[str, Any]]
    beyond: Mapping[str, Mapping[str, Any]]

    def models(self, x: float, offset: float = 0.0) -> tuple[RewardModel, ...]:
        """The arms at one value on the axis."""
        return self.instance.models(x, offset)

    def words(self, series: str, x: float) -> dict[str, Any]:
        """The setting of one point, as a call of `simulate` would spell it."""
        own = {**self.series, **self.beyond}[series]
        return {
            word: x if value == X else value for word, value in {**self.settings, **own}.items()
        }

    def drawn(self, seed: int) -> "Experiment":
        """The same with arms drawn as the paper drew them; unchanged where it printed them."""
        if self.fitted is None:
            return self
        return replace(self, instance=drawn(self.fitted, seed), is_drawn=True)


def parse_sweep(name: str, sweep: Any) -> Experiment:
    """The experiment that a SWEEP describes; ConfigError says what is wrong with it."""
    if not isinstance(sweep, Mapping):
        raise ConfigError(f"SWEEP must be a dictionary, got {type(sweep).__name__}")
    _check_keys("a key of SWEEP", sweep, _KEYS, _NEEDED)
    series, beyond = _series("series", sweep["series"]), _series("beyond", sweep.get("beyond", {}))
    if not series:
        raise ConfigError("series must name at least one scheme")
    for twice in set(series) & set(beyond):
        raise ConfigError(f"{twice!r} stands both in series and in beyond")
    arms = sweep["arms"]
    experiment = Experiment(
        name=name,
        title=str(sweep["title"]),
        axis=_axis(sweep["x"]),
        trials=_trials(sweep["trials"]),
        instance=instance_of(arms),
        fitted=arms.get("instance"),
        figure=str(sweep.get("figure", name)),
        settings=_words("settings", sweep.get("settings", {})),
        series=series,
        beyond=beyond,
    )
    _check_use(experiment)
    return experiment


def _check_keys(
    kind: str, given: Mapping[Any, Any], allowed: tuple[str, ...], needed: tuple[str, ...]
) -> None:
    for key in given:
        if key not in allowed:
            raise ConfigError(unknown(kind, key, allowed))
    for key in needed:
        if key not in given:
            raise ConfigError(f"{kind} is missing: {key}")


def _axis(given: Any) -> Axis:
    if not isinstance(given, Mapping):
        raise ConfigError(f"x must be a table with label and values, got {given!r}")
    _check_keys("a key of x", given, ("label", "values", "scale"), ("label", "values"))
    values = given["values"]
    numbers = isinstance(values, list | tuple) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )
    if not numbers or not values:
        raise ConfigError(f"the values of x must be a list of numbers, got {values!r}")
    if len(set(values)) < len(values):
        raise ConfigError("the values of x must differ from each other")
    scale = given.get("scale", "x")
    if scale not in _SCALES:
        raise ConfigError(unknown("the scale of x", scale, _SCALES))
    if scale != "x" and min(values) <= 0:
        raise ConfigError(f"the scale {scale} needs values above 0, got {min(values)}")
    return Axis(label=str(given["label"]), values=tuple(values), scale=scale)


def _trials(given: Any) -> int:
    trials = whole_number("trials", given)
    if trials < 1:
        raise ConfigError(f"trials must be at least 1, got {trials}")
    return trials


def _series(key: str, given: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(given, Mapping):
        raise ConfigError(f"{key} must be a table of schemes by name, got {given!r}")
    return {str(name): _words(f"{key} {name!r}", words) for name, words in given.items()}


def _words(where: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ConfigError(f"{where} must be a table of words, got {given!r}")
    for word in given:
        if word not in vocabulary().words:
            raise ConfigError(f"{where}: " + unknown("a word", word, vocabulary().words))
    return dict(given)


def _check_use(experiment: Experiment) -> None:
    """An axis that nothing reads would draw flat curves that look like results."""
    each = experiment.instance.each
    if each and experiment.axis.values != tuple(range(1, len(each) + 1)):
        raise ConfigError(f"arms for each value of x need the values 1 to {len(each)}")
    if experiment.instance.varies:
        return
    for name, own in {**experiment.series, **experiment.beyond}.items():
        if X not in {**experiment.settings, **own}.values():
            raise ConfigError(f'series {name!r} does not depend on the axis: write "{X}" somewhere')
