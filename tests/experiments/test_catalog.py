from pathlib import Path

import pytest

from bitarm.errors import ConfigError
from bitarm.experiments.analysis import Analysis
from bitarm.experiments.baselines import COMPARED, compared, factors
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


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Where a user's experiment would be."""
    return tmp_path / "mine.py"


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


@pytest.mark.parametrize("name", ["gains_gaussian", "gains_bounded"])
def test_arms_that_are_drawn_anew_are_compared_with_nothing_that_was_published(name: str) -> None:
    study = load_study(name).drawn(1)
    (found,) = run_experiments(
        [study.experiment], trials=1, seed=1, full=False, workers=1, cache=None
    )
    assert study.analysis.headline
    for claim in study.analysis.claims:
        claim.failures(found)
    for over in study.analysis.baselines:
        for series in compared(found, over):
            assert any(factors(found, metric, series, over) for metric in COMPARED)


def test_arms_that_the_paper_printed_are_not_drawn_and_stay_beside_its_numbers() -> None:
    study = load_study("gains_hardness")
    assert study.drawn(1) == study


def test_an_unknown_name_is_told_those_there_are() -> None:
    with pytest.raises(ConfigError, match="bounded, gaussian, hardness, alpha, bits"):
        load_study("hardnes")


def test_a_file_is_an_experiment_of_its_name(own: Path) -> None:
    own.write_text(_SWEEP)
    study = load_study(str(own))
    assert (study.experiment.name, study.experiment.title) == ("mine", "Mine")
    assert study.analysis == Analysis()


def test_its_analysis_is_taken_if_there_is_one(own: Path) -> None:
    own.write_text(
        f"from bitarm.experiments.analysis import Analysis\n{_SWEEP}\n"
        "ANALYSIS = Analysis(notes=('Hm.',))\n"
    )
    assert load_study(str(own)).analysis.notes == ("Hm.",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SWEPT = 1", "mine.py: SWEEP is missing"),
        ("1/0", "mine.py cannot be run: ZeroDivisionError"),
        ("raise SystemExit", "cannot be run: SystemExit"),
        ("SWEEP = [", "cannot be run: SyntaxError"),
        ("SWEEP = 3", "mine.py: SWEEP must be a dictionary, got int"),
        (_SWEEP.replace('"trials"', '"trails"'), "did you mean trials"),
        (f"{_SWEEP}\nANALYSIS = 3", "mine.py: ANALYSIS must be an Analysis, got 3"),
    ],
)
def test_a_file_that_is_none_is_told_what_it_lacks(own: Path, text: str, message: str) -> None:
    own.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_study(str(own))


def test_a_file_that_is_not_there_is_named(own: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no file .*mine\.py"):
        load_study(str(own))


def test_a_folder_is_told_that_an_experiment_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "sweep.py").write_text(_SWEEP)
    with pytest.raises(ConfigError, match=r"is a folder: an experiment is one \.py file"):
        load_study(str(tmp_path))


def test_a_file_that_is_no_python_is_told_what_an_experiment_is(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").touch()
    with pytest.raises(ConfigError, match=r"or a \.py file with a SWEEP; got .*mine\.toml"):
        load_study(str(tmp_path / "mine.toml"))
