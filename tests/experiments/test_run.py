from dataclasses import replace
from pathlib import Path

import pytest

from bitarm.api.simulate import simulate
from bitarm.errors import ConfigError
from bitarm.experiments.catalog import load_study
from bitarm.experiments.experiment import Axis, Experiment
from bitarm.experiments.results import ExperimentResult
from bitarm.experiments.run import run_experiments
from bitarm.sim.processor_time import ProcessorTime
from bitarm.sim.sweep import merge_points


def _hardness(values: tuple[float, ...] = (0.5, 1.0)) -> Experiment:
    experiment = load_study("hardness").experiment
    return replace(experiment, axis=Axis(label="Δ", values=values))


def _run(
    experiment: Experiment,
    *,
    full: bool = False,
    cache: Path | None = None,
    costs: list[ProcessorTime] | None = None,
    workers: int = 1,
    trials: int = 60,
) -> ExperimentResult:
    (found,) = run_experiments(
        [experiment], trials=trials, seed=3, full=full, workers=workers, cache=cache, costs=costs
    )
    return found


def test_a_point_is_what_the_simulator_says() -> None:
    found = _run(_hardness((0.5,)))
    alone = simulate(
        _hardness().models(0.5),
        trials=60,
        seed=3,
        delta=1e-5,
        sigma=0.125,
        growth=2,
        quantizer=["exact", "icq", "quban"],
        width="paper",
        bits=[2, 3],
        epsilon_quban=[0.5, 2.0],
    )
    by_setting = {
        (point["quantizer"], point.get("bits"), point.get("epsilon_quban")): point
        for point in alone.to_json()["results"]
    }
    assert len(by_setting) == 5
    for series, key in {
        "exact": ("exact", None, None),
        "icq-b2": ("icq", 2, None),
        "icq-b3": ("icq", 3, None),
        "quban-eps0.5": ("quban", None, 0.5),
        "quban-eps2": ("quban", None, 2.0),
    }.items():
        ours = found.points[series, 0.5].to_json()
        theirs = by_setting[key]
        assert ours["samples"] == theirs["samples"]
        assert ours["rounds"] == theirs["rounds"]


def test_what_goes_beyond_the_paper_changes_nothing_of_the_paper() -> None:
    plain, full = _run(_hardness()), _run(_hardness(), full=True)
    assert set(full.series) - set(plain.series) == {"icq-b3-lucb", "icq-b3-lil-ucb"}
    for key, point in plain.points.items():
        assert full.points[key] == point


def test_what_is_kept_is_not_run_again(tmp_path: Path) -> None:
    first: list[ProcessorTime] = []
    again: list[ProcessorTime] = []
    found = _run(_hardness(), cache=tmp_path, costs=first)
    assert found == _run(_hardness(), cache=tmp_path, costs=again)
    assert (len(first), len(again)) == (2, 0)
    more: list[ProcessorTime] = []
    _run(_hardness((0.5, 1.0, 0.25)), cache=tmp_path, costs=more)
    assert len(more) == 1  # the new gap alone


@pytest.mark.slow
def test_workers_are_not_seen() -> None:
    assert _run(_hardness(), workers=2) == _run(_hardness())


def test_a_setting_that_cannot_be_run_names_its_series() -> None:
    broken = replace(_hardness(), series={"a": {"quantizer": "exact", "bits": 3}})
    with pytest.raises(ConfigError, match=r"hardness, series 'a' at x = 0\.5: bits does not apply"):
        _run(broken)


def test_arms_drawn_anew_are_not_compared_with_the_paper() -> None:
    experiment = load_study("gaussian").experiment
    assert _run(experiment).deviations() != []
    assert _run(experiment.drawn(1)).deviations() == []
    hardness = load_study("hardness").experiment
    assert hardness.drawn(1) == hardness  # its means are printed in the paper


def test_a_sweep_of_one_scheme_has_no_cost_that_could_be_measured() -> None:
    costs: list[ProcessorTime] = []
    alone = replace(_hardness(), series={"exact": {"quantizer": "exact"}})
    assert _run(alone, costs=costs).series == ["exact"]
    assert costs == []


def test_offsets_share_the_trials_and_have_draws_of_their_own() -> None:
    instance = replace(_hardness().instance, offsets=(0.0, 0.3))
    experiment = replace(_hardness((0.5,)), instance=instance)
    shifted = _run(experiment).points["icq-b3", 0.5].result
    here, there = (
        _run(replace(experiment, instance=replace(instance, offsets=offsets)), trials=trials)
        .points["icq-b3", 0.5]
        .result
        for offsets, trials in (((0.0,), 30), ((0.3,), 30))
    )
    assert shifted.samples.count == 60
    both = merge_points([here, there])
    # the first half is the very same trials; the other is not, for its draws are its own
    assert shifted.payload_bits.mean != both.payload_bits.mean
    assert shifted.payload_bits.mean == pytest.approx(both.payload_bits.mean, rel=0.1)
    twice = replace(experiment, instance=replace(instance, offsets=(0.0, 0.0)))
    assert _run(twice).points["icq-b3", 0.5].result != merge_points([here, here])
