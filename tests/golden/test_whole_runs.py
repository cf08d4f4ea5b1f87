"""Whole runs and simulations are what they were when they were recorded, to the last bit."""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from golden import simulations, whole_runs
from golden.run_cases import Case, cases
from golden.simulations import CASES, Simulated
from golden.whole_runs import REPORT, SEEDS, path_of, recorded

RUNS = tuple(cases())
KEPT = sorted({case.quantizer for case in RUNS})


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.name)
def test_a_run_goes_as_it_was_recorded(case: Case) -> None:
    before = recorded(case.quantizer)
    for seed in SEEDS:
        difference = whole_runs.difference(before[case.name, seed], whole_runs.run(case, seed))
        assert difference is None, difference


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_simulation_goes_as_it_was_recorded(case: Simulated) -> None:
    before = simulations.recorded()[case.name]
    difference = simulations.difference(before, simulations.run(case))
    assert difference is None, difference


def test_nothing_is_recorded_that_is_not_run() -> None:
    expected = Counter((case.quantizer, case.name, seed) for case in RUNS for seed in SEEDS)
    found = Counter((kind, name, seed) for kind in KEPT for name, seed in recorded(kind))
    assert found == expected
    assert sorted(path_of("x").parent.glob("runs_*")) == sorted(map(path_of, KEPT))
    assert list(simulations.recorded()) == [case.name for case in CASES]


def test_the_records_show_what_they_are_meant_to_guard() -> None:
    every = [record for kind in KEPT for record in recorded(kind).values()]
    assert {record["outcome"] for record in every} == {
        "decided",
        "budget_spent",
        "round_limit",
        "sample_limit",
        "bit_limit",
    }
    column = REPORT.index("ceiling")
    conceded = [
        record
        for record in every
        if any(report[column] is not None for report in record["reports"])
    ]
    assert len(conceded) > 100  # arms that were told a cut, and fell
    assert sum(bool(record["drops"]) for record in every) > 1000
    assert any(record["guarantee"] is None for record in every)


def _tampered_reports() -> list[tuple[str, Callable[[Any], Any]]]:
    def other_bit(text: str) -> str:
        return text[:-1] + ("0" if text[-1] == "1" else "1")

    def next_float(text: str) -> str:
        return (float.fromhex(text) * (1 + 2.0**-52)).hex()

    return [
        ("round", lambda number: number + 1),
        ("arm", lambda number: number + 1),
        ("pulls", lambda number: number + 1),
        ("symbol", other_bit),
        ("mean", next_float),
        ("error", next_float),
        ("radius", next_float),
        ("ceiling", lambda nothing: "0x0.0p+0"),
    ]


def some_run() -> tuple[Case, whole_runs.Record]:
    case = next(case for case in RUNS if case.name.startswith("dicq, quiet pairwise-mixture"))
    return case, whole_runs.run(case, 1)


@pytest.mark.parametrize(("field", "change"), _tampered_reports(), ids=REPORT)
def test_a_tampered_report_is_noticed(field: str, change: Callable[[Any], Any]) -> None:
    case, now = some_run()
    before = deepcopy(recorded(case.quantizer)[case.name, 1])
    report = before["reports"][2]
    report[REPORT.index(field)] = change(report[REPORT.index(field)])
    difference = whole_runs.difference(before, now)
    assert difference is not None
    assert case.name in difference
    assert "report 3 " in difference
    assert f"had {field} " in difference


@pytest.mark.parametrize(
    "word",
    [
        "messages",
        "outcome",
        "best_arm",
        "guarantee",
        "guarantee_reason",
        "rounds",
        "samples",
        "payload_bits",
        "drops",
        "words",
    ],
)
def test_a_tampered_ending_is_noticed(word: str) -> None:
    case, now = some_run()
    before = deepcopy(recorded(case.quantizer)[case.name, 1])
    before[word] = "something else"
    difference = whole_runs.difference(before, now)
    assert difference is not None
    assert f"{case.name}, seed 1: {word} was 'something else'" in difference


def test_a_missing_report_is_noticed() -> None:
    case, now = some_run()
    before = deepcopy(recorded(case.quantizer)[case.name, 1])
    before["reports"].pop()
    assert "reports, now" in (whole_runs.difference(before, now) or "")


def test_a_tampered_simulation_is_noticed() -> None:
    case = next(case for case in CASES if case.name == "quiet alone")
    now = simulations.run(case)
    before = deepcopy(simulations.recorded()[case.name])
    assert simulations.difference(before, now) is None
    before["simulation"]["results"][0]["samples"]["mean"] *= 1 + 2.0**-52
    difference = simulations.difference(before, now)
    assert difference is not None
    assert "quiet alone: /simulation/results/0/samples/mean was" in difference
    del before["simulation"]["results"][0]["samples"]
    assert simulations.difference(before, now) is not None
