"""Candidates: all of them can be built and have a proof; steps stay inside and can be undone."""

from typing import Any

import pytest
from planner.questions import ask

from bitarm.planner.axes import AXES, Ladder
from bitarm.planner.candidates import (
    coarse,
    mildest_of,
    neighbours,
    rescaled,
    tunable,
    worst_of,
)
from bitarm.planner.gauge import Gauge
from bitarm.planner.question import Question

_QUESTIONS: dict[str, dict[str, Any]] = {
    "unbounded": {},
    "bounded": {"bounds": (0.0, 1.0)},
    "bounds beside 0": {"bounds": (-3.0, 2.0)},
    "tiny gap": {"gap": 1e-4},
    "huge gap": {"gap": 50.0},
}


@pytest.fixture(params=list(_QUESTIONS.values()), ids=list(_QUESTIONS))
def question(request: pytest.FixtureRequest) -> Question:
    return ask(**request.param)


def test_every_candidate_and_every_neighbour_has_a_proof(question: Question) -> None:
    gauge = Gauge(question, seed=1)
    starts = coarse(question)
    assert len(starts) == len(set(starts))
    near = {
        it
        for start in starts[:: len(starts) // 6]
        for word in tunable(start, question)
        for it in neighbours(start, word, question)
    }
    for setting in (*starts, *near):
        assert gauge.claim_of(setting).delta == question.delta, setting.describe()


def test_every_quantizer_that_fits_the_bounds_is_tried(question: Question) -> None:
    quantizers = {setting.words["quantizer"] for setting in coarse(question)}
    expected = {"dicq", "icq", "exact"}
    if question.bounds is not None:
        expected |= {"fed-sel"}
    if question.bounds is None or question.bounds[0] == 0:
        expected |= {"quban"}  # it codes means as distances from 0
    assert quantizers == expected


def test_a_neighbour_differs_in_one_word_and_has_the_setting_among_its_own(
    question: Question,
) -> None:
    for setting in coarse(question)[::7]:
        for word in tunable(setting, question):
            for near in neighbours(setting, word, question):
                assert [it for it in near.words if near.words[it] != setting.words[it]] == [word]
                if not isinstance(AXES.get(word), Ladder) and word != "first":
                    assert setting in neighbours(near, word, question)


def test_kappa_and_growth_stay_where_a_quantizer_and_a_schedule_take_them() -> None:
    question = ask()
    setting = coarse(question)[0]
    for value, word in ((0.1, "kappa"), (1.1, "growth"), (1, "first")):
        for near in neighbours(setting.with_word(word, value), word, question):
            assert Gauge(question, seed=1).claim_of(near).delta == 0.05


def test_a_setting_for_half_the_gap_reports_four_times_as_late() -> None:
    setting = coarse(ask())[0].with_word("first", 100)
    assert rescaled(setting, 0.5, ask()).words["first"] == 400
    assert rescaled(setting, 100.0, ask()).words["first"] == 1


def test_the_worst_of_a_kind_has_the_smallest_steps_and_the_most_messages() -> None:
    setting = coarse(ask())[0]
    words = worst_of(setting, ask()).words
    assert (words["kappa"], words["growth"], words["first"]) == (0.1, 1.1, 1)
    ends = worst_of(setting, ask()), mildest_of(setting, ask())
    assert ends[0].kind[:2] == ends[1].kind[:2] == setting.kind[:2]
    words = ends[1].words
    assert (words["kappa"], words["growth"]) == (20.0, 10.0)
