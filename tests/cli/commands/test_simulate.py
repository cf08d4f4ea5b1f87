"""`bitarm simulate`: what it prints, and what it takes from a problem file."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from cli.program import Command, OnTerminal, problem

from bitarm.api.simulate import simulate
from bitarm.sim.models import Bernoulli

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_ARMS = ("simulate", "--arms", "bernoulli:0.7,0.4")
_COINS = (*_ARMS, "--seed", "1", "--trials", "50")


def test_json_is_one_object_and_says_what_the_library_says(apart: Command) -> None:
    done = apart(*_COINS, "--delta", "0.1,0.05", "--json")
    coins = (Bernoulli(mean=0.7), Bernoulli(mean=0.4))
    expected = simulate(coins, trials=50, seed=1, delta=[0.1, 0.05]).to_json()
    assert done.code == 0
    assert done.out == json.dumps(expected) + "\n"
    assert done.err == ""  # in a pipe there is no progress


def test_without_a_seed_one_is_chosen_told_and_good_for_repeating(bitarm: Command) -> None:
    first = bitarm(*_ARMS, "--trials", "50", "--json")
    again = bitarm(*_ARMS, "--trials", "50", "--json", "--seed", first.json["seed"])
    assert again.out == first.out
    assert bitarm(*_ARMS, "--trials", "50", "--json").json["seed"] != first.json["seed"]


def test_csv_has_a_row_for_each_setting_and_the_names_of_the_json(bitarm: Command) -> None:
    words = (*_COINS, "--quantizer", "exact,icq", "--bits", "2,3", "--max-rounds", "9")
    points = bitarm(*words, "--json").json["results"]
    rows = list(csv.DictReader(io.StringIO(bitarm(*words, "--csv").out)))
    assert len(rows) == len(points) == 3
    for row, point in zip(rows, points, strict=True):
        assert None not in row
        assert None not in row.values()
        assert row["quantizer"] == point["quantizer"]
        assert row["bits"] == str(point.get("bits", ""))
        assert float(row["delta"]) == point["delta"]
        assert float(row["samples_mean"]) == point["samples"]["mean"]
        assert float(row["samples_sem"]) == point["samples"]["sem"]
        assert float(row["error_rate_high"]) == point["error_rate"]["high"]
        assert row["guarantee_reason"] == point["guarantee_reason"]
        counts = {outcome: row[f"outcomes_{outcome}"] for outcome in point["outcomes"]}
        assert counts == {name: str(count) for name, count in point["outcomes"].items()}


_TYPICAL = (
    ("--delta", "0.1,0.01,0.001"),
    ("--quantizer", "exact,icq,quban", "--bits", "1,2,3,4"),
    ("--quantizer", "exact,icq,quban", "--delta", "0.1,0.01", "--growth", "2,4"),
    ("--policy", "se,lucb,lil-ucb", "--quantizer", "exact,icq"),
    ("--quantizer", "exact,icq", "--max-rounds", "9"),
)


@pytest.mark.parametrize("words", _TYPICAL, ids=" ".join)
def test_a_table_fits_80_columns_and_a_wide_one_has_intervals(
    bitarm: Command, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    hard = ("simulate", "--arms", "bernoulli:0.52,0.5", "--seed", "1", "--trials", "50", *words)
    points = bitarm(*hard, "--json").json["results"]
    done = bitarm(*hard)
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert "…" not in done.out
    for title in ("setting", "rounds", "samples", "median", "99 %", "bits", "wrong"):
        assert title in done.out
    assert "50 trials, seed 1" in done.out
    for point in points:
        shown = point["samples"]["median"]
        assert f" {shown:,} " in done.out if shown is not None else " – " in done.out
    monkeypatch.setenv("COLUMNS", "120")
    wide = bitarm(*hard).out
    assert max(map(len, wide.splitlines())) <= 120
    assert "…" not in wide
    assert len(re.findall(r"\[\S+, \S+\]", wide)) == len(points)


def test_a_table_tells_its_settings_apart(bitarm: Command) -> None:
    words = ("--quantizer", "exact,icq", "--bits", "2,3", "--delta", "0.1,0.01")
    lines = bitarm(*_COINS, *words).out.splitlines()
    labels = [re.split(r"\s{2,}", line)[0] for line in lines[2:8]]
    assert labels == [
        "exact δ=0.1",
        "exact δ=0.01",
        "icq B=2 δ=0.1",
        "icq B=2 δ=0.01",
        "icq B=3 δ=0.1",
        "icq B=3 δ=0.01",
    ]


def test_a_table_tells_limits_apart(bitarm: Command) -> None:
    lines = bitarm(*_COINS, "--max-rounds", "3,4").out.splitlines()
    labels = [re.split(r"\s{2,}", line)[0] for line in lines[2:4]]
    assert len(set(labels)) == 2


def test_trials_without_an_answer_are_shown(bitarm: Command) -> None:
    assert "without an answer" not in bitarm(*_COINS).out
    limited = bitarm(*_COINS, "--max-rounds", "2").out
    assert "ended without an answer" in " ".join(limited.split())
    assert limited.splitlines()[2].endswith(" 50")


def test_lists_are_crossed_in_the_order_typed(bitarm: Command) -> None:
    def settings(*words: str) -> list[tuple[float, int]]:
        points = bitarm(*_COINS, "--quantizer", "icq", *words, "--json").json["results"]
        return [(point["delta"], point["bits"]) for point in points]

    delta, bits = ("--delta", "0.1,0.2"), ("--bits", "3,2")
    assert settings(*delta, *bits) == [(0.1, 3), (0.1, 2), (0.2, 3), (0.2, 2)]
    assert settings(*bits, *delta) == [(0.1, 3), (0.2, 3), (0.1, 2), (0.2, 2)]


def test_a_problem_file_is_simulated_and_flags_win_over_it(bitarm: Command, tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    scheme = 'quantizer = "icq"\nbits = 4\ngrowth = 3'
    text = problem(problem="delta = 0.2", scheme=scheme, limits="rounds = 40")
    file.write_text(text, encoding="utf-8")
    words = ("simulate", file, "--seed", "1", "--trials", "20", "--json")
    (point,) = bitarm(*words).json["results"]
    assert [point[word] for word in ("delta", "bits", "growth")] == [0.2, 4, 3.0]
    assert point["bounds"] == [0.0, 1.0]
    swept = bitarm(*words, "--bits", "1,2").json["results"]
    assert [(point["delta"], point["bits"]) for point in swept] == [(0.2, 1), (0.2, 2)]


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        ({"scheme": 'quantizer = "quban"\nepsilon_quban = 0.5'}, ("--quantizer", "icq,exact")),
        ({"scheme": 'quantizer = "icq"\nbits = 4'}, ("--quantizer", "exact")),
        ({"scheme": "checkpoints = [2, 9, 99]"}, ("--growth", "2,3")),
        ({"problem": "sigma = 0.5"}, ("--width", "bounded")),
    ],
)
def test_a_flag_displaces_the_words_of_the_file_that_go_with_its_choice(
    bitarm: Command, tmp_path: Path, words: dict[str, str], flags: tuple[str, ...]
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(problem(**words), encoding="utf-8")
    done = bitarm("simulate", file, "--seed", "1", "--trials", "20", "--json", *flags)
    assert done.code == 0, done.err


@pytest.mark.parametrize("words", [(), ("--log-json",)], ids=["text", "json"])
def test_a_sigma_that_is_too_small_runs_with_a_warning(
    bitarm: Command, words: tuple[str, ...]
) -> None:
    done = bitarm(*_COINS, "--sigma", "0.1,0.6", "--json", *words)
    assert done.code == 0
    assert "sigma = 0.1 is too small for these rewards: 0.4967 is valid" in done.err
    assert [point["guarantee"] for point in done.json["results"]] == [None, 0.05]


def test_a_terminal_sees_progress(home: Path) -> None:
    words = ("--seed", "1", "--trials", "20000", "--workers", "1", "--json")
    done = OnTerminal(home, *_ARMS, *words).finished()
    assert done.code == 0
    assert "of 20,000 trials" in done.err
    assert done.json["trials"] == 20000


@pytest.mark.parametrize(
    "lines", ["bounds = [0.0, 1.0]", "sigma = 0.4", "bounds = [0.0, 1.0]\nsigma = 0.45"]
)
def test_a_problem_file_means_the_same_sigma_and_guarantee_as_for_a_run(
    lines: str, bitarm: Command, tmp_path: Path
) -> None:
    """Of arms whose rewards vary less than the bounds allow, or more than sigma says."""
    file = tmp_path / "problem.toml"
    arms = "".join(
        f'[[arm]]\nsource = "beta"\nmean = {mean}\nconcentration = 20.0\n' for mean in (0.2, 0.8)
    )
    file.write_text(f'[problem]\n{lines}\n[scheme]\npolicy = "se"\n{arms}', encoding="utf-8")
    run = bitarm("identify", file, "--seed", 1, "--json").json
    (point,) = bitarm("simulate", file, "--seed", 1, "--trials", 5, "--json").json["results"]
    for word in ("sigma", "bounds", "delta", "guarantee", "guarantee_reason"):
        assert point[word] == run[word], word


def test_a_link_that_cuts_answers_short_is_told_under_the_table(bitarm: Command) -> None:
    arms = ("simulate", "--arms", "bernoulli:0.9,0.1", "--bounds", "0", "1", "--trials", "2")
    said = " ".join(bitarm(*arms, "--seed", "1", "--link", "lorawan-us915-dr0").out.split())
    assert "answers of at most 16 bits, as lorawan-us915-dr0 carries" in said
    assert "learner and agents themselves" in said
