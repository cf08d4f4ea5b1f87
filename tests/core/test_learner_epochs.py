"""A learner that goes on with a run: epochs, agents that are ahead of it, agents that forgot."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tapes import Network, Problem, Tape, learner_state_through_json, make_spec

from bitarm.core.agent import AgentPhase
from bitarm.core.catch_up import NO_BUDGET
from bitarm.core.codes import Raw
from bitarm.core.epochs import run_field
from bitarm.core.events import (
    CaveatNoted,
    EpochBegan,
    LivesBegan,
    PositionTold,
    ReportAccepted,
    ReportIgnored,
    RoundOpened,
    RunEnded,
)
from bitarm.core.learner import Learner
from bitarm.core.learner_state import ArmPhase, LearnerOutput
from bitarm.core.limits import Limits
from bitarm.core.messages import Answer, Cause, Dismiss, Position, Report, Request
from bitarm.core.policies import (
    LilUcb,
    Lucb,
    Policy,
    QuietElimination,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
)
from bitarm.core.policy import Outcome
from bitarm.core.quantizers import Dicq, Exact, Icq, Quantizer
from bitarm.core.replay import replay
from bitarm.core.result import result_of
from bitarm.core.schedule import MAX_PULLS, ListedSchedule, Schedule
from bitarm.core.standings import Standings
from bitarm.errors import LocalProtocolError, PeerProtocolError

_CLOSE = (600, 580, 620)  # means, in 1024ths, that no few pulls tell apart


def _problem(
    policy: Policy | None = None,
    *,
    means: tuple[int, ...] = _CLOSE,
    quantizer: Quantizer | None = None,
    width: str = "paper",
    schedule: Schedule | None = None,
    limits: Limits | None = None,
    sigma: float = 0.25,
) -> Problem:
    spec = make_spec(
        arms=len(means),
        quantizer=quantizer or Exact(),
        width=width,
        schedule=schedule,
        sigma=sigma,
        delta=0.05,
    )
    return Problem(
        spec=spec,
        policy=policy or SuccessiveElimination(),
        limits=limits or Limits(samples=10**6),
        tape=Tape(seed=5, means=means, spread=100, bounds=(0, 1024)),
    )


def _after_rounds(problem: Problem, rounds: int) -> Network:
    """A network in which so many rounds were answered, and the next was asked."""
    network = Network(problem)
    while network.learner.rounds <= rounds:
        network.turn()
    assert network.learner.rounds == rounds + 1
    return network


def _back_to_round(network: Network, number: int) -> None:
    """The learner's journal goes back to when this round was opened; its agents remember all."""
    opened = [
        at
        for at, length in enumerate(network.steps)
        if any(
            isinstance(event, RoundOpened) and event.round == number
            for event in network.events[:length]
        )
    ]
    network.restore_learner(opened[0])
    assert network.learner.rounds == number


def _asked(learner: Learner) -> dict[int, int]:
    return {request.arm: request.question.until for request in learner.pending}


def _answer(learner: Learner, arm: int, mean: float = 0.5) -> Report:
    (request,) = (request for request in learner.pending if request.arm == arm)
    symbol = request.question.answer(mean)
    return Report(run=request.run, arm=arm, message=request.message, symbol=symbol)


def _ahead(learner: Learner, arm: int, pulls: int) -> Position:
    (request,) = (request for request in learner.pending if request.arm == arm)
    return Position(run=request.run, arm=arm, message=request.message, pulls=pulls)


def _told(learner: Learner, answers: Sequence[Answer]) -> LearnerOutput:
    """What follows from the last of these answers."""
    *others, last = answers
    for answer in others:
        learner.receive(answer)
    return learner.receive(last)


# -- epochs ---------------------------------------------------------------------------------------


def test_a_learner_starts_in_the_first_epoch_and_was_never_resumed() -> None:
    learner = _problem().learner()
    assert (learner.epoch, learner.resumed) == (1, False)
    output = learner.start()
    assert {message.run for message in output.messages} == {run_field(learner.run, 1)}


