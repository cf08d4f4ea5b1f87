"""Whole runs and simulations are what they were when they were recorded, to the last bit."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from golden import simulations, whole_runs
from golden.simulations import CASES, Simulated
from golden.whole_runs import REPORT, Record, kept_of, recorded

KEPT = {name: [*recorded(name).values()] for name in kept_of()}
NAMES = sorted({(kind, record["case"]) for kind, records in KEPT.items() for record in records})


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "case"), NAMES, ids=lambda value: str(value))
def test_a_run_goes_as_it_was_recorded(kind: str, case: str) -> None:
    for before in KEPT[kind]:
        if before["case"] == case:
            difference = whole_runs.difference(before, whole_runs.run_again(before))
            assert difference is None, difference


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_simulation_goes_as_it_was_recorded(case: Simulated) -> None:
    before = simulations.recorded()[case.name]
    difference = simulations.difference(before, simulations.run(case))
    assert difference is None, difference


def test_nothing_is_recorded_that_is_not_run() -> None:
    assert list(simulations.recorded()) == [case.name for case in CASES]


def test_the_records_show_what_they_are_meant_to_guard() -> None:
    every = [record for records in KEPT.values() for record in records]
    assert {record["outcome"] for record in every} == {
        "decided",
        "budget_spent",
        "round_limit",
        "sample_limit",
        "bit_limit",
    }
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
    ]


def some_run() -> tuple[Record, Record]:
    """A record that a test may tamper with, and what is recorded now."""
    before = next(record for record in KEPT["dicq"] if record["case"].startswith("dicq, se pair"))
    return deepcopy(before), whole_runs.run_again(before)


@pytest.mark.parametrize(("field", "change"), _tampered_reports(), ids=REPORT)
def test_a_tampered_report_is_noticed(field: str, change: Callable[[Any], Any]) -> None:
    before, now = some_run()
    report = before["reports"][2]
    report[REPORT.index(field)] = change(report[REPORT.index(field)])
    difference = whole_runs.difference(before, now)
    assert difference is not None
    assert before["case"] in difference
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
    before, now = some_run()
    before[word] = "something else"
    difference = whole_runs.difference(before, now)
    assert difference is not None
    assert f"{before['case']}, seed 1: {word} was 'something else'" in difference


def test_a_missing_report_is_noticed() -> None:
    before, now = some_run()
    before["reports"].pop()
    assert "reports, now" in (whole_runs.difference(before, now) or "")


def test_a_tampered_simulation_is_noticed() -> None:
    case = next(case for case in CASES if case.name == "lucb, dicq alone")
    now = simulations.run(case)
    before = deepcopy(simulations.recorded()[case.name])
    assert simulations.difference(before, now) is None
    before["simulation"]["results"][0]["samples"]["mean"] *= 1 + 2.0**-52
    difference = simulations.difference(before, now)
    assert difference is not None
    assert "lucb, dicq alone: /simulation/results/0/samples/mean was" in difference
    del before["simulation"]["results"][0]["samples"]
    assert simulations.difference(before, now) is not None
