"""The learner's machine: every entry of its table, its refusals, its rounds, its farewells."""

import random
import struct
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tapes import (
    Problem,
    Tape,
    agents_of,
    drive,
    drive_problem,
    is_contained,
    learner_state_through_json,
    make_spec,
    problems,
    served,
    story,
)

from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.bits import Symbol
from bitarm.core.codes import Levels, Raw
from bitarm.core.dither import dither
from bitarm.core.epochs import run_field, run_of_opening
from bitarm.core.events import (
    ArmDropped,
    CaveatNoted,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
    RunOpened,
)
from bitarm.core.learner import Learner
from bitarm.core.learner_state import ArmPhase, LearnerOutput, LearnerPhase
from bitarm.core.limits import Limits
from bitarm.core.messages import Answer, Cause, Dismiss, Fit, Position, Report, Request, fit
from bitarm.core.policies import LilUcb, Lucb, Policy, QuietElimination, SuccessiveElimination
from bitarm.core.policy import Outcome
from bitarm.core.quantizer import Occasion
from bitarm.core.quantizers import Dicq, Exact, FedSel, Icq, Quantizer, QuBan
from bitarm.core.question import Question
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError, LocalProtocolError, PeerProtocolError

_SPEC = make_spec(sigma=0.25, schedule=None)
_ARM = 1
_NUMBER = {Fit.LATE: 1, Fit.REPEAT: 2, Fit.NEXT: 3, Fit.AHEAD: 4}  # after two reports
_FIELD = run_field(run_of_opening(f"{_SPEC.fingerprint:08x}"), 1)


def _symbol(mean: float) -> Symbol:
    return Symbol(int.from_bytes(struct.pack(">d", mean)), 64)


def _report(arm: int, message: int, mean: float = 0.5) -> Report:
    return Report(run=_FIELD, arm=arm, message=message, symbol=_symbol(mean))


def _question(until: int) -> Question:
    return Question(until=until, code=Raw())


def _started() -> Learner:
    learner = Learner(Setup(spec=_SPEC, policy=SuccessiveElimination()))
    learner.start()
    return learner


def _learner(phase: ArmPhase, *, dropped: bool = False) -> Learner:
    """A learner that has two reports of every arm, with arm 1 in `phase`."""
    learner = _started()
    for message in (1, 2):
        for arm in (0, 1, 2):
            # nothing can be separated at 4 pulls by less than this
            far = -1e6 if dropped and message == 2 and arm == _ARM else 0.5
            learner.receive(_report(arm, message, far))
    if phase is ArmPhase.RESTING:
        learner.receive(_report(_ARM, 3))
    if phase is ArmPhase.OUT and not dropped:
        learner.interrupt()
    assert learner.arms[_ARM].phase is phase
    return learner


# -- the table ------------------------------------------------------------------------------------

_TABLE = {
    (ArmPhase.RESTING, Fit.LATE): "ignored",
    (ArmPhase.RESTING, Fit.REPEAT): "ignored",
    (ArmPhase.RESTING, Fit.NEXT): "refused",
    (ArmPhase.RESTING, Fit.AHEAD): "refused",
    (ArmPhase.AWAITED, Fit.LATE): "ignored",
    (ArmPhase.AWAITED, Fit.REPEAT): "ignored",
    (ArmPhase.AWAITED, Fit.NEXT): "accepted",
    (ArmPhase.AWAITED, Fit.AHEAD): "refused",
    (ArmPhase.OUT, Fit.LATE): "dismissed",
    (ArmPhase.OUT, Fit.REPEAT): "dismissed",
    (ArmPhase.OUT, Fit.NEXT): "refused",
    (ArmPhase.OUT, Fit.AHEAD): "refused",
}


