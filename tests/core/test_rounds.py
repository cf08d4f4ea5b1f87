"""Rounds: who is asked, who is dismissed, how a run ends and what it costs."""

import random

import pytest
from core.learners import ARM, FIELD, SPEC, learner_in, question_until, report_of, started
from drives import answered, drive, drive_problem, served, story
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import is_contained
from problems import problems
from tapes import Problem, Tape, agents_of, make_spec

from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.codes import Levels
from bitarm.core.confidence import Stride
from bitarm.core.dither import dither
from bitarm.core.epochs import run_field
from bitarm.core.events import (
    ArmDropped,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
)
from bitarm.core.learner import Learner
from bitarm.core.learner_state import ArmPhase, LearnerPhase
from bitarm.core.limits import Limits
from bitarm.core.messages import Answer, Cause, Dismiss, Request
from bitarm.core.outcome import Outcome
from bitarm.core.policies import (
    ChallengeElimination,
    LilUcb,
    Lucb,
    Policy,
    SuccessiveElimination,
)
from bitarm.core.quantizer import Occasion
from bitarm.core.quantizers import Dyadic, Exact, FedSel, Icq, Quantizer, QuBan
from bitarm.core.schedule import LooksSchedule
from bitarm.core.setup import Setup
from bitarm.errors import PeerProtocolError

# -- rounds ---------------------------------------------------------------------------------------


def test_the_start_opens_the_run_and_asks_every_arm() -> None:
    learner = Learner(Setup(spec=SPEC, policy=SuccessiveElimination(), limits=Limits(rounds=9)))
    output = learner.start()
    opened, first = output.events
    assert opened == RunOpened(
        setup=learner.setup,
        opening=f"{learner.setup.fingerprint:08x}",  # policy and limits are in the name too
    )
    field = run_field(learner.run, 1)
    asked = tuple(
        Request(run=field, arm=arm, message=1, question=question_until(2)) for arm in range(3)
    )
    assert first == RoundOpened(round=1, requests=asked)
    assert output.messages == learner.pending == asked


def test_runs_with_equal_settings_are_told_apart_by_their_openings() -> None:
    learners = [
        Learner(Setup(spec=SPEC, policy=SuccessiveElimination()), opening)
        for opening in (None, "monday", "tuesday")
    ]
    assert len({learner.run for learner in learners}) == 3
    first, second = (learner.start().messages[0] for learner in learners[1:])
    assert isinstance(first, Request)
    with pytest.raises(PeerProtocolError, match="for run"):
        Agent(learners[2].run, 0).receive(first)
    assert first.run != second.run


def test_questions_are_written_down_in_the_order_of_the_arms() -> None:
    run = drive_problem(
        Problem(
            spec=make_spec(arms=5),
            policy=Lucb(),
            limits=Limits(samples=3000),
            tape=Tape(seed=3, means=(500, 480, 520, 510, 490), spread=300, bounds=(0, 1024)),
        )
    )
    opened = [event for event in run.events if isinstance(event, RoundOpened)]
    assert len(opened) > 5
    for event in opened:
        arms = [request.arm for request in event.requests]
        assert arms == sorted(arms)