def test_a_new_epoch_asks_the_open_questions_again_under_new_numbers() -> None:
    learner = _after_rounds(_problem(), 3).learner
    learner.receive(_answer(learner, 1))
    before, pending = learner.save(), learner.pending
    assert [(request.arm, request.message) for request in pending] == [(0, 4), (2, 4)]
    output = learner.begin(7)
    assert output.events == (EpochBegan(epoch=7),)
    assert (
        output.messages
        == learner.pending
        == tuple(replace(request, run=run_field(learner.run, 7), message=1) for request in pending)
    )
    after = learner.save()
    assert (after.epoch, after.resumed) == (7, True)
    for old, new in zip(before.arms, after.arms, strict=True):
        awaited = old.phase is ArmPhase.AWAITED
        assert new == replace(old, asked=int(awaited), symbol=new.symbol)
    assert replace(after, epoch=1, resumed=False, arms=()) == replace(before, arms=())
    assert learner_state_through_json(after) == after


@pytest.mark.parametrize("epoch", [1, 0, 129, 200])
def test_an_epoch_that_is_not_later_is_refused(epoch: int) -> None:
    learner = _after_rounds(_problem(), 1).learner
    before = learner.save()
    with pytest.raises(LocalProtocolError, match=f"epoch {epoch} must be later than 1"):
        learner.begin(epoch)
    assert learner.save() == before


