"""Successive rejects as a whole run: one arm falls a round, or several where nothing was heard."""

import pytest
from drives import drive
from tapes import agents_of, make_spec

from bitarm.core.events import ArmDropped
from bitarm.core.learner import Learner
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveRejects
from bitarm.core.schedule import ListedSchedule
from bitarm.core.setup import Setup

_MEANS = (0.1, 0.8, 0.3, 0.6)


@pytest.mark.parametrize(
    ("budget", "fallen"),
    [
        (100, {0: 1, 2: 2, 3: 3}),  # one a round
        (5, {0: 1, 2: 1, 3: 1}),  # n_1 = n_2 = n_3 = 1: all but the best at once
        (4, {0: 1, 2: 1, 3: 1}),
    ],
)
def test_the_worst_arm_falls_each_round(budget: int, fallen: dict[int, int]) -> None:
    policy = SuccessiveRejects(pull_budget=budget)
    grid = tuple(phase.until for phase in policy.phases(4))
    spec = make_spec(arms=4, schedule=ListedSchedule(checkpoints=grid))
    learner = Learner(Setup(spec=spec, policy=policy))
    run = drive(learner, agents_of(learner), lambda arm, done, count: _MEANS[arm] * count)
    drops = [event for event in run.events if isinstance(event, ArmDropped)]
    assert {drop.arm: drop.round for drop in drops} == fallen
    assert (run.ending.outcome, run.ending.best_arm) == (Outcome.BUDGET_SPENT, 1)
    assert budget - 1 <= run.ending.samples <= budget
