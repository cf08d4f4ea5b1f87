"""Averages of clustered runs: their spread and the error of their mean."""

import numpy as np
import pytest
from planner.fabricated import figures

from bitarm.planner.figures import Spread


def test_the_spread_is_that_of_all_runs() -> None:
    spread = Spread.of(np.array([1.0, 2.0, 3.0, 6.0]), np.array([0, 0, 1, 1]))
    assert spread.mean == 3.0
    assert spread.sd == pytest.approx(np.std([1, 2, 3, 6], ddof=1))


def test_runs_that_share_a_environment_do_not_count_as_independent() -> None:
    rng = np.random.default_rng(1)
    environment = np.repeat(np.arange(50), 100)
    shared = rng.normal(size=50)[environment] + 0.01 * rng.normal(size=5000)
    apart = rng.normal(size=5000)
    assert Spread.of(shared, environment).sem == pytest.approx(1 / np.sqrt(50), rel=0.3)
    assert Spread.of(apart, environment).sem == pytest.approx(1 / np.sqrt(5000), rel=0.3)


def test_one_run_has_no_spread() -> None:
    assert Spread.of(np.array([5.0]), np.array([0])) == Spread(mean=5.0, sd=0.0, sem=0.0)


def test_cost_decides_and_what_is_free_breaks_ties() -> None:
    assert figures(cost=1.0, samples=1e6).score < figures(cost=1.1, samples=100.0).score
    assert figures(cost=1.0, samples=100.0).score < figures(cost=1.0, samples=200.0).score


def test_json_has_the_names_that_hold_everywhere() -> None:
    plain = figures(cost=2.0, samples=30.0).to_json()
    assert plain["samples"] == {"mean": 30.0, "sd": 0.0, "sem": 0.0}
    assert {"cost", "rounds", "messages", "payload_bits", "trials", "wrong"} <= set(plain)
