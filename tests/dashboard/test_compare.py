"""Prices side by side, and the lower bound beneath them."""

import json
from pathlib import Path
from typing import Any

import pytest

from bitarm.api.simulate import simulate
from bitarm.dashboard.compare import SavedResult, compared, point_of_run, points_of_result
from bitarm.dashboard.library import Library
from bitarm.errors import ConfigError
from bitarm.sim.models import Gaussian
from bitarm.theory import lower_bound

MEANS = (0.0, 0.2, 0.5)


def _saved(**changed: Any) -> SavedResult:
    models = [Gaussian(mean=mean, sd=0.25) for mean in MEANS]
    made = simulate(models, trials=50, seed=1, quantizer=["icq", "quban"]).to_json()
    return SavedResult(name="sweep.json", simulation=made | changed)


def test_a_run_is_its_journal(decided_store: Path) -> None:
    library = Library(decided_store)
    with library.history(2) as history:
        limited = point_of_run(history)
    with library.history(1) as history:
        decided, standings = point_of_run(history), history.standings
    assert decided.samples == standings.samples
    assert decided.payload_bits == standings.payload_bits
    means = [arm.mean for arm in standings.arms if arm.mean is not None]
    assert decided.lower_bound == lower_bound(means, sigma=0.5, delta=0.05).samples
    assert decided.least_bits == pytest.approx(0.9 * len(means))
    assert (limited.lower_bound, limited.least_bits) == (None, None)
    library.close()


def test_what_simulate_prints_is_read_with_its_true_means() -> None:
    saved = _saved()
    points = compared(points_of_result(saved)).points
    assert [point.scheme for point in points] == ["icq se", "quban se"]
    assert [point.label for point in points] == ["sweep.json: icq se", "sweep.json: quban se"]
    for point, result in zip(points, saved.simulation["results"], strict=True):
        assert point.samples == result["samples"]["mean"]
        assert point.payload_bits_sem == result["payload_bits"]["sem"]
        assert point.lower_bound == lower_bound(MEANS, sigma=0.25, delta=0.05).samples
        assert point.least_bits == pytest.approx(0.9 * len(MEANS))


def test_every_word_that_varies_tells_points_apart() -> None:
    models = [Gaussian(mean=mean, sd=0.25) for mean in MEANS]
    made = simulate(models, trials=2, seed=1, cap=[2, 6], patience=[0.7, 1.1]).to_json()
    points = compared(points_of_result(SavedResult(name="sweep.json", simulation=made))).points
    assert [point.scheme for point in points] == [
        f"dyadic challenge cap {cap} patience {patience}"
        for cap in (2, 6)
        for patience in (0.7, 1.1)
    ]
    assert [point.words["patience"] for point in points] == [0.7, 1.1, 0.7, 1.1]


def test_a_value_that_a_page_spells_otherwise_does_not_vary() -> None:
    """A browser writes 2.0 as 2."""
    made = _saved().simulation
    browsers = json.loads(json.dumps(made).replace(".0,", ","))
    assert json.dumps(browsers) != json.dumps(made)
    both = [
        SavedResult(name=name, simulation=saved) for name, saved in (("a", made), ("b", browsers))
    ]
    points = compared([point for saved in both for point in points_of_result(saved)]).points
    assert [point.scheme for point in points] == ["icq se", "quban se"] * 2


def test_results_without_means_have_no_bound() -> None:
    for means in ([], [0.5, 0.5]):
        (point, _) = points_of_result(_saved(means=means))
        assert point.lower_bound is None
        assert (point.least_bits is None) == (not means)  # of two equal arms both must be heard


@pytest.mark.parametrize(
    "simulation",
    [
        {},
        {"results": 3},
        {"results": [{}]},
        {"results": ["text"]},
        {"trials": 1, "results": [{"delta": "x"}]},
        {"trials": 1, "results": [{"delta": True}]},
    ],
)
def test_what_is_no_result_is_refused_by_name(simulation: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"odd\.json is no result of `bitarm simulate --json`"):
        points_of_result(SavedResult(name="odd.json", simulation=simulation))
