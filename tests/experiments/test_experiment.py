import math
from typing import Any

import pytest

from bitarm.errors import ConfigError
from bitarm.experiments.experiment import parse_sweep

_SWEEP: dict[str, Any] = {
    "title": "One",
    "x": {"label": "δ", "values": [0.1, 0.01], "scale": "ln(1/x)"},
    "trials": 10,
    "arms": {"model": "beta", "means": [0.6, 0.4]},
    "settings": {"delta": "x", "bounds": (0.0, 1.0)},
    "series": {"a": {"quantizer": "icq", "bits": 2}, "b": {"quantizer": "exact"}},
    "beyond": {"c": {"quantizer": "icq", "bits": 4}},
}


def test_words_of_a_point_are_the_settings_the_series_and_the_axis() -> None:
    experiment = parse_sweep("one", _SWEEP)
    assert experiment.words("a", 0.01) == {
        "delta": 0.01,
        "bounds": (0.0, 1.0),
        "quantizer": "icq",
        "bits": 2,
    }
    assert experiment.words("c", 0.1)["bits"] == 4


def test_a_series_overrules_the_settings() -> None:
    series = {"a": {"delta": 0.2, "bits": "x"}}
    sweep = {**_SWEEP, "x": {"label": "B", "values": [1, 2]}, "series": series, "beyond": {}}
    words = parse_sweep("one", sweep).words("a", 2)
    assert (words["delta"], words["bits"]) == (0.2, 2)


def test_the_axis_may_be_drawn_in_logarithms() -> None:
    assert parse_sweep("one", _SWEEP).axis.shown(0.01) == pytest.approx(math.log(100))


def test_arms_may_depend_on_the_axis() -> None:
    arms = {"model": "gaussian", "sd": 1.0, "means": [0, "x"]}
    experiment = parse_sweep("one", {**_SWEEP, "arms": arms, "settings": {"delta": 0.1}})
    assert [model.mean for model in experiment.models(0.3)] == [0.0, 0.3]
    assert experiment.instance.varies


def test_each_value_may_have_arms_of_its_own() -> None:
    arms = {"model": "bernoulli", "each": [[0.1, 0.2], [0.3, 0.4, 0.5]]}
    x = {"label": "instance", "values": [1, 2]}
    experiment = parse_sweep("one", {**_SWEEP, "x": x, "arms": arms, "settings": {"delta": 0.1}})
    assert experiment.instance.varies
    assert [model.mean for model in experiment.models(2)] == [0.3, 0.4, 0.5]


def test_an_offset_moves_all_arms() -> None:
    arms = {"model": "gaussian", "sd": 1.0, "means": [0, "x"], "offsets": [0.0, 0.25]}
    experiment = parse_sweep("one", {**_SWEEP, "arms": arms, "settings": {"delta": 0.1}})
    assert experiment.instance.offsets == (0.0, 0.25)
    assert [model.mean for model in experiment.models(0.5, 0.25)] == [0.25, 0.75]


def test_the_figure_compared_with_is_its_own_unless_told() -> None:
    assert parse_sweep("one", _SWEEP).figure == "one"
    assert parse_sweep("one", {**_SWEEP, "figure": "two"}).figure == "two"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"serie": {}}, "a key of SWEEP must be one of .* got 'serie'; did you mean series"),
        ({"x": {"label": "δ", "values": []}}, "values of x must be a list of numbers"),
        ({"x": {"label": "δ", "values": ["a"]}}, "values of x must be a list of numbers"),
        ({"x": {"label": "δ", "values": [0.1, 0.1]}}, "must differ"),
        ({"x": {"label": "δ", "values": [0.0], "scale": "ln(1/x)"}}, "needs values above 0"),
        ({"x": {"label": "δ", "values": [1], "scale": "log"}}, r"scale of x must be one of x, ln"),
        ({"x": {"values": [1]}}, "a key of x is missing: label"),
        ({"x": 3}, "x must be a table"),
        ({"trials": 0}, "trials must be at least 1, got 0"),
        ({"trials": 2.5}, "trials must be a whole number"),
        ({"arms": {"model": "beta"}}, "arms need means"),
        ({"arms": {"model": "beta", "means": [], "each": []}}, "and not both"),
        ({"arms": {"model": "beta", "each": [[0.1, 0.2]]}}, "need the values 1 to 1"),
        ({"arms": {"model": "beta", "each": [0.1]}}, "a list in each must be a list"),
        ({"arms": {"model": "beta", "means": [0.1], "offsets": []}}, "offsets must be a list"),
        ({"arms": {"model": "beta", "means": [0.1], "offsets": ["x"]}}, "offsets must be a list"),
        ({"arms": {"model": "betta", "means": [0.1, 0.2]}}, "did you mean beta"),
        ({"arms": {"model": "beta", "means": [0.1, "y"]}}, "a mean must be a number or 'x'"),
        ({"arms": {"model": "beta", "mean": [0.1]}}, "a key of arms must be one of"),
        ({"arms": {"instance": "bounde"}}, "an instance must be one of bounded, gaussian, sweeps"),
        ({"arms": {"instance": "bounded", "model": "beta"}}, "not both"),
        ({"arms": [0.1, 0.2]}, "arms must be a table"),
        ({"settings": {"detla": 0.1}}, "settings: a word must be one of .* did you mean delta"),
        ({"settings": {"delta": 0.1}}, "series 'a' does not depend on the axis"),
        ({"series": {}}, "series must name at least one scheme"),
        ({"series": {"a": {"bit": 2}}}, "series 'a': a word must be one of .*did you mean bits"),
        ({"series": [1]}, "series must be a table of schemes"),
        ({"beyond": {"a": {}}}, "'a' stands both in series and in beyond"),
    ],
)
def test_what_is_wrong_with_a_sweep_is_said(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_sweep("one", {**_SWEEP, **change})


@pytest.mark.parametrize("key", ["title", "x", "trials", "arms", "series"])
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(ConfigError, match=f"a key of SWEEP is missing: {key}"):
        parse_sweep("one", {it: value for it, value in _SWEEP.items() if it != key})
