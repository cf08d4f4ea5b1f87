"""An embedded run that is stopped, by a source, a journal or Ctrl-C, always has an ending."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from runtime.embedded_runs import (
    TAPE,
    Failing,
    Planned,
    embedded,
    ending_in,
    events_in,
    problem_of,
    sent_frames,
)
from tapes import Problem, make_spec

from bitarm.core.events import (
    LearnerEvent,
    ReportAccepted,
    TrafficMeasured,
)
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.rewards import RewardSource
from bitarm.errors import RewardError, StoreError
from bitarm.runtime.embedded import EmbeddedRun
from bitarm.store import MemoryJournal


def _through_ctrl_c(embedded: EmbeddedRun) -> int:
    """Run to the end; Ctrl-C must not come out, least of all into the test runner."""
    try:
        return embedded.run()
    except KeyboardInterrupt:
        pytest.fail("Ctrl-C came out of the run instead of ending it")


def _raise(error: BaseException) -> Callable[[], None]:
    def happen() -> None:
        raise error

    return happen


@pytest.mark.parametrize("at", [1, 3, 5])
@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (RewardError("no more"), RewardError),
        (ZeroDivisionError("a defect of the source"), Exception),
        (SystemExit(3), (RewardError, SystemExit)),
    ],
    ids=repr,
)
def test_a_source_that_fails_leaves_a_run_with_an_ending(
    at: int, error: BaseException, raised: Any
) -> None:
    journal = MemoryJournal()
    sources = [Planned(0.5), Planned(0.5, at, _raise(error)), Planned(0.5)]
    with pytest.raises(raised):
        embedded(problem_of(), journal, sources).run()
    ending = ending_in(journal)
    assert (ending.outcome, ending.best_arm) == (Outcome.INTERRUPTED, None)
    reports = [event for event in events_in(journal) if isinstance(event, ReportAccepted)]
    assert len(reports) == {1: 0, 3: 3, 5: 6}[at]


@pytest.mark.parametrize("at", [1, 3, 5])
def test_ctrl_c_during_a_pull_ends_the_run_as_interrupted(at: int) -> None:
    journal = MemoryJournal()
    sources = [Planned(0.5), Planned(0.5, at, _raise(KeyboardInterrupt())), Planned(0.5)]
    assert _through_ctrl_c(embedded(problem_of(), journal, sources)) == 1
    assert ending_in(journal).outcome is Outcome.INTERRUPTED
    assert isinstance(events_in(journal)[-1], TrafficMeasured)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_source_that_gives_another_number_of_rewards_is_at_fault(count: int) -> None:
    class Miscounting:
        def pull(self, wanted: int) -> Sequence[float]:
            return [0.5] * count

    journal = MemoryJournal()
    sources: list[RewardSource] = [Planned(0.5), Miscounting(), Planned(0.5)]
    with pytest.raises(RewardError, match=r"^arm-1 \(arm 1\): .*2"):
        embedded(problem_of(), journal, sources).run()
    assert ending_in(journal).outcome is Outcome.INTERRUPTED


def test_rewards_that_add_up_to_no_float_name_the_arm() -> None:
    spec = make_spec(arms=2, bounds=None, sigma=2e307)
    problem = Problem(spec=spec, policy=SuccessiveElimination(), limits=Limits(), tape=TAPE)
    journal = MemoryJournal()
    sources = [Planned(0.0), Planned(7e307)]
    with pytest.raises(RewardError, match=r"^arm-1 \(arm 1\): "):
        embedded(problem, journal, sources).run()
    assert ending_in(journal).outcome is Outcome.INTERRUPTED


def _times_watched() -> int:
    told: list[int] = []
    embedded(problem_of(), MemoryJournal(), watch=lambda events: told.append(1)).run()
    return len(told)


def test_ctrl_c_while_watching_ends_the_run_whenever_it_comes() -> None:
    """The live table waits inside the watcher: that is where Ctrl-C mostly finds the program."""
    total = _times_watched()
    assert total > 5
    for at in range(1, total):  # the last is the traffic, after the ending
        journal = MemoryJournal()
        told: list[int] = []

        def watch(events: Sequence[LearnerEvent], told: list[int] = told, at: int = at) -> None:
            told.append(1)
            if len(told) == at:
                raise KeyboardInterrupt

        _through_ctrl_c(embedded(problem_of(), journal, watch=watch))
        decided = at == total - 1  # the ending itself was kept already
        assert ending_in(journal).outcome is (Outcome.DECIDED if decided else Outcome.INTERRUPTED)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_ctrl_c_before_a_step_is_kept_loses_nothing_that_the_learner_did(at: int) -> None:
    journal = Failing(at, KeyboardInterrupt())
    _through_ctrl_c(embedded(problem_of(), journal))
    ending = ending_in(journal)
    assert ending.outcome is Outcome.INTERRUPTED
    assert ending.rounds >= 1


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_journal_that_fails_stops_the_run_and_is_blamed(at: int) -> None:
    journal = Failing(at, StoreError("the disk is full"))
    with pytest.raises(StoreError, match="the disk is full"):
        embedded(problem_of(), journal).run()


def test_a_run_whose_opening_fails_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    frames, pulled = sent_frames(monkeypatch, []), list[int]()
    sources = [Planned(0.5, 0, lambda: pulled.append(1)) for _ in range(3)]
    told: list[LearnerEvent] = []
    journal = Failing(0, StoreError("the disk is full"))
    with pytest.raises(StoreError, match="the disk is full"):
        embedded(problem_of(), journal, sources, watch=told.extend).run()
    assert (journal.runs(), frames, pulled, told) == ([], [], [], [])
