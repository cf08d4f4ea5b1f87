"""Standings: each event changes what it says and nothing else."""

import math
import random
from dataclasses import replace

import pytest
from drives import drive_problem
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import Network, misbehave
from problems import problems
from tapes import Problem, make_spec

from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.core.events import (
    AgentJoined,
    ArmDropped,
    ArmsLost,
    CaveatNoted,
    EpochBegan,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.learner_state import LearnerOutput
from bitarm.core.messages import Answer, Cause, Dismiss, Request
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.question import Question
from bitarm.core.setup import Setup
from bitarm.core.standings import ArmStanding, Standings, follow
from bitarm.errors import StoreError

OPENED = RunOpened(
    setup=Setup(spec=make_spec(arms=3), policy=SuccessiveElimination()), opening="a run"
)
ENDING = RunEnded(
    outcome=Outcome.BIT_LIMIT,
    best_arm=None,
    guarantee=None,
    guarantee_reason="no answer",
    rounds=1,
    samples=2,
    payload_bits=3,
)


def _report(arm: int, message: int, pulls: int, mean: float, nbits: int = 3) -> ReportAccepted:
    return ReportAccepted(
        round=message,
        arm=arm,
        message=message,
        pulls=pulls,
        symbol=Symbol(0, nbits),
        mean=mean,
        error=0.1,
        radius=0.25,
    )


def test_a_run_that_has_only_begun_knows_its_arms_and_nothing_of_them() -> None:
    standings = Standings.of([OPENED])
    assert standings.arms == [ArmStanding(name=f"arm-{arm}") for arm in range(3)]
    assert all(arm.active and arm.mean is None and arm.radius is None for arm in standings.arms)
    assert (standings.round, standings.samples, standings.payload_bits) == (0, 0, 0)
    assert (standings.ending, standings.traffic, standings.leader) == (None, None, None)


def test_a_round_is_counted_when_it_opens() -> None:
    request = Request(run=1, arm=0, message=1, question=Question(until=2, code=Raw()))
    assert Standings.of([OPENED, RoundOpened(round=4, requests=(request,))]).round == 4


def test_reports_add_up_samples_and_bits_and_replace_the_estimate() -> None:
    standings = Standings.of(
        [OPENED, _report(1, 1, 2, 0.5), _report(1, 2, 8, 0.75, nbits=5), _report(0, 1, 2, 0.25)]
    )
    assert standings.arms[1] == ArmStanding(
        name="arm-1", mean=0.75, radius=0.25, pulls=8, messages=2, payload_bits=8, counted=8
    )
    assert (standings.samples, standings.payload_bits) == (10, 11)


def test_a_repeat_is_counted_and_changes_nothing_else() -> None:
    standings = Standings.of([OPENED, _report(1, 1, 2, 0.5), ReportIgnored(arm=1, message=1)])
    assert standings.arms[1].repeats == 1
    assert (standings.samples, standings.payload_bits) == (2, 3)


def test_a_new_life_counts_its_samples_anew_but_for_those_that_it_shares() -> None:
    renewed = LivesBegan(arms=(1, 2), pulls=(3, 0))
    standings = Standings.of([OPENED, _report(1, 1, 8, 0.5), renewed, _report(1, 2, 16, 0.5)])
    assert [arm.lives for arm in standings.arms] == [1, 2, 2]
    assert [arm.counted for arm in standings.arms] == [0, 16, 0]
    assert (standings.samples, standings.arms[1].pulls) == (8 + 13, 16)
    assert not standings.restored


def test_a_position_tells_that_the_journal_is_an_older_one() -> None:
    events: list[LearnerEvent] = [OPENED, EpochBegan(epoch=4)]
    assert (Standings.of(events).epoch, Standings.of(events).restored) == (4, False)
    events.append(PositionTold(round=1, arm=0, pulls=9))
    standings = Standings.of(events)
    assert standings.restored
    assert (standings.samples, standings.arms[0].pulls) == (0, 0)


def test_the_processes_of_an_agent_are_remembered_in_order() -> None:
    joined = [
        AgentJoined(agent="gw", boot="b1", life="l1"),
        AgentJoined(agent="other", boot="b9", life="l9", restarts=5),
        AgentJoined(agent="gw", boot="b2", life="l1", restarts=1, discarded=1),
    ]
    assert Standings.of([OPENED, *joined]).joined == {
        "gw": [joined[0], joined[2]],
        "other": [joined[1]],
    }


def test_a_dropped_arm_knows_when_and_for_whom() -> None:
    standings = Standings.of([OPENED, ArmDropped(round=3, arm=2, because=1)])
    assert (standings.arms[2].dropped_in, standings.arms[2].dropped_for) == (3, 1)
    assert [arm.active for arm in standings.arms] == [True, True, False]


def test_the_leader_is_the_best_active_arm_and_the_first_of_equals() -> None:
    events: list[LearnerEvent] = [OPENED, _report(1, 1, 2, 0.5), _report(2, 1, 2, 0.5)]
    assert Standings.of(events).leader == 1
    events.append(_report(0, 1, 2, 0.9))
    assert Standings.of(events).leader == 0
    events.append(ArmDropped(round=1, arm=0, because=1))
    assert Standings.of(events).leader == 1


def test_caveats_ending_and_traffic_are_kept_as_they_are() -> None:
    traffic = TrafficMeasured(payload_bytes=1, wire_bytes_up=2, wire_bytes_down=3)
    notes = [CaveatNoted(text="one"), CaveatNoted(text="two")]
    standings = Standings.of([OPENED, *notes, ENDING, traffic])
    assert standings.caveats == ["one", "two"]
    assert (standings.ending, standings.traffic) == (ENDING, traffic)


@pytest.mark.parametrize(
    "events", [[], [ReportIgnored(arm=0, message=1)]], ids=["none", "headless"]
)
def test_a_journal_that_does_not_begin_with_an_opening_is_refused(
    events: list[LearnerEvent],
) -> None:
    with pytest.raises(StoreError, match="begins with its opening, found"):
        Standings.of(events)


@pytest.mark.parametrize(
    "event",
    [
        _report(3, 1, 2, 0.5),
        ReportIgnored(arm=3, message=1),
        ArmDropped(round=1, arm=-4, because=0),
        PositionTold(round=1, arm=3, pulls=9),
        LivesBegan(arms=(0, 3), pulls=(0, 0)),
        ArmDropped(round=1, arm=0, because=3),
        replace(_report(0, 1, 2, 0.5), beaten_by=3),
        replace(ENDING, best_arm=3),
        replace(ENDING, best_arm=-4),
    ],
    ids=lambda event: event.name,
)
def test_an_event_of_an_arm_that_is_not_there_is_the_journals_fault(event: LearnerEvent) -> None:
    with pytest.raises(StoreError, match=r"arm (3|-4)"):
        Standings.of([OPENED, event])


@given(problem=problems())
@settings(max_examples=40)
def test_the_standings_of_a_run_are_what_its_learner_holds(problem: Problem) -> None:
    run = drive_problem(problem)
    standings = Standings.of(run.events)
    learner = run.learner
    assert (standings.round, standings.samples) == (learner.rounds, learner.samples)
    assert (standings.payload_bits, standings.ending) == (learner.payload_bits, learner.ending)
    for arm, (standing, record) in enumerate(zip(standings.arms, learner.arms, strict=True)):
        assert (standing.pulls, standing.messages) == (record.pulls, record.message)
        if record.message:
            radius = learner.radius(arm)
            claimed = radius if math.isfinite(radius) else None
            a, b = problem.spec.bounds or (-math.inf, math.inf)
            shown = min(max(record.held.mean, a), b)  # a cell may reach beyond the bounds
            assert (standing.mean, standing.radius) == (shown, claimed)


class Overheard(Network):
    """A network that folds every event, and compares what was said with what the fold says."""

    def __init__(self, problem: Problem) -> None:
        self.standings: Standings | None = None
        self.answer: Answer | None = None
        super().__init__(problem)

    def carry_up(self, at: int, *, keep: bool) -> None:
        self.answer = self.up[at].answer
        super().carry_up(at, keep=keep)

    def send(self, output: LearnerOutput) -> None:
        down: list[Request | Dismiss] = []
        for event in output.events:
            self.standings = follow(self.standings, event)
            said = self.standings.said
            if isinstance(event, ReportAccepted | PositionTold):
                assert said == (self.answer,)
            else:
                down += [message for message in said if isinstance(message, Request | Dismiss)]
                assert len(down) >= len(said)
        if not any(isinstance(event, ReportIgnored) for event in output.events):
            in_order = sorted(output.messages, key=lambda message: message.arm)
            assert sorted(down, key=lambda message: message.arm) == in_order
        super().send(output)


@given(problem=problems(), seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_what_was_said_with_an_event_is_what_the_machines_said(problem: Problem, seed: int) -> None:
    network = Overheard(problem)
    misbehave(network, random.Random(seed))
    network.settle()


def test_a_new_epoch_asks_again_and_those_who_leave_are_told() -> None:
    question = Question(until=2, code=Raw())
    requests = tuple(Request(run=7, arm=arm, message=4, question=question) for arm in (0, 1, 2))
    standings = Standings.of(
        [OPENED, RoundOpened(round=4, requests=requests), _report(0, 4, 2, 0.5)]
    )
    standings.add(EpochBegan(epoch=9))
    field = standings.said[0].run
    assert standings.said == tuple(
        Request(run=field, arm=arm, message=1, question=question) for arm in (1, 2)
    )
    assert field & 0xFF == 9
    standings.add(ArmsLost(round=4, arms=(1,), stops=False))
    assert standings.said == (Dismiss(run=field, arm=1, cause=Cause.DROPPED),)
    standings.add(CaveatNoted(text="clipped"))
    assert list(standings.said) == []
    standings.add(ENDING)
    assert standings.said == tuple(Dismiss(run=field, arm=arm, cause=Cause.ENDED) for arm in (0, 2))


def test_an_answer_to_a_question_that_was_left_out_has_no_message() -> None:
    assert Standings.of([OPENED, _report(0, 4, 2, 0.5)]).said == ()
