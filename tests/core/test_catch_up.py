"""Catching up: a learner that knows less than its agents goes on from where they are."""

from collections.abc import Callable, Sequence

import pytest
from core.resuming import (
    after_rounds,
    ahead_of,
    answer_of,
    asked_of,
    back_to_round,
    problem_of,
    told,
)
from drives import answered
from networks import Network

from bitarm.core.agent import AgentPhase
from bitarm.core.catch_up import NO_BUDGET
from bitarm.core.events import CaveatNoted, PositionTold, ReportAccepted, RoundOpened, RunEnded
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.learner import Learner
from bitarm.core.learner_state import ArmPhase
from bitarm.core.limits import Limits
from bitarm.core.messages import Answer, Cause
from bitarm.core.outcome import Outcome
from bitarm.core.outlook import outlook_of
from bitarm.core.policies import (
    ChallengeElimination,
    LilUcb,
    Lucb,
    Policy,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
)
from bitarm.core.quantizers import Dicq, Dyadic, Exact, Icq, Quantizer
from bitarm.core.replay import replay
from bitarm.core.result import result_of
from bitarm.core.schedule import ListedSchedule, LooksSchedule
from bitarm.core.standings import Standings

_Says = Callable[[Learner], Sequence[Answer]]


def _says(positions: dict[int, int]) -> _Says:
    """Arms in `positions` are ahead, the others answer."""
    return lambda learner: [
        ahead_of(learner, arm, positions[arm]) if arm in positions else answer_of(learner, arm)
        for arm in asked_of(learner)
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
    learner = after_rounds(problem_of(), 1).learner
    learner.begin(2)
    output = told(learner, _says(positions)(learner))
    (opened,) = (event for event in output.events if isinstance(event, RoundOpened))
    assert opened.round == 3
    assert opened.requests == output.messages == learner.pending
    assert asked_of(learner) == dict.fromkeys(range(3), until)
    assert {request.message for request in learner.pending} == {2}
    assert {record.ahead for record in learner.arms} == {None}
    assert learner.save().incidents.restores == 1  # however many arms say so


def test_what_is_lost_is_counted_once_in_each_epoch() -> None:
    learner = after_rounds(problem_of(), 1).learner
    restores = []
    for epoch, ahead in ((2, 5), (2, 9), (3, 17)):
        if learner.epoch != epoch:
            learner.begin(epoch)
        told(learner, _says({0: ahead})(learner))
        restores.append(learner.save().incidents.restores)
    assert restores == [1, 1, 2]


def test_a_position_voids_the_round_and_no_arm_is_dropped_in_it() -> None:
    learner = after_rounds(problem_of(), 1).learner
    learner.begin(2)
    answers: list[Answer] = [answer_of(learner, 0, 1e6), answer_of(learner, 1, -1e6)]
    output = told(learner, [*answers, ahead_of(learner, 2, 5)])
    assert [type(event) for event in output.events] == [PositionTold, RoundOpened]
    output = told(learner, [answer_of(learner, arm, 0.0) for arm in range(3)])
    assert not any(record.dropped_for is not None for record in learner.arms)


@pytest.mark.parametrize("policy", [Lucb(), LilUcb()], ids=lambda policy: policy.name)
def test_arms_that_go_apart_catch_up_each_on_its_own(policy: Policy) -> None:
    learner = after_rounds(problem_of(policy), 1).learner
    learner.begin(2)
    asked = asked_of(learner)
    assert all(until == 4 for until in asked.values())
    first = min(asked)
    output = told(learner, _says({first: 9})(learner))
    assert isinstance(output.events[-1], RoundOpened)
    assert asked_of(learner) == {first: 16}
    if len(asked) > 1:
        other = max(asked)
        assert (learner.arms[other].phase, learner.arms[other].pulls) == (ArmPhase.RESTING, 4)


def test_elimination_by_challenge_catches_up_with_all_arms_and_without_challenges() -> None:
    problem = problem_of(
        ChallengeElimination(),
        means=(900, 200, 880, 300),
        quantizer=Dyadic(),
        width="bounded",
        schedule=LooksSchedule(),
    )
    network = Network(problem)
    while len(_challenged(network.learner)) < 2:
        network.turn()
        assert not network.over
    learner = network.learner
    learner.begin(2)
    asked = asked_of(learner)
    most = max(asked.values())
    awaited = list(asked)
    answers: list[Answer] = [ahead_of(learner, awaited[0], most + 1)]
    for request in learner.pending[1:]:
        answers.extend(answered(network.agents[request.arm], request, problem.tape.total))
    output = told(learner, answers)
    assert isinstance(output.events[-1], RoundOpened)
    racing = [arm for arm, record in enumerate(learner.arms) if record.phase is not ArmPhase.OUT]
    until = problem.spec.schedule.pulls_at(problem.spec.schedule.index_at(most) + 1)
    assert asked_of(learner) == dict.fromkeys(racing, until)
    assert {request.question.task for request in learner.pending} == {None}


def _challenged(learner: Learner) -> list[int]:
    tasks = ((request.arm, request.question.task) for request in learner.pending)
    return [arm for arm, task in tasks if isinstance(task, Challenge)]


_BUDGETED: list[SequentialHalving | SuccessiveRejects] = [
    SequentialHalving(pull_budget=200),
    SuccessiveRejects(pull_budget=200),
]


@pytest.mark.parametrize("policy", _BUDGETED, ids=lambda policy: policy.name)
def test_a_budget_that_was_spent_in_part_ends_the_run_and_says_why(
    policy: SequentialHalving | SuccessiveRejects,
) -> None:
    grid = tuple(phase.until for phase in policy.phases(4))
    problem = problem_of(
        policy, means=(900, 200, 600, 500), schedule=ListedSchedule(checkpoints=grid)
    )
    network = after_rounds(problem, 1)
    network.turn()
    back_to_round(network, 1)
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
    problem = problem_of(
        policy, means=(900, 200, 600, 500), schedule=ListedSchedule(checkpoints=grid)
    )
    network = after_rounds(problem, 1)
    network.resume_learner()
    network.settle()
    assert network.learner.ending is not None
    assert (network.learner.ending.outcome, network.learner.ending.best_arm) == (
        Outcome.BUDGET_SPENT,
        0,
    )


def test_past_the_end_of_the_grid_nothing_is_left_to_ask() -> None:
    learner = after_rounds(problem_of(schedule=ListedSchedule(checkpoints=(2, 4, 6))), 1).learner
    learner.begin(2)
    output = told(learner, _says({0: 7})(learner))
    assert isinstance(output.events[-1], RunEnded)
    assert output.events[-1].outcome is Outcome.SAMPLE_LIMIT


def test_catching_up_keeps_to_the_limits() -> None:
    learner = after_rounds(problem_of(limits=Limits(samples=95)), 1).learner
    learner.begin(2)
    output = told(learner, _says({0: 20})(learner))  # 3·32 = 96 pulls
    assert isinstance(output.events[-1], RunEnded)
    assert output.events[-1].outcome is Outcome.SAMPLE_LIMIT


def test_an_arm_that_is_ahead_and_then_lost_holds_nobody_up() -> None:
    learner = after_rounds(problem_of(), 1).learner
    learner.begin(2)
    learner.receive(ahead_of(learner, 0, 100))
    learner.lose((0,))
    told(learner, [answer_of(learner, 1), answer_of(learner, 2)])
    assert asked_of(learner) == {1: 8, 2: 8}


def test_the_last_that_a_round_waited_for_may_be_lost_when_others_are_ahead() -> None:
    learner = after_rounds(problem_of(), 1).learner
    learner.begin(2)
    told(learner, [ahead_of(learner, 0, 100), answer_of(learner, 1)])
    output = learner.lose((2,))
    assert isinstance(output.events[-1], RoundOpened)
    assert asked_of(learner) == {0: 128, 1: 128}


@pytest.mark.parametrize("back", [1, 2, 4])
@pytest.mark.parametrize(
    ("policy", "quantizer", "width"),
    [
        (SuccessiveElimination(), Icq(bits=3), "paper"),
        (SuccessiveElimination(), Dicq(), "pairwise-mixture"),
        (Lucb(), Exact(), "lil"),
    ],
    ids=["icq", "dicq", "lucb"],
)
def test_a_run_restored_from_an_older_journal_ends_with_the_same_answer(
    policy: Policy, quantizer: Quantizer, width: str, back: int
) -> None:
    problem = problem_of(
        policy, means=(900, 700, 600), quantizer=quantizer, width=width, sigma=0.15
    )
    network = Network(problem)
    while network.learner.rounds < 6 and not network.over:
        network.turn()
    back_to_round(network, back)
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


@pytest.mark.parametrize(
    ("policy", "quantizer"),
    [(ChallengeElimination(), Dyadic()), (Lucb(), Exact())],
    ids=["challenge", "lucb"],
)
def test_what_a_restore_costs_an_answer_it_costs_what_is_excluded(
    policy: Policy, quantizer: Quantizer
) -> None:
    """An arm that is out for sure is so at the level of an answer, under the same conditions."""
    problem = problem_of(
        policy,
        means=(900, 700, 600),
        quantizer=quantizer,
        width="sub-gaussian",
        sigma=0.15,
        schedule=LooksSchedule() if isinstance(policy, ChallengeElimination) else None,
    )
    network = Network(problem)
    while network.learner.rounds < 4:
        network.turn()
    network.resume_learner()  # nothing is lost
    exclusion = outlook_of(Standings.of(network.events)).exclusion
    newest = "the journal that the run was resumed from was its newest"
    assert (exclusion.delta, newest in exclusion.assumptions) == (0.05, True)
    back_to_round(network, 2)
    network.settle()
    ending = network.learner.ending
    assert ending is not None
    assert ending.outcome is Outcome.DECIDED
    assert ending.guarantee == pytest.approx(0.15)
    exclusion = outlook_of(Standings.of(network.events)).exclusion
    assert (exclusion.delta, exclusion.assumptions) == (ending.guarantee, ending.assumptions)


def test_an_arm_that_was_ahead_and_is_lost_has_told_that_the_journal_is_older() -> None:
    """The claim then cannot assume that the journal was the newest."""
    problem = problem_of(Lucb(), means=(900, 700, 600), width="sub-gaussian", sigma=0.15)
    learner = after_rounds(problem, 0).learner
    learner.begin(learner.epoch + 1)
    assert asked_of(learner).keys() == {0, 1, 2}
    learner.receive(ahead_of(learner, 2, 1000))
    learner.lose((2,))
    while learner.ending is None:
        for one in asked_of(learner):
            learner.receive(answer_of(learner, one, (0.9, 0.7, 0.6)[one]))
    assert learner.ending.guarantee == pytest.approx(0.05 * 3 * 1.5)  # and one of three is lost


def test_a_journal_from_after_the_end_of_the_run_may_be_older_too() -> None:
    network = Network(problem_of(means=(900, 100, 200), sigma=0.15))
    network.settle()
    ended = network.learner.ending
    assert ended is not None
    assert {agent.state.phase for agent in network.agents} == {AgentPhase.DISMISSED}
    back_to_round(network, 2)
    network.settle()
    again = network.learner.ending
    assert again is not None
    assert (again.outcome, again.best_arm) == (ended.outcome, ended.best_arm)
