"""The search: a race, a climb and a final on environments that chose nobody."""

from typing import Any, cast

import pytest
from planner.efforts import quick_searches
from planner.fabricated import figures
from planner.tasks import task_of

from bitarm.errors import ConfigError
from bitarm.planner import testbeds
from bitarm.planner.candidates import starting_settings
from bitarm.planner.figures import Figures
from bitarm.planner.link_costs import LinkCheck
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.search import Search, Tried
from bitarm.planner.setting_simulator import SettingSimulator

pytestmark = pytest.mark.slow  # compiles kernels


def _search(task: PlanningTask) -> Search:
    simulator = SettingSimulator(task, seed=1)
    return Search(simulator=simulator, link_check=LinkCheck(task, simulator.spec_of))


def _found(search: Search, starts: list[SchemeWords]) -> Tried:
    search.explore(starts)
    return search.settle()


class _Deciding:
    """Simulates nothing: every setting decides on the first testbeds, and on no later one."""

    def __init__(self, task: PlanningTask, *, first: int) -> None:
        self._simulator, self._first = SettingSimulator(task, seed=1), first

    def __getattr__(self, name: str) -> Any:
        return getattr(self._simulator, name)

    def measure(self, setting: SchemeWords, testbed: testbeds.Testbed) -> Figures | None:
        _, number = testbed.seed
        return figures() if number < self._first else None


def _deciding(task: PlanningTask, *, first: int) -> Search:
    simulator = cast(SettingSimulator, _Deciding(task, first=first))
    return Search(simulator=simulator, link_check=LinkCheck(task, simulator.spec_of))


@pytest.mark.parametrize("first", [0, 1])
def test_if_nothing_decides_that_is_the_reason(first: int) -> None:
    task = task_of(link="lorawan-eu868-dr0")
    search = _deciding(task, first=first)
    with pytest.raises(ConfigError, match="no setting decides for these gaps"):
        search.explore(starting_settings(task)[:3])


def test_if_nothing_decides_in_the_final_the_best_until_then_is_the_plan() -> None:
    task = task_of()
    search = _deciding(task, first=2)
    search.explore(starting_settings(task)[:3])
    assert search.settle().setting in search.compared


def test_a_climb_does_not_end_above_where_it_began() -> None:
    search = _search(task_of())
    start = search.compare(starting_settings(task_of())[0])
    assert start is not None
    search.climb(start)
    best = min(search.compared.values(), key=lambda tried: tried.score)
    assert best.score < start.score


def test_a_bad_start_is_left_behind() -> None:
    task = task_of(per_pull=1.0)
    search = _search(task)
    late = starting_settings(task)[0].with_word("start", 3 * task.longest)
    found = _found(search, [late])
    first = search.compared[late]
    assert found.figures.cost.mean < 0.6 * first.figures.cost.mean


def test_bits_alone_and_pulls_alone_lead_to_other_settings() -> None:
    bits, pulls = (
        _found(_search(task), starting_settings(task))
        for task in (task_of(per_bit=1.0), task_of(per_pull=1.0))
    )
    assert bits.figures.payload_bits.mean < 0.5 * pulls.figures.payload_bits.mean
    assert pulls.figures.samples.mean < 0.5 * bits.figures.samples.mean


def test_free_pulls_are_not_wasted() -> None:
    task = task_of(per_message=1.0)
    found = _found(_search(task), starting_settings(task))
    assert found.figures.messages.mean == pytest.approx(4, rel=0.02)  # one report an arm
    assert found.figures.samples.mean < 3 * 4 * task.longest


def test_only_what_the_link_carries_is_returned() -> None:
    task = task_of(bounds=(0.0, 1.0), gap=0.3, link="lorawan-us915-dr0")
    found = _found(_search(task), starting_settings(task))
    assert found.setting.words["quantizer"] == "icq"


def test_if_nothing_fits_the_reason_is_told() -> None:
    # without bounds a codeword can be long, and D-ICQ does not ask again
    task = task_of(link="lorawan-us915-dr0", fixed={"quantizer": "dicq"})
    with pytest.raises(ConfigError, match=r"no setting.* fits: the link .* carries 11 bytes up"):
        _found(_search(task), starting_settings(task))


def test_a_link_that_cuts_answers_short_has_a_setting_measured_by_the_machines() -> None:
    with quick_searches():
        cut, whole = (
            _search(task).on_link(starting_settings(task)[0])
            for task in (task_of(link="lorawan-us915-dr0"), task_of(link="lorawan-eu868-dr0"))
        )
    assert whole is None
    assert cut is not None
    assert (cut.measured_by, cut.wrong, cut.undecided) == ("machines", 0, 0)
