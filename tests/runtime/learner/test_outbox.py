"""What agents must hear: in which order it is said."""

from runtime.learner.worlds import problem_with
from wires.runs import fleet_of

from bitarm.runtime.learner.begin import open_run
from bitarm.store import MemoryJournal
from bitarm.wire.status import Presence, Status, dump_status
from bitarm.wire.topics import Subject, Topics


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


def test_who_is_not_heard_of_again_after_a_cut_is_sent_nothing() -> None:
    problem = problem_with(arms=2)
    _, service = open_run(
        problem.learner(),
        MemoryJournal(),
        fleet_of(problem),
        boot="first",
        watch=lambda events: None,
        now=0.0,
    )
    topics = Topics(fleet_of(problem).fleet)
    here = dump_status(Status(presence=Presence.ONLINE, opening=service.opening, boot="b"))
    service.connected(0.0)
    service.step(0.0)
    service.disconnected(1.0)
    service.connected(2.0)  # it listens before it speaks
    service.received(topics.of("gw-0", Subject.STATUS), here)
    service.step(2.1)
    service.disconnected(2.2)
    service.step(2.3)
    service.connected(3.0)
    said = [publication.topic for publication in service.step(9.0)]
    assert topics.of("gw-0", Subject.RUN) in said
    assert topics.of("gw-0", Subject.REQUEST) not in said