def test_numbers_count_from_1_in_every_epoch_and_reports_over_all() -> None:
    network = _after_rounds(_problem(), 2)
    for epoch in (2, 3):
        network.resume_learner()
        assert {request.message for request in network.learner.pending} == {1}
        network.turn()
        assert {request.message for request in network.learner.pending} == {2}
        network.turn()
        assert network.learner.epoch == epoch
    accepted = [event for event in network.events if isinstance(event, ReportAccepted)]
    assert [event.message for event in accepted if event.arm == 0] == [1, 2, 3, 4, 5, 6]
    assert [event.pulls for event in accepted if event.arm == 0] == [2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize("epoch", [1, 3, 200])
def test_answers_of_another_epoch_are_refused_whatever_they_say(epoch: int) -> None:
    learner = _after_rounds(_problem(), 2).learner
    learner.begin(2)
    before = learner.save()
    for message in (0, 1, 2, 3, 4):
        for answer in (
            replace(_answer(learner, 0), run=run_field(learner.run, epoch), message=message),
            replace(_ahead(learner, 0, 99), run=run_field(learner.run, epoch), message=message),
        ):
            with pytest.raises(PeerProtocolError, match=f"is of epoch {epoch}, this is epoch 2"):
                learner.receive(answer)
    assert learner.save() == before


def test_a_late_answer_can_no_longer_be_read_but_its_agent_is_asked_again() -> None:
    network = _after_rounds(_problem(), 2)
    late = network.down[0]
    assert isinstance(late, Request)
    while network.down:
        network.carry_down(0, keep=False)
    network.pull(0, network.agents[0].wanted)
    assert len(network.up) == 1  # an answer of epoch 1, on its way
    network.resume_learner()
    network.carry_up(0, keep=False)
    assert network.learner.arms[0].phase is ArmPhase.AWAITED
    network.turn()
    assert network.learner.rounds == 4
    before = network.agents[0].state
    assert network.agents[0].receive(late) == ()
    assert network.agents[0].state == before


def test_a_run_that_is_over_has_nobody_to_ask_in_a_new_epoch() -> None:
    network = Network(_problem(means=(900, 100, 200)))
    network.settle()
    output = network.learner.begin(2)
    assert output == LearnerOutput(events=(EpochBegan(epoch=2),))
    assert network.learner.pending == ()


# -- positions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("pulls", [5, 16, 10**6])
def test_a_position_is_believed_in_a_resumed_epoch(pulls: int) -> None:
    learner = _after_rounds(_problem(), 1).learner
    learner.begin(2)
    samples = learner.samples
    output = learner.receive(_ahead(learner, 0, pulls))
    assert output == LearnerOutput(events=(PositionTold(round=2, arm=0, pulls=pulls),))
    record = learner.arms[0]
    assert (record.phase, record.ahead, record.pulls) == (ArmPhase.RESTING, pulls, 2)
    assert (learner.samples, _asked(learner)) == (samples, {1: 4, 2: 4})
    again = Position(run=run_field(learner.run, 2), arm=0, message=1, pulls=pulls)
    assert learner.receive(again).events == (ReportIgnored(arm=0, message=1),)


@pytest.mark.parametrize(
    ("limits", "pulls"),
    [
        (Limits(), 4),  # what it was asked for: then it could have answered
        (Limits(), 3),
        (Limits(), 0),
        (Limits(samples=100), 101),
        (Limits(samples=100), MAX_PULLS),
        (Limits(), MAX_PULLS + 1),
    ],
)
def test_a_position_that_this_run_cannot_have_is_refused(limits: Limits, pulls: int) -> None:
    learner = _after_rounds(_problem(limits=limits), 1).learner
    learner.begin(2)
    before = learner.save()
    with pytest.raises(PeerProtocolError, match=rf"arm 0, message 1: says that {pulls} pulls"):
        learner.receive(_ahead(learner, 0, pulls))
    assert learner.save() == before


def test_a_position_in_a_run_that_was_never_resumed_is_refused() -> None:
    learner = _after_rounds(_problem(), 1).learner
    before = learner.save()
    with pytest.raises(PeerProtocolError, match="nobody else ever asked in this run"):
        learner.receive(_ahead(learner, 0, 8))
    assert learner.save() == before
    assert replay(_after_rounds(_problem(), 1).events).resumed is False


# -- catching up ----------------------------------------------------------------------------------

_Says = Callable[[Learner], Sequence[Answer]]


def _says(positions: dict[int, int]) -> _Says:
    """Arms in `positions` are ahead, the others answer."""
    return lambda learner: [
        _ahead(learner, arm, positions[arm]) if arm in positions else _answer(learner, arm)
        for arm in _asked(learner)
    ]


@pytest.mark.parametrize(
    ("positions", "until"),
    [
        ({0: 5}, 8),  # amid the batch to 8
        ({0: 8}, 8),
        ({0: 8, 1: 9, 2: 100}, 128),
        ({0: 16, 1: 16, 2: 16}, 16),
        ({2: 17}, 32),
    ],
)
def test_arms_that_go_together_meet_at_the_first_checkpoint_that_nobody_has_passed(
    positions: dict[int, int], until: int
) -> None:
    learner = _after_rounds(_problem(), 1).learner
    learner.begin(2)
    output = _told(learner, _says(positions)(learner))
    (opened,) = (event for event in output.events if isinstance(event, RoundOpened))
    assert opened.round == 3
    assert opened.requests == output.messages == learner.pending
    assert _asked(learner) == dict.fromkeys(range(3), until)
    assert {request.message for request in learner.pending} == {2}
    assert {record.ahead for record in learner.arms} == {None}


def test_a_position_voids_the_round_and_no_arm_is_dropped_in_it() -> None:
    learner = _after_rounds(_problem(), 1).learner
    learner.begin(2)
    answers: list[Answer] = [_answer(learner, 0, 1e6), _answer(learner, 1, -1e6)]
    output = _told(learner, [*answers, _ahead(learner, 2, 5)])
    assert [type(event) for event in output.events] == [PositionTold, RoundOpened]
    output = _told(learner, [_answer(learner, arm, 0.0) for arm in range(3)])
    assert not any(record.dropped_for is not None for record in learner.arms)


@pytest.mark.parametrize("policy", [Lucb(), LilUcb()], ids=lambda policy: policy.name)
def test_arms_that_go_apart_catch_up_each_on_its_own(policy: Policy) -> None:
    learner = _after_rounds(_problem(policy), 1).learner
    learner.begin(2)
    asked = _asked(learner)
    assert all(until == 4 for until in asked.values())
    first = min(asked)
    output = _told(learner, _says({first: 9})(learner))
    assert isinstance(output.events[-1], RoundOpened)
    assert _asked(learner) == {first: 16}
    if len(asked) > 1:
        other = max(asked)
        assert (learner.arms[other].phase, learner.arms[other].pulls) == (ArmPhase.RESTING, 4)


def test_quiet_elimination_catches_up_with_all_arms_and_without_cuts() -> None:
    problem = _problem(
        QuietElimination(),
        means=(900, 200, 880, 300),
        quantizer=Dicq(),
        width="pairwise-mixture",
        sigma=0.1,
    )
    network = Network(problem)
    while not any(request.question.cut is not None for request in network.learner.pending):
        network.turn()
        assert not network.over
    learner = network.learner
    learner.begin(2)
    asked = _asked(learner)
    most = max(asked.values())
    awaited = list(asked)
    answers: list[Answer] = [_ahead(learner, awaited[0], most + 1)]
    for arm in awaited[1:]:
        agent = network.agents[arm]
        agent.receive(next(request for request in learner.pending if request.arm == arm))
        rewards = problem.tape.total(arm, agent.state.pulls, agent.wanted)
        answers.extend(agent.observe(agent.wanted, rewards))
    output = _told(learner, answers)
    assert isinstance(output.events[-1], RoundOpened)
    racing = [arm for arm, record in enumerate(learner.arms) if record.phase is not ArmPhase.OUT]
    until = problem.spec.schedule.pulls_at(problem.spec.schedule.index_at(most) + 1)
    assert _asked(learner) == dict.fromkeys(racing, until)
    assert {request.question.cut for request in learner.pending} == {None}


_BUDGETED: list[SequentialHalving | SuccessiveRejects] = [
    SequentialHalving(pull_budget=200),
    SuccessiveRejects(pull_budget=200),
]


@pytest.mark.parametrize("policy", _BUDGETED, ids=lambda policy: policy.name)
def test_a_budget_that_was_spent_in_part_ends_the_run_and_says_why(
    policy: SequentialHalving | SuccessiveRejects,
) -> None:
    grid = tuple(phase.until for phase in policy.phases(4))
    problem = _problem(
        policy, means=(900, 200, 600, 500), schedule=ListedSchedule(checkpoints=grid)
    )
    network = _after_rounds(problem, 1)
    network.turn()
    _back_to_round(network, 1)
    network.turn()
    *_, noted, ended = network.events
    assert noted == CaveatNoted(text=NO_BUDGET)
    assert isinstance(ended, RunEnded)
    assert (ended.outcome, ended.best_arm, ended.guarantee) == (Outcome.INTERRUPTED, None, None)
    assert ended.guarantee_reason == f"no answer: the run ended with interrupted; {NO_BUDGET}"
    assert replay(network.events).save() == network.learner.save()
    network.turn()
    assert {agent.state.phase for agent in network.agents} == {AgentPhase.DISMISSED}
    assert {agent.state.cause for agent in network.agents} == {Cause.ENDED}


@pytest.mark.parametrize("policy", _BUDGETED, ids=lambda policy: policy.name)
def test_a_budget_that_is_resumed_with_nothing_lost_is_spent_as_planned(
    policy: SequentialHalving | SuccessiveRejects,
) -> None:
    grid = tuple(phase.until for phase in policy.phases(4))
    problem = _problem(
        policy, means=(900, 200, 600, 500), schedule=ListedSchedule(checkpoints=grid)
    )
    network = _after_rounds(problem, 1)
    network.resume_learner()
    network.settle()
    assert network.learner.ending is not None
    assert (network.learner.ending.outcome, network.learner.ending.best_arm) == (
        Outcome.BUDGET_SPENT,
        0,
    )


def test_past_the_end_of_the_grid_nothing_is_left_to_ask() -> None:
    learner = _after_rounds(_problem(schedule=ListedSchedule(checkpoints=(2, 4, 6))), 1).learner
    learner.begin(2)
    output = _told(learner, _says({0: 7})(learner))
    assert isinstance(output.events[-1], RunEnded)
    assert output.events[-1].outcome is Outcome.SAMPLE_LIMIT


def test_catching_up_keeps_to_the_limits() -> None:
    learner = _after_rounds(_problem(limits=Limits(samples=95)), 1).learner
    learner.begin(2)
    output = _told(learner, _says({0: 20})(learner))  # 3·32 = 96 pulls
    assert isinstance(output.events[-1], RunEnded)
    assert output.events[-1].outcome is Outcome.SAMPLE_LIMIT


def test_an_arm_that_is_ahead_and_then_lost_holds_nobody_up() -> None:
    learner = _after_rounds(_problem(), 1).learner
    learner.begin(2)
    learner.receive(_ahead(learner, 0, 100))
    learner.lose((0,))
    _told(learner, [_answer(learner, 1), _answer(learner, 2)])
    assert _asked(learner) == {1: 8, 2: 8}


def test_the_last_that_a_round_waited_for_may_be_lost_when_others_are_ahead() -> None:
    learner = _after_rounds(_problem(), 1).learner
    learner.begin(2)
    _told(learner, [_ahead(learner, 0, 100), _answer(learner, 1)])
    output = learner.lose((2,))
    assert isinstance(output.events[-1], RoundOpened)
    assert _asked(learner) == {0: 128, 1: 128}


@pytest.mark.parametrize("back", [1, 2, 4])
@pytest.mark.parametrize(
    ("policy", "quantizer", "width"),
    [
        (SuccessiveElimination(), Icq(bits=3), "paper"),
        (QuietElimination(), Dicq(), "pairwise-mixture"),
        (Lucb(), Exact(), "lil"),
    ],
    ids=["se", "quiet", "lucb"],
)
def test_a_run_restored_from_an_older_journal_ends_with_the_same_answer(
    policy: Policy, quantizer: Quantizer, width: str, back: int
) -> None:
    problem = _problem(policy, means=(900, 700, 600), quantizer=quantizer, width=width, sigma=0.15)
    network = Network(problem)
    while network.learner.rounds < 6 and not network.over:
        network.turn()
    _back_to_round(network, back)
    network.settle()
    ending = network.learner.ending
    assert ending is not None
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 0)
    assert ending.guarantee == problem.spec.delta
    told = {event.arm: event.pulls for event in network.events if isinstance(event, ReportAccepted)}
    assert ending.samples == sum(told.values())  # the pulls of the lost past included
    standings = Standings.of(network.events)
    result = result_of(standings)
    assert standings.epoch == 2
    assert result.restored is any(isinstance(event, PositionTold) for event in network.events)
    assert result.restored or back == 4  # nobody is ahead if those who are asked were not asked
    assert (result.samples, result.forgotten) == (ending.samples, 0)
    assert replay(network.events).save() == network.learner.save()


