"""The problem file that a run's page shows: read again, it is the same setup."""

from pathlib import Path
from typing import Any

import pytest

import bitarm
from bitarm.api.problem import parse_problem
from bitarm.dashboard.problem_text import problem_text

_SETUPS: dict[str, dict[str, Any]] = {
    "default": {"bounds": (0, 1)},
    "tolerance and limits": {"bounds": (0, 1), "epsilon": 0.1, "max_samples": 500},
    "sigma": {"sigma": 0.5, "delta": 0.01, "kappa": 0.7},
    "the paper's": {
        "quantizer": "icq",
        "bits": 4,
        "prior": "lower",
        "width": "paper",
        "bounds": (0, 1),
    },
    "checkpoints": {"policy": "se", "sigma": 1.0, "checkpoints": (2, 5, 9)},
    "growth": {"policy": "lucb", "sigma": 1.0, "growth": 1.5, "first": 3, "epsilon": 0.2},
    "budget": {"policy": "sequential-halving", "pull_budget": 300, "sigma": 1.0},
    "budgets": {
        "policy": "successive-rejects",
        "pull_budget": 300,
        "bit_budget": 90,
        "sigma": 1.0,
        "quantizer": "dicq",
    },
}


@pytest.mark.parametrize("name", _SETUPS)
def test_the_text_is_a_problem_file_of_the_same_setup(name: str, tmp_path: Path) -> None:
    setup = bitarm.setup(['one "quoted"', "zwei", "drei"], seed=7, **_SETUPS[name])
    text = problem_text(setup)
    whole = text.replace('# source = "…"', 'source = "bernoulli"\nmean = 0.5\n#')
    assert whole.count("bernoulli") == 3
    assert parse_problem(whole, tmp_path).setup(7) == setup


def test_recorded_data_show_the_words_and_not_the_rows(tmp_path: Path) -> None:
    told: list[Any] = []
    bitarm.identify({"a": [0.1] * 99, "b": [0.9] * 99}, sigma=0.5, policy="se", watch=told.extend)
    text = problem_text(told[0].setup)
    assert "growth = 2.0" in text
    assert "99" not in text


def test_a_long_list_of_arms_is_cut() -> None:
    text = problem_text(bitarm.setup(list(map(str, range(1000))), bounds=(0, 1)))
    assert text.count("[[arm]]") == 200
    assert "# and 800 arms more" in text