def test_the_table_has_every_phase_and_fit() -> None:
    assert set(_TABLE) == set(product(ArmPhase, Fit))
    assert {how: fit(number, 2) for how, number in _NUMBER.items()} == {how: how for how in Fit}


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize(
    ("phase", "how", "expected"), [(*entry, expected) for entry, expected in _TABLE.items()]
)
def test_what_becomes_of_a_report(
    phase: ArmPhase, how: Fit, expected: str, *, dropped: bool
) -> None:
    dropped = dropped and phase is ArmPhase.OUT
    learner = _learner(phase, dropped=dropped)
    before, record = learner.save(), learner.arms[_ARM]
    answered = record.asked - 1 if phase is ArmPhase.AWAITED else record.asked
    number = answered + _NUMBER[how] - 2
    said = record.symbol if how is Fit.REPEAT and record.symbol else _symbol(0.5)
    report = Report(run=_FIELD, arm=_ARM, message=number, symbol=said)
    if expected == "refused":
        with pytest.raises(PeerProtocolError, match=rf"arm {_ARM}, message {number}: was not ask"):
            learner.receive(report)
        assert learner.save() == before
        return
    output = learner.receive(report)
    if expected in ("ignored", "dismissed"):
        cause = Cause.DROPPED if dropped else Cause.ENDED
        again = Dismiss(run=_FIELD, arm=_ARM, cause=cause)
        assert output == LearnerOutput(
            events=(ReportIgnored(arm=_ARM, message=number),),
            messages=(again,) if expected == "dismissed" else (),
        )
        assert learner.save() == before
        return
    (accepted,) = output.events
    assert isinstance(accepted, ReportAccepted)
    assert (accepted.arm, accepted.message, accepted.round, accepted.pulls) == (_ARM, 3, 3, 8)
    assert accepted.mean == 0.5
    record = learner.arms[_ARM]
    assert (record.phase, record.message, record.pulls) == (ArmPhase.RESTING, 3, 8)
    assert record.held.mean == 0.5
    assert learner.samples == before.samples + 4
    assert learner.payload_bits == before.payload_bits + 64


# -- refusals -------------------------------------------------------------------------------------

_OTHER_RUN = run_field(0x123456, 1)
_LATER, _EARLIER = _FIELD + 1, _FIELD - 1
_NAN = Symbol(0x7FF8_0000_0000_0000, 64)
_REFUSED = {
    "another run": (ArmPhase.AWAITED, replace(_report(1, 3), run=_OTHER_RUN), "is for run"),
    "another run, long ago": (ArmPhase.OUT, replace(_report(1, 1), run=_OTHER_RUN), "is for run"),
    "an arm above the last": (ArmPhase.AWAITED, _report(3, 3), "only 3 arms"),
    "an arm below the first": (ArmPhase.AWAITED, _report(-1, 3), "only 3 arms"),
    "a later epoch": (
        ArmPhase.AWAITED,
        replace(_report(1, 3), run=_LATER),
        "is of epoch 2, this is epoch 1",
    ),
    "an earlier epoch": (ArmPhase.RESTING, replace(_report(1, 3), run=_EARLIER), "is of epoch 0"),
    "another epoch, out": (ArmPhase.OUT, replace(_report(1, 1), run=_LATER), "is of epoch 2"),
    "not asked for": (ArmPhase.RESTING, _report(1, 4), "was not asked for; 3 were in this epoch"),
    "ahead": (ArmPhase.AWAITED, _report(1, 9), "was not asked for; 3 were in this epoch"),
    "a position that was not asked for": (
        ArmPhase.RESTING,
        Position(run=_FIELD, arm=1, message=4, pulls=9),
        "was not asked for",
    ),
    "a position in a run that was never resumed": (
        ArmPhase.AWAITED,
        Position(run=_FIELD, arm=1, message=3, pulls=9),
        "says that 9 pulls were made, 8 were asked for, and nobody else ever asked",
    ),
    "a symbol too short": (
        ArmPhase.AWAITED,
        replace(_report(1, 3), symbol=Symbol(0, 63)),
        "63 bits, 64 were expected",
    ),
    "a symbol too long": (
        ArmPhase.AWAITED,
        replace(_report(1, 3), symbol=Symbol(0, 65)),
        "65 bits, 64 were expected",
    ),
    "an empty symbol": (ArmPhase.AWAITED, replace(_report(1, 3), symbol=Symbol(0, 0)), "0 bits"),
    "a mean that is no number": (
        ArmPhase.AWAITED,
        replace(_report(1, 3), symbol=_NAN),
        "must be finite",
    ),
}


@pytest.mark.parametrize(("phase", "report", "why"), _REFUSED.values(), ids=_REFUSED)
def test_a_report_that_does_not_fit_is_refused_and_changes_nothing(
    phase: ArmPhase, report: Answer, why: str
) -> None:
    learner = _learner(phase)
    before = learner.save()
    with pytest.raises(PeerProtocolError, match=why) as refusal:
        learner.receive(report)
    assert str(refusal.value).startswith(f"arm {report.arm}, message {report.message}: ")
    assert learner.save() == before