def test_a_journal_from_after_the_end_of_the_run_may_be_older_too() -> None:
    network = Network(_problem(means=(900, 100, 200), sigma=0.15))
    network.settle()
    ended = network.learner.ending
    assert ended is not None
    assert {agent.state.phase for agent in network.agents} == {AgentPhase.DISMISSED}
    _back_to_round(network, 2)
    network.settle()
    again = network.learner.ending
    assert again is not None
    assert (again.outcome, again.best_arm) == (ended.outcome, ended.best_arm)


# -- agents that forgot ---------------------------------------------------------------------------


def test_a_new_life_is_written_down_and_counted() -> None:
    learner = _after_rounds(_problem(), 2).learner
    before = learner.save()
    output = learner.renew({0: 0, 2: 3})
    assert output == LearnerOutput(events=(LivesBegan(arms=(0, 2), pulls=(0, 3)),))
    after = learner.save()
    assert [record.lives for record in after.arms] == [2, 1, 2]
    assert [record.counted for record in after.arms] == [0, 4, 3]
    assert [record.held for record in after.arms] == [record.held for record in before.arms]
    assert [record.pulls for record in after.arms] == [4, 4, 4]
    assert (after.samples, learner.pending) == (before.samples, learner.pending)
    learner.renew({0: 0})
    assert [record.lives for record in learner.arms] == [3, 1, 2]


