"""What agents must hear: in which order it is said."""

from runtime.learner.worlds import problem_with
from wires.runs import fleet_of

from bitarm.runtime.learner.begin import open_run
from bitarm.store import MemoryJournal


def test_those_that_owe_an_answer_come_in_the_order_of_their_arms() -> None:
    problem = problem_with(arms=12)
    _, service = open_run(
        problem.learner(),
        MemoryJournal(),
        fleet_of(problem),
        boot="first",
        watch=lambda events: None,
        now=0.0,
    )
    debtors = service._run.outbox.debtors()
    assert [member.name for member in debtors] == [f"gw-{arm}" for arm in range(12)]