def test_dithers_come_from_the_seed_or_from_the_caller() -> None:
    spec = make_spec(quantizer=QuBan(epsilon_quban=2.0), bounds=None, sigma=1.0)
    asked: list[tuple[int, int]] = []

    def low(arm: int, step: Occasion) -> float:
        asked.append((arm, step.message))
        return 0.25

    by_caller = Learner(Setup(spec=spec, policy=SuccessiveElimination()), dither_of=low)
    by_seed = Learner(Setup(spec=spec, policy=SuccessiveElimination()))
    for learner in (by_caller, by_seed):
        learner.start()
        for arm, agent in enumerate(agents_of(learner)):
            learner.receive(served(agent, learner.pending[0], 0.1 * arm))
    assert asked == [(arm, message) for message in (1, 2) for arm in range(3)]
    codes = [request.question.code for request in (*by_caller.pending, *by_seed.pending)]
    assert [code.dither for code in codes if isinstance(code, Levels)] == [
        *[0.25] * 3,
        *(dither(spec.seed, arm, 2) for arm in range(3)),
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_round_ends_with_its_last_report_in_any_order(order: tuple[int, ...]) -> None:
    learner = started()
    for left, arm in enumerate(order, start=-2):
        output = learner.receive(report_of(arm, 1))
        assert [request.arm for request in output.messages] == ([] if left else [0, 1, 2])
        assert len(learner.pending) == -left or 3
    assert learner.rounds == 2
    assert learner.pending == output.messages
    assert {request.question for request in learner.pending} == {question_until(4)}


def test_pending_is_what_no_report_has_answered() -> None:
    learner = learner_in(ArmPhase.RESTING)
    assert learner.pending == tuple(
        Request(run=FIELD, arm=arm, message=3, question=question_until(8)) for arm in (0, 2)
    )


def test_views_are_of_the_arms_in_the_race() -> None:
    learner = learner_in(ArmPhase.OUT, dropped=True)
    assert [view.arm for view in learner.views()] == [0, 2]
    assert learner.view(ARM).mean == -1e6
    assert learner.radius(0) == learner.arms[0].held.radius


def test_an_arm_that_gives_up_keeps_the_radius_that_it_told() -> None:
    means = (300, 400, 450, 500, 600, 800)
    spec = make_spec(
        arms=len(means), quantizer=Dyadic(), width="sub-gaussian", schedule=LooksSchedule()
    )
    problem = Problem(
        spec=spec,
        policy=ChallengeElimination(),
        limits=Limits(),
        tape=Tape(seed=3, means=means, spread=150, bounds=(0, 1024)),
    )
    told: dict[int, ReportAccepted] = {}
    beaten = 0
    for event in drive_problem(problem).events:
        if not isinstance(event, ReportAccepted):
            continue
        if event.beaten_by is not None:
            beaten += 1
            before = told[event.arm]
            assert (event.mean, event.radius) == (before.mean, before.radius)
            assert event.pulls > before.pulls
        told[event.arm] = event
    assert beaten > 1


# -- dismissal ------------------------------------------------------------------------------------


def test_a_dropped_agent_is_told_so_at_once() -> None:
    learner = started()
    learner.receive(report_of(0, 1))
    learner.receive(report_of(1, 1, -1e6))
    output = learner.receive(report_of(2, 1))
    assert ArmDropped(round=1, arm=1, because=0) in output.events
    assert output.messages == (
        Dismiss(run=FIELD, arm=1, cause=Cause.DROPPED),
        Request(run=FIELD, arm=0, message=2, question=question_until(4)),
        Request(run=FIELD, arm=2, message=2, question=question_until(4)),
    )


def test_at_the_end_those_still_in_the_race_are_told() -> None:
    learner = learner_in(ArmPhase.OUT, dropped=True)
    output = learner.interrupt()
    assert output.messages == tuple(
        Dismiss(run=FIELD, arm=arm, cause=Cause.ENDED) for arm in (0, 2)
    )
    assert learner.pending == ()
    assert learner.phase is LearnerPhase.ENDED


@pytest.mark.parametrize("message", [1, 2])
def test_a_dropped_agent_that_reports_after_the_end_is_told_that_it_is_over(message: int) -> None:
    learner = learner_in(ArmPhase.OUT, dropped=True)
    learner.interrupt()
    before = learner.save()
    output = learner.receive(report_of(ARM, message, -1e6))
    assert output.messages == (Dismiss(run=FIELD, arm=ARM, cause=Cause.ENDED),)
    assert output.events == (ReportIgnored(arm=ARM, message=message),)
    assert learner.save() == before


def test_an_agent_whose_drop_was_lost_learns_of_it_by_its_next_report() -> None:
    learner = started()
    agent = Agent(learner.run, ARM)
    request = learner.pending[ARM]
    learner.receive(report_of(0, 1))
    learner.receive(served(agent, request, -1e6))
    dismissal, *_ = learner.receive(report_of(2, 1)).messages  # lost: no agent receives it
    assert dismissal == Dismiss(run=FIELD, arm=ARM, cause=Cause.DROPPED)
    (report,) = agent.receive(request)  # the old request arrives a second time
    output = learner.receive(report)
    assert output.messages == (dismissal,)
    for message in output.messages:
        agent.receive(message)
    assert (agent.state.phase, agent.state.cause) == (AgentPhase.DISMISSED, Cause.DROPPED)
    assert agent.receive(request) == ()  # and so the exchange ends
    assert [request.arm for request in learner.pending] == [0, 2]


def test_an_agent_whose_farewell_was_lost_learns_of_the_end_by_its_next_report() -> None:
    learner = started()
    agent = Agent(learner.run, ARM)
    agent.receive(learner.pending[ARM])
    agent.observe(1, 0.5)
    farewells = learner.interrupt().messages  # lost: the agent pulls on
    assert agent.wanted == 1
    (report,) = agent.observe(1, 0.5)
    before = learner.save()
    output = learner.receive(report)
    assert output.messages == (farewells[ARM],)
    assert output.events == (ReportIgnored(arm=ARM, message=1),)
    assert learner.save() == before
    for message in output.messages:
        agent.receive(message)
    assert (agent.state.phase, agent.state.cause) == (AgentPhase.DISMISSED, Cause.ENDED)


def test_the_last_drop_and_the_answer_come_together() -> None:
    learner = started()
    for arm, mean in enumerate((0.5, -1e6, -2e6)):
        output = learner.receive(report_of(arm, 1, mean))
    assert [(message.arm, getattr(message, "cause", None)) for message in output.messages] == [
        (1, Cause.DROPPED),
        (2, Cause.DROPPED),
        (0, Cause.ENDED),
    ]
    assert isinstance(output.events[-1], RunEnded)
    assert output.events[-1] == learner.ending
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.DECIDED, 0)


