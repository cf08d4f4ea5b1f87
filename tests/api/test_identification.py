"""Results in Python: history, tables, the picture of the race, and what a notebook shows."""

import random
import sys
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection

import bitarm
from bitarm.api.identification import identification_of
from bitarm.errors import ConfigError, LocalProtocolError, MissingExtraError, StoreError
from bitarm.sim.models import Bernoulli
from bitarm.store import MemoryJournal

_NAMES = ("red", "<b>blue</b>", "green")


def _run(**words: Any) -> bitarm.Identification:
    rng = random.Random(4)
    arms = {
        name: (lambda mean=mean: float(rng.random() < mean))
        for name, mean in zip(_NAMES, (0.3, 0.9, 0.6), strict=True)
    }
    return bitarm.identify(arms, bounds=(0, 1), seed=1, **words)


def test_the_history_has_every_report_in_order() -> None:
    result = _run(policy="se", quantizer="icq")
    assert sum(told.payload_bits for told in result.history) == result.payload_bits
    assert [told.round for told in result.history] == sorted(told.round for told in result.history)
    last = {told.arm: told for told in result.history}
    for number, arm in enumerate(result.arms):
        assert (last[number].mean, last[number].radius) == (arm.mean, arm.radius)
        assert last[number].left == (arm.dropped_in is not None)
        assert last[number].name == _NAMES[number]
    assert "history" not in result.to_json()


def test_a_table_of_arms_and_one_of_rounds() -> None:
    result = _run()
    arms, rounds = result.to_frame(), result.to_frame("rounds")
    assert arms["name"].tolist() == list(_NAMES)
    assert arms["payload_bits"].sum() == result.payload_bits
    assert len(rounds) == len(result.history) == sum(arm.messages for arm in result.arms)
    assert set(rounds.columns) >= {"round", "name", "pulls", "mean", "radius", "payload_bits"}
    with pytest.raises(ConfigError, match="a table is of 'arms' or of 'rounds', got 'columns'"):
        result.to_frame("columns")  # type: ignore[arg-type]


def test_the_race_is_a_curve_for_each_arm_a_cross_where_it_fell_a_ring_at_the_answer() -> None:
    result = _run(policy="se", quantizer="icq")
    (panel,) = result.plot().axes
    curves = {line.get_label(): line for line in panel.lines if line.get_marker() == "."}
    assert set(curves) == set(_NAMES)
    pulls = [told.pulls for told in result.history if told.name == "red"]
    assert np.array_equal(curves["red"].get_xdata(), pulls)
    assert sum(line.get_marker() == "x" for line in panel.lines) == 2
    assert sum(line.get_marker() == "o" for line in panel.lines) == 1
    assert (
        panel.get_title(loc="left") == "best arm: <b>blue</b>, wrong with probability at most 0.05"
    )


def test_of_many_arms_those_that_went_furthest_have_names() -> None:
    arms = [(lambda mean=n / 40: mean) for n in range(40)]
    result = bitarm.identify(arms, bounds=(0, 1), seed=1)
    (panel,) = result.plot().axes
    named = [line.get_label() for line in panel.lines if line.get_marker() == "."]
    assert len(named) == len({line.get_color() for line in panel.lines}) == 10
    assert result.best_arm_name in named
    (others,) = [each for each in panel.collections if isinstance(each, LineCollection)]
    assert len(others.get_segments()) == 40 - 10


def test_an_arm_that_gave_up_is_drawn_where_it_did() -> None:
    result = bitarm.identify({"a": lambda: 1.0, "b": lambda: 0.0}, bounds=(0, 1), seed=1)
    (panel,) = result.plot().axes
    ends = {line.get_label(): np.max(line.get_xdata()) for line in panel.lines}
    loser = result.arms[1]
    assert loser.beaten_by == 0
    assert ends["b"] == loser.pulls < max(told.pulls for told in result.history if told.arm == 1)