def test_arms_that_told_nothing_or_are_out_have_nothing_to_renew() -> None:
    learner = _problem().learner()
    learner.start()
    learner.receive(_answer(learner, 1))
    before = learner.save()
    assert learner.renew({0: 0, 2: 0}) == LearnerOutput()
    assert learner.renew({}) == LearnerOutput()
    assert learner.save() == before
    output = learner.renew({0: 0, 1: 0, 2: 0})
    assert output.events == (LivesBegan(arms=(1,), pulls=(0,)),)
    learner.lose((1,))
    assert learner.renew({1: 0}) == LearnerOutput()


@pytest.mark.parametrize("arm", [-1, 3, 99])
def test_an_arm_that_is_not_there_cannot_begin_a_new_life(arm: int) -> None:
    learner = _after_rounds(_problem(), 2).learner
    before = learner.save()
    with pytest.raises(LocalProtocolError, match="only 3 arms"):
        learner.renew({0: 0, arm: 0})
    assert learner.save() == before


@pytest.mark.parametrize(
    ("shared", "samples"), [(0, 12 + 8 + 4 + 4), (3, 12 + 5 + 4 + 4), (4, 12 + 4 + 4 + 4)]
)
def test_rewards_of_a_new_life_are_counted_anew_but_for_those_that_it_shares(
    shared: int, samples: int
) -> None:
    learner = _after_rounds(_problem(), 2).learner
    assert (learner.samples, _asked(learner)) == (12, {0: 8, 1: 8, 2: 8})
    learner.renew({0: shared})
    _told(learner, [_answer(learner, arm) for arm in range(3)])
    assert learner.samples == samples
    assert [record.counted for record in learner.arms] == [8, 8, 8]