@settings(deadline=None, max_examples=150)
@given(problem=problems())
def test_every_agent_is_dismissed_exactly_once_and_then_wants_nothing(problem: Problem) -> None:
    run = drive_problem(problem)
    causes = {message.arm: message.cause for message in run.dismissals}
    assert len(run.dismissals) == len(problem.spec.arms)
    dropped = {event.arm for event in run.events if isinstance(event, ArmDropped)}
    assert causes == {
        arm: Cause.DROPPED if arm in dropped else Cause.ENDED
        for arm in range(len(problem.spec.arms))
    }
    for agent in run.agents:
        assert agent.state.phase is AgentPhase.DISMISSED
        assert agent.state.cause is causes[agent.arm]
        assert agent.wanted == 0
    if run.ending.best_arm is not None:
        assert causes[run.ending.best_arm] is Cause.ENDED


# -- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [SuccessiveElimination(), Lucb(), LilUcb()])
@pytest.mark.parametrize("width", ["paper", "lil"])
@pytest.mark.parametrize("quantizer", [Exact(), Icq(bits=1), Icq(bits=3), QuBan(), FedSel()])
@pytest.mark.parametrize("best", [0, 2])
def test_a_wide_gap_is_decided_rightly(
    policy: Policy, width: str, quantizer: Quantizer, best: int
) -> None:
    spec = make_spec(quantizer=quantizer, width=width, sigma=0.1)
    means = [0.9 if arm == best else 0.2 for arm in range(3)]
    learner = Learner(Setup(spec=spec, policy=policy))
    run = drive(learner, agents_of(learner), lambda arm, done, count: means[arm] * count)
    assert (run.ending.outcome, run.ending.best_arm) == (Outcome.DECIDED, best)
    assert run.ending.guarantee == spec.delta