@pytest.mark.parametrize(
    ("quantizer", "symbol"),
    [
        (Exact(), Symbol(1, 32)),
        (Icq(bits=3), Symbol(1, 2)),
        (Icq(bits=3), Symbol(1, 4)),
        (Icq(bits=3, prior="quban"), Symbol(0b1110, 5)),
        (Icq(bits=3, prior="quban"), Symbol(0b11, 2)),
        (QuBan(), Symbol(0b111, 3)),
        (QuBan(), Symbol(0, 4)),
        (FedSel(), Symbol(0, 40)),
    ],
    ids=str,
)
def test_a_symbol_of_the_wrong_length_is_refused_whatever_the_quantizer(
    quantizer: Quantizer, symbol: Symbol
) -> None:
    spec = make_spec(quantizer=quantizer)
    learner = Learner(Setup(spec=spec, policy=SuccessiveElimination()))
    learner.start()
    before = learner.save()
    with pytest.raises(PeerProtocolError, match=r"arm 2, message 1: symbol"):
        learner.receive(Report(run=learner.pending[2].run, arm=2, message=1, symbol=symbol))
    assert learner.save() == before


@pytest.mark.parametrize("resumed", [False, True])
def test_report_number_0_changes_nothing(*, resumed: bool) -> None:
    learner, field = _learner(ArmPhase.AWAITED) if resumed else _started(), _FIELD
    if resumed:
        learner.begin(2)
        field = _LATER
    before = learner.save()
    try:
        output = learner.receive(replace(_report(0, 0, 0.125), run=field))
    except PeerProtocolError:
        pass
    else:
        assert output == LearnerOutput(events=(ReportIgnored(arm=0, message=0),))
    assert learner.save() == before


def test_a_learner_starts_once() -> None:
    learner = _started()
    before = learner.save()
    with pytest.raises(LocalProtocolError, match="started before"):
        learner.start()
    assert learner.save() == before


@pytest.mark.parametrize(
    "step",
    [
        lambda learner: learner.receive(_report(0, 1)),
        lambda learner: learner.interrupt(),
        lambda learner: learner.note("clipped"),
        lambda learner: learner.begin(2),
        lambda learner: learner.renew({0: 0}),
        lambda learner: learner.lose((0,)),
    ],
    ids=["receive", "interrupt", "note", "begin", "renew", "lose"],
)
def test_nothing_happens_before_the_start(step: object) -> None:
    learner = Learner(Setup(spec=_SPEC, policy=SuccessiveElimination()))
    before = learner.save()
    assert callable(step)
    with pytest.raises(LocalProtocolError):
        step(learner)
    assert learner.save() == before
    assert learner.pending == ()


@pytest.mark.parametrize(
    "step",
    [
        lambda learner: learner.start(),
        lambda learner: learner.interrupt(),
        lambda learner: learner.note("clipped"),
        lambda learner: learner.renew({0: 0}),
        lambda learner: learner.lose((0,)),
    ],
    ids=["start", "interrupt", "note", "renew", "lose"],
)
def test_an_ended_learner_cannot_be_used_again(step: object) -> None:
    learner = _learner(ArmPhase.OUT)
    before = learner.save()
    assert callable(step)
    with pytest.raises(LocalProtocolError):
        step(learner)
    assert learner.save() == before


# -- rounds ---------------------------------------------------------------------------------------


def test_the_start_opens_the_run_and_asks_every_arm() -> None:
    learner = Learner(Setup(spec=_SPEC, policy=SuccessiveElimination(), limits=Limits(rounds=9)))
    output = learner.start()
    opened, first = output.events
    assert opened == RunOpened(
        setup=learner.setup,
        opening=f"{_SPEC.fingerprint:08x}",
    )
    asked = tuple(
        Request(run=_FIELD, arm=arm, message=1, question=_question(2)) for arm in range(3)
    )
    assert first == RoundOpened(round=1, requests=asked)
    assert output.messages == learner.pending == asked