def test_a_new_life_counts_towards_the_limit_on_samples() -> None:
    for renewed, outcome in ((False, None), (True, Outcome.SAMPLE_LIMIT)):
        learner = _after_rounds(_problem(limits=Limits(samples=49)), 2).learner
        _told(learner, [_answer(learner, 0), _answer(learner, 1)])
        if renewed:
            learner.renew({0: 0})
        output = learner.receive(_answer(learner, 2))  # 24 so far; 16 each are 48
        ended = [event.outcome for event in output.events if isinstance(event, RunEnded)]
        assert ended == ([] if outcome is None else [outcome])


@pytest.mark.parametrize(
    ("width", "policy", "forgets", "factor"),
    [
        ("paper", SuccessiveElimination(), (0,), 1),
        ("paper", SuccessiveElimination(), (0, 1, 0, 2), 1),
        ("pairwise", SuccessiveElimination(), (0, 1), 1),
        ("lil", SuccessiveElimination(), (0,), 2),
        ("lil", Lucb(), (0, 1), 4),
        ("pairwise-mixture", QuietElimination(), (0,), 2),
        ("pairwise-mixture", QuietElimination(), (1, 0, 1), 6),
        ("pairwise-mixture", QuietElimination(), (0, 0, 0, 0, 1, 1, 1), None),  # 0.05·5·4 = 1
    ],
)
def test_what_is_left_of_delta_is_what_the_width_pays_for(
    width: str, policy: Policy, forgets: tuple[int, ...], factor: int | None
) -> None:
    network = Network(_problem(policy, means=(700, 650, 600), width=width, sigma=0.15), live=True)
    while min(record.message for record in network.learner.arms) < 1:
        network.turn()
    for arm in forgets:
        assert network.learner.arms[arm].phase is not ArmPhase.OUT
        network.send(network.learner.renew({arm: network.learner.arms[arm].counted}))
    network.settle()
    ending = network.learner.ending
    assert ending is not None
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 0)
    if factor is None:
        assert ending.guarantee is None
        assert f"lost their memory {len(forgets)} times" in ending.guarantee_reason
    else:
        assert ending.guarantee == pytest.approx(0.05 * factor)
        assert "what agents forgot does not depend on the rewards" in ending.guarantee_reason
    result = result_of(Standings.of(network.events))
    assert (result.forgotten, result.restored) == (len(forgets), False)
    assert replay(network.events).save() == network.learner.save()


def test_an_agent_that_forgot_answers_at_the_next_checkpoint_with_new_rewards_alone() -> None:
    network = Network(_problem(quantizer=Exact()), live=True)
    while network.learner.rounds < 4:
        network.turn()  # each arm told its mean at 8
    network.put_agent_back(0, 0)
    assert network.learner.arms[0].lives == 2
    network.turn()
    state, record = network.agents[0].state, network.learner.arms[0]
    assert (state.pulls, record.pulls, network.drawn[0]) == (16, 16, 8 + 16)
    assert state.total == network.problem.tape.total(0, 8, 16)
    assert record.symbol == Raw().write(state.total / 16)
    assert network.learner.samples == sum(network.drawn)


def test_dismissals_are_of_the_present_epoch() -> None:
    learner = _after_rounds(_problem(), 1).learner
    learner.begin(2)
    output = learner.interrupt()
    assert output.messages == tuple(
        Dismiss(run=run_field(learner.run, 2), arm=arm, cause=Cause.ENDED) for arm in range(3)
    )