@settings(deadline=None, max_examples=100)
@given(problem=problems())
def test_the_price_is_what_the_reports_say(problem: Problem) -> None:
    run = drive_problem(problem)
    accepted, others = story(run.events)
    reports = [event for event in accepted.values() if isinstance(event, ReportAccepted)]
    opened = [event for event in others if isinstance(event, RoundOpened)]
    assert run.ending.payload_bits == sum(event.symbol.nbits for event in reports)
    assert run.ending.rounds == len(opened)
    assert [event.round for event in opened] == list(range(1, len(opened) + 1))
    assert len(reports) == sum(len(event.requests) for event in opened)
    last = {event.arm: event.pulls for event in reports}  # pulls only grow
    assert run.ending.samples == sum(last.values())
    answers = run.ending.outcome in (Outcome.DECIDED, Outcome.BUDGET_SPENT)
    assert (run.ending.best_arm is not None) == answers


@settings(deadline=None, max_examples=60)
@given(problem=problems(), seed=st.integers(0, 2**32))
def test_the_order_of_one_rounds_reports_does_not_matter(problem: Problem, seed: int) -> None:
    rng, clean = random.Random(seed), drive_problem(problem)
    learner, agents = problem.learner(), problem.agents()
    events, messages = list(learner.start().events), list(learner.pending)
    while messages:
        reports = list[Answer]()
        for request in messages:
            agent = agents[request.arm]
            agent.receive(request)
            total = problem.tape.total(request.arm, agent.state.pulls, agent.wanted)
            reports.extend(agent.observe(agent.wanted, total))
        rng.shuffle(reports)
        for report in reports:
            events.extend(learner.receive(report).events)
        messages = list(learner.pending)
    assert story(events) == story(clean.events)
    assert learner.save() == clean.learner.save()


def _accepted_means(problem: Problem) -> list[tuple[float, ReportAccepted, bool]]:
    """Of each report the agent's mean, what the learner took in, and whether that is true."""
    learner, agents = problem.learner(), problem.agents()
    learner.start()
    found = []
    while learner.pending:
        for request in learner.pending:
            arm, agent = request.arm, agents[request.arm]
            (report,) = answered(agent, request, problem.tape.total)
            mean, before = agent.state.mean, learner.arms[arm].held
            accepted = learner.receive(report).events[0]
            assert isinstance(accepted, ReportAccepted)
            after = learner.arms[arm].held
            true = is_contained(problem.spec, before, after, accepted, mean)
            found.append((mean, accepted, true))
    return found


@settings(deadline=None, max_examples=150)
@given(problem=problems())
def test_what_is_read_is_true_of_the_agents_mean(problem: Problem) -> None:
    for mean, accepted, contained in _accepted_means(problem):
        assert contained
        judged = problem.policy.stride is Stride.JUDGED  # which tells edges, open on one side
        if problem.spec.quantizer.certain and not judged:
            assert abs(accepted.mean - mean) <= accepted.error * (1 + 1e-9)


def test_off_its_event_icq_may_be_wrong_and_then_nothing_is_said_of_it() -> None:
    spec = make_spec(quantizer=Icq(bits=3), sigma=0.01)
    learner = Learner(Setup(spec=spec, policy=SuccessiveElimination()))
    learner.start()
    agent, before = agents_of(learner)[0], learner.arms[0].held
    (accepted,) = learner.receive(served(agent, learner.pending[0], 50.0)).events
    assert isinstance(accepted, ReportAccepted)
    assert not learner.arms[0].held.holds(50.0, accepted.pulls)
    assert is_contained(spec, before, learner.arms[0].held, accepted, 50.0)
    assert not is_contained(spec, before, learner.arms[0].held, accepted, 0.5)
