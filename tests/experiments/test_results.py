import csv

import pytest
from experiments.fabricated import TRIALS, result

from bitarm.experiments.results import published, to_csv


def test_deviations_are_relative_to_the_published_mean() -> None:
    paper = [published("hardness", "rounds", "exact", x) for x in (0.1, 1.0)]
    assert paper[0] is not None
    assert paper[1] is not None
    ours = {"exact": [paper[0] * 1.02, paper[1] * 0.9]}
    made = result(ours, name="hardness", values=[0.1, 1.0])
    (rounds,) = [deviation for deviation in made.deviations() if deviation.metric == "rounds"]
    assert rounds.median == pytest.approx(0.06)
    assert rounds.worst.x == 1.0
    assert rounds.worst.relative_deviation == pytest.approx(-0.1)


def test_what_was_not_published_is_not_compared() -> None:
    made = result({"exact": [5.0, 4.0]})
    assert made.deviations() == []
    assert {row.paper_mean for row in made.rows()} == {None}


def test_numbers_of_another_figure_stand_beside_but_are_told_as_deviations_there() -> None:
    made = result({"exact": [5.0, 4.0]}, figure="hardness", values=[0.1, 1.0])
    assert made.deviations() == []
    assert None not in {row.paper_mean for row in made.curve("samples", "exact")}


def test_the_table_has_the_columns_that_were_agreed() -> None:
    made = result({"a": [5.0, 4.0], "b": [3.0, 2.0]}, sem=0.25)
    lines = to_csv(made.rows()).splitlines()
    assert lines[0] == ("experiment,metric,series,x,mean,sem,trials,paper_mean,relative_deviation")
    rows = list(csv.DictReader(lines))
    assert len(rows) == 3 * 2 * 2
    assert rows[1] == {
        "experiment": "own",
        "metric": "rounds",
        "series": "a",
        "x": "2.0",
        "mean": "4.0",
        "sem": "0.25",
        "trials": str(TRIALS),
        "paper_mean": "",
        "relative_deviation": "",
    }
