from pathlib import Path

import pytest

from bitarm.errors import ConfigError
from bitarm.experiments.analysis import Analysis
from bitarm.experiments.catalog import FURTHER, PAPER, load_study
from bitarm.experiments.run import run_experiments

_SWEEP = """
SWEEP = {
    "title": "Mine",
    "x": {"label": "B", "values": [1, 2]},
    "trials": 20,
    "arms": {"model": "bernoulli", "means": [0.9, 0.1]},
    "settings": {"bounds": (0, 1), "bits": "x"},
    "series": {"mine": {}},
}
"""


@pytest.mark.parametrize("name", [*PAPER, *FURTHER])
def test_every_experiment_has_claims_notes_and_series_that_its_claims_speak_of(name: str) -> None:
    study = load_study(name)
    assert study.experiment.name == name
    assert study.analysis.claims
    assert study.analysis.notes
    (found,) = run_experiments(
        [study.experiment], trials=1, seed=1, full=True, workers=1, cache=None
    )
    for claim in study.analysis.claims:
        claim.failures(found)  # a series that is missing would raise


def test_an_unknown_name_is_told_those_there_are() -> None:
    with pytest.raises(ConfigError, match="bounded, gaussian, hardness, alpha, bits"):
        load_study("hardnes")


def test_a_folder_is_an_experiment(tmp_path: Path) -> None:
    (tmp_path / "sweep.py").write_text(_SWEEP)
    study = load_study(str(tmp_path))
    assert study.experiment.title == "Mine"
    assert study.analysis == Analysis()


def test_its_analysis_is_taken_if_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "sweep.py").write_text(_SWEEP)
    (tmp_path / "analysis.py").write_text(
        "from bitarm.experiments.analysis import Analysis\nANALYSIS = Analysis(notes=('Hm.',))\n"
    )
    assert load_study(str(tmp_path)).analysis.notes == ("Hm.",)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "has no sweep.py"),
        ({"sweep.py": "SWEPT = 1"}, "defines no SWEEP"),
        ({"sweep.py": "1/0"}, "cannot be run: ZeroDivisionError"),
        ({"sweep.py": "raise SystemExit"}, "cannot be run: SystemExit"),
        ({"sweep.py": "SWEEP = ["}, "cannot be run: SyntaxError"),
        ({"sweep.py": "SWEEP = 3"}, "SWEEP must be a dictionary, got int"),
        ({"sweep.py": _SWEEP.replace('"trials"', '"trails"')}, "did you mean trials"),
        ({"sweep.py": _SWEEP, "analysis.py": "ANALYSIS = 3"}, "ANALYSIS must be an Analysis"),
    ],
)
def test_a_folder_that_is_none_is_told_what_it_lacks(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_study(str(tmp_path))
