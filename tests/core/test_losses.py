"""Arms whose agent is gone: who leaves, who may still be named, and what is then claimed."""

import math
from copy import deepcopy

import pytest
from core.races import Race

from bitarm.core.events import (
    ArmDropped,
    ArmsLost,
    ReportAccepted,
    ReportIgnored,
)
from bitarm.core.evidence.tasks import Challenge, Edge, Pilot
from bitarm.core.guarantee import covered_arms
from bitarm.core.learner_state import ArmPhase, LearnerOutput
from bitarm.core.messages import Cause, Dismiss
from bitarm.core.outcome import Outcome
from bitarm.core.policies import POLICIES, ChallengeElimination
from bitarm.core.replay import replay
from bitarm.errors import LocalProtocolError, StoreError


@pytest.mark.parametrize(
    "name", [name for name in POLICIES if not name.startswith("s") or name == "se"]
)
def test_the_answer_after_a_loss_is_the_best_of_the_others(name: str) -> None:
    race = Race((300, 500, 950), POLICIES[name]())
    race.round(without=(2,))
    race.take(race.learner.lose((2,)))
    ending = race.run()
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 1)
    assert replay(race.events).save() == race.learner.save()


def test_the_guarantee_says_whom_it_does_not_cover() -> None:
    race = Race((300, 500, 950))
    race.take(race.learner.lose((2,)))
    ending = race.run()
    assert ending.guarantee == race.problem.spec.delta
    assert "it covers the 2 arms that remained, not arm-2" in ending.guarantee_reason


def test_the_last_report_that_was_due_may_be_a_lost_one() -> None:
    race = Race((300, 500, 950))
    race.round(without=(2,))
    assert race.learner.rounds == 1
    race.take(race.learner.lose((2,)))
    assert race.learner.rounds == 2
    assert {request.arm for request in race.learner.pending} == {0, 1}


def test_a_lost_agent_that_comes_back_is_told_that_its_arm_is_out() -> None:
    race = Race((300, 500, 950))
    (request,) = [asked for asked in race.learner.pending if asked.arm == 2]
    race.take(race.learner.lose((2,)))
    assert race.told == [Dismiss(run=request.run, arm=2, cause=Cause.DROPPED)]
    race.told.clear()
    race.serve(request)
    assert [dismissal.cause for dismissal in race.told] == [Cause.DROPPED]


def test_the_late_answer_of_a_lost_agent_contradicts_nothing() -> None:
    race = Race((300, 500, 950))
    race.round()
    (request,) = [asked for asked in race.learner.pending if asked.arm == 2]
    race.take(race.learner.lose((2,)))
    race.serve(request)  # another mean than the one that it told before
    assert race.events[-1] == ReportIgnored(arm=2, message=2)
    assert race.learner.caveats == ()


def test_an_arm_that_only_a_lost_one_beat_is_not_covered() -> None:
    race = Race((10, 480, 500, 1000))
    while race.learner.arms[0].phase is not ArmPhase.OUT:
        race.round()
    assert race.learner.arms[0].dropped_for == 3
    race.take(race.learner.lose((3,)))
    assert covered_arms(race.learner.arms) == [1, 2]


def test_one_arm_alone_is_no_answer_if_it_beat_nobody() -> None:
    race = Race((300, 500, 950))
    race.take(race.learner.lose((0, 1)))
    ending = race.learner.ending
    assert ending is None  # its report is still due
    ending = race.run()
    assert (ending.outcome, ending.best_arm, ending.guarantee) == (Outcome.AGENT_LOST, None, None)


def test_one_arm_alone_answers_if_it_beat_another() -> None:
    race = Race((10, 940, 1000))
    while race.learner.arms[0].phase is not ArmPhase.OUT:
        race.round()
    better = race.learner.arms[0].dropped_for
    assert better is not None
    race.take(race.learner.lose((3 - better,)))
    ending = race.run()
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, better)
    assert replay(race.events).save() == race.learner.save()


def test_all_arms_lost_end_the_run() -> None:
    race = Race((300, 500))
    race.take(race.learner.lose((0, 1)))
    assert race.learner.ending is not None
    assert race.learner.ending.outcome is Outcome.AGENT_LOST


def test_a_loss_may_stop_the_run() -> None:
    race = Race((300, 500, 950))
    race.take(race.learner.lose((1,), stop=True))
    assert race.events[-2:-1] == [ArmsLost(round=1, arms=(1,), stops=True)]
    assert race.learner.ending is not None
    assert race.learner.ending.outcome is Outcome.AGENT_LOST
    assert {dismissal.arm for dismissal in race.told} == {0, 1, 2}
    assert replay(race.events).save() == race.learner.save()