def test_runs_with_equal_settings_are_told_apart_by_their_openings() -> None:
    learners = [
        Learner(Setup(spec=_SPEC, policy=SuccessiveElimination()), opening)
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
    learner = _started()
    for left, arm in enumerate(order, start=-2):
        output = learner.receive(_report(arm, 1))
        assert [request.arm for request in output.messages] == ([] if left else [0, 1, 2])
        assert len(learner.pending) == -left or 3
    assert learner.rounds == 2
    assert learner.pending == output.messages
    assert {request.question for request in learner.pending} == {_question(4)}


def test_pending_is_what_no_report_has_answered() -> None:
    learner = _learner(ArmPhase.RESTING)
    assert learner.pending == tuple(
        Request(run=_FIELD, arm=arm, message=3, question=_question(8)) for arm in (0, 2)
    )


def test_views_are_of_the_arms_in_the_race() -> None:
    learner = _learner(ArmPhase.OUT, dropped=True)
    assert [view.arm for view in learner.views()] == [0, 2]
    assert learner.view(_ARM).mean == -1e6
    assert learner.radius(0) == learner.arms[0].held.radius


def test_an_arm_that_concedes_keeps_the_radius_that_it_told() -> None:
    problem = Problem(
        spec=make_spec(arms=4, quantizer=Dicq(), width="pairwise-mixture"),
        policy=QuietElimination(),
        limits=Limits(),
        tape=Tape(seed=3, means=(200, 400, 600, 800), spread=150, bounds=(0, 1024)),
    )
    told: dict[int, ReportAccepted] = {}
    conceded = 0
    for event in drive_problem(problem).events:
        if not isinstance(event, ReportAccepted):
            continue
        if event.ceiling is not None:
            conceded += 1
            before = told[event.arm]
            assert (event.mean, event.radius) == (before.mean, before.radius)
            assert event.pulls > before.pulls
        told[event.arm] = event
    assert conceded > 1


# -- dismissal ------------------------------------------------------------------------------------


def test_a_dropped_agent_is_told_so_at_once() -> None:
    learner = _started()
    learner.receive(_report(0, 1))
    learner.receive(_report(1, 1, -1e6))
    output = learner.receive(_report(2, 1))
    assert ArmDropped(round=1, arm=1, because=0) in output.events
    assert output.messages == (
        Dismiss(run=_FIELD, arm=1, cause=Cause.DROPPED),
        Request(run=_FIELD, arm=0, message=2, question=_question(4)),
        Request(run=_FIELD, arm=2, message=2, question=_question(4)),
    )


def test_at_the_end_those_still_in_the_race_are_told() -> None:
    learner = _learner(ArmPhase.OUT, dropped=True)
    output = learner.interrupt()
    assert output.messages == tuple(
        Dismiss(run=_FIELD, arm=arm, cause=Cause.ENDED) for arm in (0, 2)
    )
    assert learner.pending == ()
    assert learner.phase is LearnerPhase.ENDED


@pytest.mark.parametrize("message", [1, 2])
def test_a_dropped_agent_that_reports_after_the_end_is_told_that_it_is_over(message: int) -> None:
    learner = _learner(ArmPhase.OUT, dropped=True)
    learner.interrupt()
    before = learner.save()
    output = learner.receive(_report(_ARM, message, -1e6))
    assert output.messages == (Dismiss(run=_FIELD, arm=_ARM, cause=Cause.ENDED),)
    assert output.events == (ReportIgnored(arm=_ARM, message=message),)
    assert learner.save() == before


def test_an_agent_whose_drop_was_lost_learns_of_it_by_its_next_report() -> None:
    learner = _started()
    agent = Agent(learner.run, _ARM)
    request = learner.pending[_ARM]
    learner.receive(_report(0, 1))
    learner.receive(served(agent, request, -1e6))
    dismissal, *_ = learner.receive(_report(2, 1)).messages  # lost: no agent receives it
    assert dismissal == Dismiss(run=_FIELD, arm=_ARM, cause=Cause.DROPPED)
    (report,) = agent.receive(request)  # the old request arrives a second time
    output = learner.receive(report)
    assert output.messages == (dismissal,)
    for message in output.messages:
        agent.receive(message)
    assert (agent.state.phase, agent.state.cause) == (AgentPhase.DISMISSED, Cause.DROPPED)
    assert agent.receive(request) == ()  # and so the exchange ends
    assert [request.arm for request in learner.pending] == [0, 2]


def test_an_agent_whose_farewell_was_lost_learns_of_the_end_by_its_next_report() -> None:
    learner = _started()
    agent = Agent(learner.run, _ARM)
    agent.receive(learner.pending[_ARM])
    agent.observe(1, 0.5)
    farewells = learner.interrupt().messages  # lost: the agent pulls on
    assert agent.wanted == 1
    (report,) = agent.observe(1, 0.5)
    before = learner.save()
    output = learner.receive(report)
    assert output.messages == (farewells[_ARM],)
    assert output.events == (ReportIgnored(arm=_ARM, message=1),)
    assert learner.save() == before
    for message in output.messages:
        agent.receive(message)
    assert (agent.state.phase, agent.state.cause) == (AgentPhase.DISMISSED, Cause.ENDED)


def test_the_last_drop_and_the_answer_come_together() -> None:
    learner = _started()
    for arm, mean in enumerate((0.5, -1e6, -2e6)):
        output = learner.receive(_report(arm, 1, mean))
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
            agent.receive(request)
            total = problem.tape.total(arm, agent.state.pulls, agent.wanted)
            (report,) = agent.observe(agent.wanted, total)
            mean, before = agent.state.total / agent.state.pulls, learner.arms[arm].held
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
        if problem.spec.quantizer.certain and accepted.ceiling is None:
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


# -- two answers to one question ------------------------------------------------------------------

_TWO_ANSWERS = "arm-1 (arm 1) gave two different answers to one question"
_CONTRADICTIONS: dict[str, tuple[ArmPhase, Answer]] = {
    "awaited": (ArmPhase.AWAITED, _report(1, 2, 0.25)),
    "resting": (ArmPhase.RESTING, _report(1, 3, 0.25)),
    "a position": (ArmPhase.RESTING, Position(run=_FIELD, arm=1, message=3, pulls=9)),
    "dropped": (ArmPhase.OUT, _report(1, 2, 0.25)),
}


@pytest.mark.parametrize(("phase", "answer"), _CONTRADICTIONS.values(), ids=_CONTRADICTIONS)
def test_two_different_answers_to_one_question_void_the_guarantee(
    phase: ArmPhase, answer: Answer
) -> None:
    learner = _learner(phase, dropped=phase is ArmPhase.OUT)
    before = learner.save()
    output = learner.receive(answer)
    (noted,) = output.events
    assert isinstance(noted, CaveatNoted)
    assert noted.text.startswith(_TWO_ANSWERS)
    farewell = (Dismiss(run=_FIELD, arm=1, cause=Cause.DROPPED),)
    assert output.messages == (farewell if phase is ArmPhase.OUT else ())
    assert learner.save() == replace(before, caveats=(noted.text,))
    assert learner.receive(answer).events == ()  # said once, and that is enough
    while learner.pending:
        request = learner.pending[0]
        learner.receive(_report(request.arm, request.message, -1e6 * request.arm))
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.DECIDED, 0)
    assert learner.ending.guarantee is None
    assert learner.ending.guarantee_reason.startswith(_TWO_ANSWERS)