def test_means_that_are_level_are_said_to_be() -> None:
    same = {"a": [1.0] * 5, "b": [1.0] * 5}
    result = bitarm.identify(same, bounds=(0, 1), seed=1)
    (panel,) = result.plot().axes
    assert panel.get_title(loc="left").endswith("; a level with b")
    assert "; a level with b" in result._repr_html_()
    intervals = [each for each in panel.collections if isinstance(each, LineCollection)]
    assert len(intervals) >= 1


def test_the_race_without_an_answer_says_who_leads() -> None:
    (panel,) = _run(max_samples=30).plot().axes
    assert panel.get_title(loc="left").startswith("no answer (sample limit)")


def test_a_notebook_shows_answer_price_and_arms_and_no_markup_of_a_name() -> None:
    html = _run()._repr_html_()
    assert "Best arm: &lt;b&gt;blue&lt;/b&gt;" in html
    assert "<b>" not in html
    assert html.count("<tr>") == 1 + 3
    assert "samples" in html
    assert "leads" in _run(max_samples=30)._repr_html_()


def test_no_shown_mean_lies_outside_the_bounds() -> None:
    """Decoded cells reach beyond them: of arms that always give the highest or lowest reward."""
    schemes: list[dict[str, Any]] = [
        {},
        {"policy": "challenge", "quantizer": "dyadic"},
        {"quantizer": "quban"},
    ]
    for words in schemes:
        result = bitarm.identify([lambda: 1.0, lambda: 0.0], bounds=(0, 1), seed=1, **words)
        assert all(0 <= told.mean <= 1 for told in result.history)
        assert all(arm.mean is not None and 0 <= arm.mean <= 1 for arm in result.arms)


def test_a_run_that_has_not_ended_is_no_result() -> None:
    journal = MemoryJournal()
    bitarm.identify([lambda: 1.0, lambda: 0.0], bounds=(0, 1), journal=journal)
    events = [entry.event for entry in journal.read(1)]
    assert identification_of(events).best_arm == 0
    with pytest.raises(LocalProtocolError, match="has not ended"):
        identification_of(events[:3])
    with pytest.raises(StoreError, match="begins with its opening"):
        identification_of([])


def test_a_simulation_is_a_table_a_picture_and_html() -> None:
    arms = [Bernoulli(mean=0.8), Bernoulli(mean=0.3)]
    words: dict[str, Any] = {"bounds": (0, 1), "policy": "se", "quantizer": "icq", "bits": [2, 3]}
    found = bitarm.simulate(arms, trials=20, seed=1, **words)
    table = found.to_frame()
    assert table["bits"].tolist() == [2, 3]
    assert table["samples_mean"].tolist() == [point.result.samples.mean for point in found.points]
    assert {"samples_median", "samples_p99", "undecided", "error_rate_value"} <= set(table.columns)
    assert [panel.get_title() for panel in found.plot().axes] == [
        "rounds",
        "samples",
        "payload_bits",
    ]
    assert str(found).splitlines() == [
        "20 trials, seed 1",
        *(
            f"icq B={bits}: {row.samples_mean:.4g} samples, {row.payload_bits_mean:.4g} bits, "
            f"{row.rounds_mean:.4g} rounds, error rate 0"
            for bits, row in zip((2, 3), table.itertuples(), strict=True)
        ),
    ]
    assert found._repr_html_().count("<tr>") == 1 + 2


def test_settings_without_an_answer_are_in_no_picture() -> None:
    arms = [Bernoulli(mean=0.8), Bernoulli(mean=0.3)]
    words: dict[str, Any] = {
        "bounds": (0, 1),
        "policy": "se",
        "quantizer": "icq",
        "delta": [0.1, 0.01],
    }
    found = bitarm.simulate(arms, trials=5, seed=1, max_rounds=1, **words)
    assert found.to_frame()["samples_mean"].isna().all()
    with pytest.raises(ConfigError, match="nothing to draw: no trial of any setting ended"):
        found.plot()


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [("pandas", "frames", "to_frame"), ("matplotlib", "sim", "plot")],
)
def test_a_package_that_is_missing_is_named_with_its_extra(
    package: str, extra: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = _run()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        MissingExtraError, match=rf"needs {package}: .* -m pip install .*\[{extra}\]"
    ):
        getattr(result, call)()