def test_an_arm_that_is_out_cannot_be_lost() -> None:
    race = Race((10, 940, 1000))
    while not any(isinstance(event, ArmDropped) for event in race.events):
        race.round()
    assert race.learner.lose((0,)) == LearnerOutput()


def test_an_arm_that_is_not_there_cannot_be_lost() -> None:
    race = Race((300, 500))
    with pytest.raises(LocalProtocolError, match="there are only 2 arms"):
        race.learner.lose((2,))
    with pytest.raises(StoreError):
        replay([*race.events, ArmsLost(round=1, arms=(7,), stops=False)])


# -- the leader is lost after it reported, before those that it went ahead of --------------------


def _challenged(means: tuple[int, ...], *, beaten: int) -> tuple[Race, int]:
    """A race up to the round in which `beaten` is told of a challenge that it will lose."""
    race = Race(means, ChallengeElimination())
    while True:
        assert race.learner.ending is None
        for request in race.learner.pending:
            if request.arm == beaten and isinstance(request.question.task, Challenge):
                ahead = deepcopy(race)
                ahead.serve(request)
                leader = ahead.learner.arms[beaten].beaten_by
                if leader is not None:
                    return race, leader
        race.round()


def test_an_arm_that_gave_up_for_a_lost_leader_stays_in_the_race() -> None:
    race, leader = _challenged((300, 600, 700, 950), beaten=0)
    assert leader == 3
    race.take(race.learner.lose((leader,)))
    rounds = race.learner.rounds
    dropped = {event.arm for event in race.events if isinstance(event, ArmDropped)}
    race.round()
    assert race.learner.rounds == rounds + 1
    gave_up = {
        event.arm
        for event in race.events
        if isinstance(event, ReportAccepted) and event.beaten_by is not None
    }
    assert 0 in gave_up
    for event in race.events:  # whoever fell now fell for one that is still there
        if isinstance(event, ArmDropped) and event.arm not in dropped:
            assert event.because != leader
    ending = race.run()
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 2)
    assert "not arm-3" in ending.guarantee_reason
    assert replay(race.events).save() == race.learner.save()


def test_what_an_arm_told_before_it_gave_up_says_nothing_of_the_pulls_since() -> None:
    """Or a mean of few pulls would be taken for one of as many as its conqueror had."""
    race, leader = _challenged((300, 600, 700, 950), beaten=0)
    before = race.learner.view(0)
    assert math.isfinite(before.error)
    race.take(race.learner.lose((leader,)))
    (challenge,) = (request for request in race.learner.pending if request.arm == 0)
    race.serve(challenge)
    after = race.learner.view(0)
    assert (after.mean, after.beaten_by) == (before.mean, leader)
    assert after.pulls > before.pulls
    assert (after.low, after.high) == (-math.inf, math.inf)


def test_of_two_arms_the_one_that_gave_up_for_the_lost_one_is_no_answer() -> None:
    race, leader = _challenged((300, 950), beaten=0)
    assert leader == 1
    race.take(race.learner.lose((leader,)))
    ending = race.run()
    assert (ending.outcome, ending.best_arm, ending.guarantee) == (Outcome.AGENT_LOST, None, None)


def test_an_arm_that_gave_up_and_fell_is_not_covered_once_its_leader_is_lost() -> None:
    race, leader = _challenged((300, 900, 950), beaten=0)
    race.round()
    assert race.learner.arms[0].dropped_for == leader
    race.take(race.learner.lose((leader,)))
    assert covered_arms(race.learner.arms) == [3 - leader]


def test_a_lost_pilot_is_followed_by_another() -> None:
    race = Race((300, 500, 950), ChallengeElimination())
    assert [request.arm for request in race.learner.pending] == [1]
    race.take(race.learner.lose((1,)))
    assert [(request.arm, request.question.task) for request in race.learner.pending] == [
        (2, Pilot())
    ]
    ending = race.run()
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 2)


def test_a_leader_that_is_lost_on_its_way_is_followed_by_another() -> None:
    race = Race((300, 900, 950), ChallengeElimination())
    while len(race.learner.pending) != 1 or not race.learner.arms[2].message:
        race.round()
    (request,) = race.learner.pending
    race.take(race.learner.lose((request.arm,)))
    (other,) = race.learner.pending
    assert {request.arm, other.arm} <= {1, 2}
    assert isinstance(other.question.task, Edge)
    assert race.run().best_arm == other.arm
