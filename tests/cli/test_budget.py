"""A fixed budget on the command line: an answer that nowhere looks like a proof."""

import json
import math
from pathlib import Path

from cli.program import Command

_FLAGS = "--policy sequential-halving --pull-budget 240 --bit-budget 42 --quantizer dicq --seed 3"


def test_the_answer_is_called_a_guess(bitarm: Command) -> None:
    done = bitarm("identify", *_FLAGS.split())
    assert done.code == 0
    words = " ".join(done.out.split())
    assert "best guess water-tower (arm 2), as the budget is spent" in words
    assert "guarantee none: a fixed budget buys an answer, not a proof" in words
    assert "pull budget 240, bit budget 42" in words
    assert "best arm" not in words
    assert "delta" not in words


def test_past_runs_show_no_interval_and_replay_to_the_same_guess(bitarm: Command) -> None:
    bitarm("identify", *_FLAGS.split())
    shown = bitarm("runs", "show", "last")
    assert "±" not in shown.out
    assert "best guess" in shown.out
    assert "budget_spent" in bitarm("runs", "list").out
    assert "every decision agrees" in bitarm("runs", "replay", "last").out


def test_a_sweep_over_budgets_shows_exact_intervals(bitarm: Command, tmp_path: Path) -> None:
    plot = tmp_path / "budget.svg"
    flags = "--arms bernoulli:0.4,0.6 --policy sequential-halving --pull-budget 20,60 --trials 400"
    words = (*flags.split(), "--seed", "1", "--quantizer", "exact,dicq", "--bounds", "0", "1")
    table = bitarm("simulate", *words, "--plot", plot)
    assert table.code == 0
    assert "pulls=20" in table.out
    assert "undecided" not in table.out
    assert "no guarantee: a fixed budget" in table.err
    assert plot.stat().st_size > 0
    points = json.loads(bitarm("simulate", *words, "--json").out)["results"]
    assert [point["pull_budget"] for point in points] == [20, 60, 20, 60] or [
        point["pull_budget"] for point in points
    ] == [20, 20, 60, 60]
    for point in points:
        rate = point["error_rate"]
        assert 0 <= rate["low"] < rate["value"] < rate["high"] < 1
        assert point["outcomes"] == {"budget_spent": 400}
        assert point["delta"] is None


def test_a_file_with_a_budget_is_run_with_a_proof_instead_by_one_flag(
    bitarm: Command, tmp_path: Path
) -> None:
    file = tmp_path / "budget.toml"
    file.write_text(
        "[problem]\npull_budget = 60\nbit_budget = 30\nbounds = [0.0, 1.0]\n"
        '[scheme]\nquantizer = "icq"\npolicy = "sequential-halving"\ninterval_delta = 0.1\n'
        '[[arm]]\nsource = "bernoulli"\nmean = 0.1\n[[arm]]\nsource = "bernoulli"\nmean = 0.9\n'
    )
    spent = json.loads(bitarm("identify", file, "--json", "--seed", 1).out)
    assert (spent["outcome"], spent["best_arm"]) == ("budget_spent", 1)
    proven = json.loads(bitarm("identify", file, "--policy", "se", "--json", "--seed", 1).out)
    assert (proven["outcome"], proven["guarantee"]) == ("decided", 0.05)
    assert math.isclose(spent["interval_delta"], 0.1)
