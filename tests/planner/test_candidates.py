"""Candidates: all of them can be built and have a proof; steps stay inside and can be undone."""

from typing import Any

import pytest
from planner.tasks import task_of

from bitarm.planner.axes import AXES, Ladder
from bitarm.planner.candidates import (
    mildest_of,
    neighbours,
    rescaled,
    starting_settings,
    tunable,
    worst_of,
)
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.setting_simulator import SettingSimulator

_TASKS: dict[str, dict[str, Any]] = {
    "unbounded": {},
    "bounded": {"bounds": (0.0, 1.0)},
    "bounds beside 0": {"bounds": (-3.0, 2.0)},
    "tiny gap": {"gap": 1e-4},
    "huge gap": {"gap": 50.0},
}


def _of_policy(policy: str, task: PlanningTask) -> SchemeWords:
    return next(setting for setting in starting_settings(task) if setting.words["policy"] == policy)


@pytest.fixture(params=list(_TASKS.values()), ids=list(_TASKS))
def task(request: pytest.FixtureRequest) -> PlanningTask:
    return task_of(**request.param)


def test_every_candidate_and_every_neighbour_has_a_proof(task: PlanningTask) -> None:
    simulator = SettingSimulator(task, seed=1)
    starts = starting_settings(task)
    assert len(starts) == len(set(starts))
    near = {
        neighbour
        for start in starts[:: len(starts) // 6]
        for word in tunable(start, task)
        for neighbour in neighbours(start, word, task)
    }
    for setting in (*starts, *near):
        assert simulator.claim_of(setting).delta == task.delta, setting.describe()


def test_every_quantizer_that_fits_the_bounds_is_tried(task: PlanningTask) -> None:
    quantizers = {setting.words["quantizer"] for setting in starting_settings(task)}
    expected = {"dyadic", "dicq", "icq", "exact"}
    if task.bounds is not None:
        expected |= {"fed-sel"}
    if task.bounds is None or task.bounds[0] == 0:
        expected |= {"quban"}  # it codes means as distances from 0
    assert quantizers == expected


def test_a_neighbour_differs_in_one_word_and_has_the_setting_among_its_own(
    task: PlanningTask,
) -> None:
    for setting in starting_settings(task)[::7]:
        for word in tunable(setting, task):
            for near in neighbours(setting, word, task):
                assert [
                    changed
                    for changed in near.words
                    if near.words[changed] != setting.words[changed]
                ] == [word]
                if not isinstance(AXES.get(word), Ladder) and word not in ("first", "start"):
                    assert setting in neighbours(near, word, task)


def test_kappa_and_growth_stay_where_a_quantizer_and_a_schedule_take_them() -> None:
    task = task_of()
    setting = _of_policy("se", task)
    for value, word in ((0.1, "kappa"), (1.1, "growth"), (1, "first")):
        for near in neighbours(setting.with_word(word, value), word, task):
            assert SettingSimulator(task, seed=1).claim_of(near).delta == 0.05


def test_a_setting_for_half_the_gap_reports_four_times_as_late() -> None:
    for policy, word in (("se", "first"), ("challenge", "start")):
        setting = _of_policy(policy, task_of()).with_word(word, 100)
        assert rescaled(setting, 0.5, task_of()).words[word] == 400
        assert rescaled(setting, 100.0, task_of()).words[word] == 1


def test_the_worst_of_a_kind_has_the_smallest_steps_and_the_most_messages() -> None:
    setting = _of_policy("se", task_of())
    words = worst_of(setting, task_of()).words
    assert (words["kappa"], words["growth"], words["first"]) == (0.1, 1.1, 1)
    ends = worst_of(setting, task_of()), mildest_of(setting, task_of())
    assert ends[0].kind[:2] == ends[1].kind[:2] == setting.kind[:2]
    words = ends[1].words
    assert (words["kappa"], words["growth"]) == (20.0, 10.0)


def test_the_worst_of_agents_that_judge_keeps_what_is_known_of_the_rewards() -> None:
    task = task_of(bounds=(0.0, 1.0), gap=0.3)
    words = worst_of(_of_policy("challenge", task), task).words
    assert (words["kappa"], words["start"], words["width"]) == (0.1, 1, "bounded")


@pytest.mark.parametrize(
    ("known", "width"),
    [
        ({"sigma": 1.0}, "sub-gaussian"),
        ({"sigma": 0.5, "bounds": (0.0, 1.0)}, "sub-gaussian"),
        ({"bounds": (0.0, 1.0)}, "bounded"),
    ],
)
def test_agents_judge_by_what_is_known_of_the_rewards(known: dict[str, Any], width: str) -> None:
    settings = [setting for setting in starting_settings(task_of(**known)) if setting.is_judged]
    assert {setting.words["width"] for setting in settings} == {width}
    assert "width" not in tunable(settings[0], task_of(**known))
