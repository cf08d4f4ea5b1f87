"""All agents pass the same vectors, and the file is what the script makes."""

import importlib.util
from collections import Counter
from dataclasses import replace

import pytest
from devices.benches import HOME, Bench, PythonBench
from devices.short_floats import ShortBench
from devices.vectors import PATH, Case, Outcome, agree, play, recorded

from bitarm.core.messages import Report
from bitarm.core.question import BEATEN
from bitarm.wire import decode

VECTORS = recorded()


def check(case: Case, expected: list[Outcome], bench: Bench) -> None:
    assert agree(play(case, bench), expected), case.name


def test_the_file_is_current() -> None:
    script = HOME / "scripts" / "make_agent_vectors.py"
    spec = importlib.util.spec_from_file_location("make_agent_vectors", script)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert PATH.read_text("utf-8") == made.document()


def test_the_vectors_have_answers_silence_and_every_refusal_of_a_frame() -> None:
    outcomes = [outcome for _, expected in VECTORS for outcome in expected]
    assert {outcome.refuse for outcome in outcomes} == {
        None,
        "truncated",
        "corrupt",
        "version",
        "refused",
    }
    assert any(outcome.say is not None for outcome in outcomes)


def test_the_core_says_why_it_refuses() -> None:
    for case, expected in VECTORS:
        assert play(case, PythonBench()) == expected, case.name


def test_agents_pass_the_vectors(bench: Bench) -> None:
    for case, expected in VECTORS:
        check(case, expected, bench)


def test_a_wrong_answer_would_be_noticed(bench: Bench) -> None:
    """The comparison itself can fail: one reward more, and another word is said."""
    case, expected = next(
        (case, expected) for case, expected in VECTORS if case.name.startswith("nearest, ")
    )
    moved = Case(name=case.name, events=case.events, rewards=[0, *case.rewards[1:]], low=case.low)
    assert not agree(play(moved, bench), expected)


def cut_short(case: Case) -> list[Case]:
    """The case as far as each of its events, if they are not very many."""
    sizes = range(1, len(case.events) + 1 if len(case.events) < 40 else 1)
    return [replace(case, events=case.events[:size]) for size in sizes]


def rests(case: Case, bench: Bench) -> list[str]:
    """What an agent says of its rest after a case, and again after a power cut."""
    play(case, bench)
    before = bench.ask("0 rest").kind
    bench.ask("0 cut")
    return [before, bench.ask("0 rest").kind]


@pytest.fixture(scope="module")
def rests_of_the_core() -> list[tuple[Case, list[str]]]:
    core = PythonBench()
    return [(begun, rests(begun, core)) for case, _ in VECTORS for begun in cut_short(case)]


def test_an_agent_knows_whether_it_said_that_it_is_beaten(
    bench: Bench, rests_of_the_core: list[tuple[Case, list[str]]]
) -> None:
    """Power cuts, dismissals and later questions included: who gave up may rest."""
    found = Counter[str]()
    for case, expected in rests_of_the_core:
        assert rests(case, bench) == expected, case.name
        found.update(expected)
    assert min(found["rest"], found["quiet"]) > 20


@pytest.mark.slow
def test_floats_of_thirty_bits_are_enough_for_the_vectors() -> None:
    for case, expected in VECTORS:
        check(case, expected, ShortBench())


def test_every_fight_is_decided_by_a_hair() -> None:
    """Too little, and the arm goes on; a fifth of a nat more than that, and it gives up at once."""
    fights = [(case, outcomes) for case, outcomes in VECTORS if case.name.startswith("fight ")]
    assert len(fights) == 60
    for case, (first, last) in fights:
        assert last.say is not None
        (report,) = decode(last.say)
        assert isinstance(report, Report)
        has_enough = case.name.endswith("enough")
        assert (report.symbol == BEATEN, last.count == first.count) == (
            has_enough,
            has_enough or case.rewards[first.count :] == [],
        ), case.name


@pytest.mark.slow
def test_micropython_passes_the_vectors(node_bench: Bench) -> None:
    for case, expected in VECTORS:
        check(case, expected, node_bench)


@pytest.mark.slow
def test_the_emulated_board_passes_the_vectors(small_bench: Bench) -> None:
    """A Cortex-M0 with single precision: the same frames, and counts that are no lower."""
    for case, expected in VECTORS:
        played = play(case, small_bench)
        assert agree(
            [replace(one, count=0) for one in played], [replace(one, count=0) for one in expected]
        ), case.name
        assert all(
            mine.count >= exact.count for mine, exact in zip(played, expected, strict=True)
        ), case.name
