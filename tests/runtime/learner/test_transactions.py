"""An agent that repeats itself grows a number, not the journal."""

from drives import drive_problem, story
from runtime.learner.worlds import (
    TOPICS,
    events_in,
    problem_with,
    said_in,
    service_in,
    world_of,
)
from wires.runs import fleet_of
from wires.world import World

from bitarm.core.events import AgentJoined, ReportIgnored
from bitarm.core.replay import replay
from bitarm.core.standings import Standings
from bitarm.runtime.learner.processes import Joins
from bitarm.runtime.learner.transactions import Repeats
from bitarm.runtime.service import Publication
from bitarm.wire.status import Presence, Status, dump_status
from bitarm.wire.topics import Subject

MANY = 20_000


class Recording(World):
    """A world that remembers one agent's first report."""

    report: Publication | None = None

    def publish(self, publication: Publication) -> None:
        if publication.topic == TOPICS.of("gw-0", Subject.REPORT) and self.report is None:
            self.report = publication
        super().publish(publication)


def test_many_repeats_are_few_entries_and_their_number_is_known() -> None:
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    world.__class__ = Recording
    assert isinstance(world, Recording)
    world.report = None
    while world.report is None:
        world.tick()
    report: Publication = world.report
    for _ in range(MANY):
        service_in(world).received(report.topic, report.payload)
    world.run()
    events = events_in(world)
    ignored = [event for event in events if isinstance(event, ReportIgnored)]
    assert len(ignored) < 40
    assert MANY - 1 <= Standings.of(events).arms[0].repeats <= MANY + 10
    assert story(said_in(world)) == story(drive_problem(problem).events)
    without = [event for event in events if not isinstance(event, ReportIgnored)]
    assert replay(events).save() == replay(without).save()


def test_the_number_is_written_whenever_it_has_doubled() -> None:
    repeats, written = Repeats(), []
    for number in range(1, 1_001):
        written += repeats.note(ReportIgnored(arm=3, message=number))
    assert [event.times for event in written] == [1, 1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert [event.message for event in written][-2:] == [256, 512]
    assert repeats.drain() == [ReportIgnored(arm=3, message=1_000, times=488)]
    assert repeats.drain() == []


def test_arms_are_counted_apart() -> None:
    repeats = Repeats()
    for _ in range(50):
        repeats.note(ReportIgnored(arm=0, message=1))
    other = ReportIgnored(arm=1, message=7)
    assert repeats.note(other) == [other]


def test_processes_that_push_each_other_off_do_not_fill_the_journal() -> None:
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    world.tick()
    opening = service_in(world).opening
    topic = TOPICS.of("gw-0", Subject.STATUS)
    for number in range(3_000):
        twin = Status(presence=Presence.ONLINE, opening=opening, boot=f"b{number % 2}", life="l")
        service_in(world).received(topic, dump_status(twin))
    list(service_in(world).step(world.now))
    service_in(world).leave()
    joined = [event for event in events_in(world) if isinstance(event, AgentJoined)]
    assert len([event for event in joined if event.agent == "gw-0"]) <= 101
    assert service_in(world).refusals.by_offender[topic] >= 1_400  # of one of the two
    caveats = Standings.of(events_in(world)).caveats
    assert any("ever new processes, not all of which were heard" in caveat for caveat in caveats)


def test_one_process_a_minute_may_join_in_the_long_run() -> None:
    joins = Joins()
    assert sum(joins.take("gw-1", 0.0) for _ in range(500)) == 100
    assert joins.take("gw-2", 0.0)
    assert sum(joins.take("gw-1", 15.0 * step) for step in range(1, 41)) == 10