@pytest.mark.parametrize("dropped", [False, True])
def test_after_the_end_a_contradiction_changes_nothing(*, dropped: bool) -> None:
    learner = _learner(ArmPhase.OUT, dropped=dropped)
    if dropped:
        learner.interrupt()
    before = learner.save()
    output = learner.receive(_report(_ARM, 2, 0.25))
    assert output.events == (ReportIgnored(arm=_ARM, message=2),)
    assert output.messages == (Dismiss(run=_FIELD, arm=_ARM, cause=Cause.ENDED),)
    assert learner.save() == before


# -- interruptions and caveats --------------------------------------------------------------------


def test_an_interrupted_run_answers_nothing() -> None:
    learner = _learner(ArmPhase.AWAITED)
    output = learner.interrupt()
    ending = learner.ending
    assert ending is not None
    assert output.events == (ending,)
    assert (ending.outcome, ending.best_arm) == (Outcome.INTERRUPTED, None)
    assert ending.guarantee is None
    assert ending.guarantee_reason == "no answer: the run ended with interrupted"
    assert (ending.rounds, ending.samples, ending.payload_bits) == (3, 12, 6 * 64)


def test_a_caveat_is_noted_once_and_voids_the_guarantee() -> None:
    learner = _started()
    assert learner.note("2 clipped") == LearnerOutput(events=(CaveatNoted(text="2 clipped"),))
    assert learner.note("2 clipped") == LearnerOutput()
    assert learner.note("late") == LearnerOutput(events=(CaveatNoted(text="late"),))
    for arm, mean in enumerate((0.5, -1e6, -2e6)):
        learner.receive(_report(arm, 1, mean))
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.DECIDED, 0)
    assert learner.ending.guarantee is None
    assert learner.ending.guarantee_reason == "2 clipped; late"


# -- restarts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("phase", list(ArmPhase))
def test_a_state_survives_json(phase: ArmPhase, *, dropped: bool) -> None:
    learner = _learner(phase, dropped=dropped and phase is ArmPhase.OUT)
    state = learner.save()
    assert learner_state_through_json(state) == state


def test_a_saved_state_does_not_change_with_the_learner() -> None:
    learner = _learner(ArmPhase.AWAITED)
    state, copy = learner.save(), learner_state_through_json(learner.save())
    learner.interrupt()
    assert state == copy
    assert learner.save() != state


def test_what_cannot_be_asked_is_a_fault_of_the_settings_and_changes_nothing() -> None:
    """σ so small that a step is no float: who set it can mend it."""
    spec = make_spec(quantizer=QuBan(epsilon_quban=0.5), sigma=5e-324, bounds=None)
    learner = Learner(Setup(spec=spec, policy=SuccessiveElimination()))
    before = learner.save().arms
    with pytest.raises(ConfigError, match=r"cannot be asked for its mean .* step must be .* sigma"):
        learner.start()
    assert learner.save().arms == before
