import csv
from importlib import resources

import pytest

from bitarm.experiments.catalog import PAPER, load_study
from bitarm.experiments.results import published
from bitarm.sim.sweep import MEASURES


def test_every_published_point_has_one_of_ours() -> None:
    met = set()
    for name in PAPER:
        experiment = load_study(name).experiment
        for metric in MEASURES:
            for series in experiment.series:
                for x in experiment.axis.values:
                    shown = experiment.axis.shown(x)
                    if published(name, metric, series, shown) is not None:
                        met.add((name, metric, series, round(shown, 6)))
    assert len(met) == 632


def test_the_panels_are_the_papers_fourteen() -> None:
    drawn = [(name, panel.metric) for name in PAPER for panel in load_study(name).analysis.panels]
    text = resources.files("bitarm.experiments").joinpath("paper.csv").read_text("utf-8")
    shown = {(row["experiment"], row["metric"]) for row in csv.DictReader(text.splitlines())}
    assert len(drawn) == 14
    assert set(drawn) == shown


def test_a_point_between_two_published_ones_has_none() -> None:
    assert published("hardness", "rounds", "exact", 1.0) == pytest.approx(1.8, abs=0.01)
    assert published("hardness", "rounds", "exact", 0.99) is None
    assert published("hardness", "rounds", "nobody", 1.0) is None
