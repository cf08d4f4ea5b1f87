"""Sequential halving as a whole run: who falls when, and what a lost agent changes."""

from drives import Run, drive
from tapes import agents_of, make_spec

from bitarm.core.events import ArmDropped, ArmsLost, RoundOpened
from bitarm.core.learner import Learner
from bitarm.core.messages import Report
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SequentialHalving
from bitarm.core.schedule import ListedSchedule
from bitarm.core.setup import Setup

_POLICY = SequentialHalving(pull_budget=240)
_MEANS = (0.1, 0.8, 0.3, 0.6, 0.2, 0.7, 0.4, 0.5)


def _learner(arms: int = 8) -> Learner:
    grid = tuple(phase.until for phase in _POLICY.phases(arms))
    spec = make_spec(arms=arms, schedule=ListedSchedule(checkpoints=grid))
    return Learner(Setup(spec=spec, policy=_POLICY))


def _run(learner: Learner) -> Run:
    return drive(learner, agents_of(learner), lambda arm, done, count: _MEANS[arm] * count)


def test_every_round_the_worse_half_falls_for_the_leader() -> None:
    run = _run(_learner())
    drops = [event for event in run.events if isinstance(event, ArmDropped)]
    fallen = {round: {drop.arm for drop in drops if drop.round == round} for round in (1, 2, 3)}
    assert fallen == {1: {0, 2, 4, 6}, 2: {3, 7}, 3: {5}}
    assert {drop.because for drop in drops} == {1}
    rounds = [event for event in run.events if isinstance(event, RoundOpened)]
    assert [opened.requests[0].question.until for opened in rounds] == [10, 30, 70]
    assert (run.ending.outcome, run.ending.best_arm) == (Outcome.BUDGET_SPENT, 1)
    assert run.ending.samples == 240


def test_two_arms_are_sampled_evenly() -> None:
    assert [(phase.arms, phase.until) for phase in _POLICY.phases(2)] == [(2, 120)]


def test_a_lost_arm_is_named_and_the_budget_still_holds() -> None:
    learner = _learner()
    learner.start()
    lost = learner.lose([1])
    assert any(isinstance(event, ArmsLost) for event in lost.events)
    _go_on(learner, rounds=3)
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.BUDGET_SPENT, 5)
    assert learner.ending.samples == 230  # 10 of the lost arm were never seen
    assert "not arm-1" in learner.ending.guarantee_reason


def test_the_last_arm_that_is_left_is_a_guess_too() -> None:
    learner = _learner(4)
    learner.start()
    _go_on(learner, rounds=1)
    learner.lose([3])  # of the two that were left
    _go_on(learner, rounds=1)
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.BUDGET_SPENT, 1)
    assert learner.ending.guarantee is None


def _go_on(learner: Learner, rounds: int) -> None:
    """Answer what is asked for, with every arm at its mean."""
    for _ in range(rounds):
        for request in learner.pending:
            symbol = request.question.answer(_MEANS[request.arm])
            learner.receive(
                Report(run=request.run, arm=request.arm, message=request.message, symbol=symbol)
            )
