import pytest
from experiments.fabricated import findings

from bitarm.core.theory import lower_bound
from bitarm.experiments.catalog import load_study
from bitarm.experiments.run import run_experiments
from bitarm.experiments.theory import bounds_of


def test_the_lower_bound_is_that_of_the_arms() -> None:
    bounds = {it.label: it.points for it in bounds_of(findings({"a": [9.0, 8.0]}), "samples", "a")}
    (lower,) = [points for label, points in bounds.items() if label.startswith("lower")]
    expected = lower_bound([0.0, 2.0], sigma=0.5, delta=0.1).samples
    assert lower[1][0] == 2.0
    assert lower[1][1] == pytest.approx(expected)


def test_a_width_that_judges_pairs_has_the_lower_bound_alone() -> None:
    found = findings({"a": [9.0, 8.0]}, width="pairwise-mixture")
    (lower,) = bounds_of(found, "samples", "a")
    assert lower.label.startswith("lower")


@pytest.mark.parametrize("series", ["exact", "icq-b3"])
def test_measured_samples_lie_between_their_bounds(series: str) -> None:
    experiment = load_study("hardness").experiment
    (found,) = run_experiments([experiment], trials=50, seed=1, full=False, workers=1, cache=None)
    bounds = {it.label.split()[0]: dict(it.points) for it in bounds_of(found, "samples", series)}
    assert set(bounds) == {"explicit", "closed", "lower"}
    for row in found.curve("samples", series):
        assert bounds["lower"][row.x] < row.mean < bounds["explicit"][row.x]
        assert bounds["explicit"][row.x] < bounds["closed"][row.x]


def test_bits_of_a_code_whose_length_varies_have_no_bound() -> None:
    experiment = load_study("hardness").experiment
    (found,) = run_experiments([experiment], trials=1, seed=1, full=False, workers=1, cache=None)
    assert bounds_of(found, "payload_bits", "quban-eps2") == []
    assert bounds_of(found, "rounds", "quban-eps2") != []
