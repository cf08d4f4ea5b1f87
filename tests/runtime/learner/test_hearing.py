"""What the learner does about messages of its peers: refused, believed once, or harmless."""

import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest
from drives import drive_problem, story
from runtime.learner.worlds import (
    TOPICS,
    Scales,
    events_in,
    pass_a_while,
    problem_with,
    result_in,
    said_in,
    service_in,
    world_of,
)
from wires.memories import MemoryKeeper
from wires.runs import RUN, fleet_of
from wires.weather import InFlight
from wires.world import World

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.core.epochs import run_field
from bitarm.core.events import (
    AgentJoined,
    EpochBegan,
    LearnerEvent,
    ReportAccepted,
    RunEnded,
)
from bitarm.core.limits import Limits
from bitarm.core.messages import Position, Report, Request
from bitarm.core.question import Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.runtime.agent.memory import AgentMemory
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.service import Publication
from bitarm.store import MemoryJournal
from bitarm.wire.frames.envelope import seal
from bitarm.wire.status import (
    MOST_STARTS,
    Presence,
    Start,
    Status,
    dump_status,
    load_status,
)
from bitarm.wire.topics import LEARNER, Subject

_FIELD = run_field(problem_with().learner().run, 1)
_REPORT = Report(run=_FIELD, arm=0, message=1, symbol=Symbol(1, 3))
_REQUEST = Request(run=_FIELD, arm=0, message=1, question=Question(until=2, code=Raw()))


@pytest.mark.parametrize(
    ("topic", "payload", "why"),
    [
        ("gw-1/report", wire.encode(_REPORT), "agent gw-1 may report for its own arms only"),
        ("gw-0/report", b"\xffgarbage", "a frame has at least 11 bytes"),
        ("gw-0/report", b"\x80" + bytes(40_000), "at least 12 bytes"),
        ("gw-0/report", b"\x02\x00\x00", "check sum"),
        ("gw-0/report", seal(bytes(12)), "this program reads version 2, got version 1"),
        ("gw-0/report", seal(b"\x81\x03" + bytes(12)), "reads version 2, got version 3"),
        (
            "gw-0/report",
            wire.encode(replace(_REPORT, run=run_field(1, 1))),
            "is for run 000001",
        ),
        (
            "gw-0/report",
            wire.encode(replace(_REPORT, run=run_field(problem_with().learner().run, 2))),
            "is of epoch 2, this is epoch 1",
        ),
        ("gw-0/report", wire.encode(_REQUEST), "may report for its own arms only"),
        (
            "gw-0/report",
            wire.encode(Position(run=_FIELD, arm=0, message=1, pulls=1000)),
            "says that 1000 pulls were made, 2 were asked for, and nobody else ever asked",
        ),
        (
            "gw-0/report",
            wire.encode(Report(run=_REPORT.run, arm=0, message=9, symbol=Symbol(1, 3))),
            "was not asked for",
        ),
        (
            "gw-0/report",
            wire.encode(Report(run=_REPORT.run, arm=0, message=1, symbol=Symbol(1, 5))),
            "symbol has 5 bits, 3 were expected",
        ),
        ("gw-9/report", wire.encode(_REPORT), "this run has no such agent"),
        ("gw-0/status", b"{", "a status must be JSON"),
        ("gw-0/status", b'{"presence": "asleep"}', "presence must be one of online"),
        ("gw-0/status", b"[" * 20_000, "a status of agent gw-0 has at most 16,784 bytes, got 20"),
        ("gw-0/status", b'{"presence": "online", "epoch": 256}', "epoch must lie in"),
        ("gw-0/status", b'{"presence": "online", "pulls": {"0": -1}}', "cannot have made -1"),
        ("learner/status", b"{", "a status must be JSON"),
    ],
)
def test_what_a_peer_must_not_send_is_refused_and_logged_and_harmless(
    topic: str, payload: bytes, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    pass_a_while(world, 2)  # the agents have joined, nobody has reported yet
    full = f"bitarm/v2/{RUN}/{topic}"
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        world.in_flight.append(InFlight(world.now, LEARNER, full, payload))
        world.run()
    assert service_in(world).refusals.by_offender[full] == 1
    assert full in caplog.text
    assert why in caplog.text
    assert story(said_in(world)) == story(drive_problem(problem).events)


def test_an_agent_whose_status_cannot_be_read_is_not_heard_until_one_can() -> None:
    """It may be a new process's first word, and what follows the answers of another memory."""
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    pass_a_while(world, 2)
    world.run(until=lambda: service_in(world).count_present() == 3)
    status = f"bitarm/v2/{RUN}/gw-0/status"
    service_in(world).received(status, b'{"presence": "on')
    world.in_flight = [sent for sent in world.in_flight if sent.topic != status]

    def told() -> set[int]:
        return {event.arm for event in events_in(world) if isinstance(event, ReportAccepted)}

    world.run(until=lambda: {1, 2} <= told())
    assert told() == {1, 2}
    world.run()
    assert story(said_in(world)) == story(drive_problem(problem).events)


@pytest.mark.parametrize("arms", [1, 50, 2_000])
def test_the_longest_status_that_an_agent_may_have_to_say_is_read(arms: int) -> None:
    """Which grows with its arms; what is longer is not read, so nobody can take up our time."""
    problem = problem_with(arms=arms + 1)
    fleet = replace(fleet_of(problem), agents=("gw", *("other",) * arms))
    world = world_of(fleet, problem)
    pass_a_while(world, 1)
    counts = dict.fromkeys(range(1, arms + 1), MAX_PULLS)
    memory = AgentMemory(opening="x", agent="other", life="y")
    for _ in range(2 * MOST_STARTS):
        memory = memory.gone_on_by(Start(boot="\u2028" * 64, pulls=counts))
    status = Status(
        presence=Presence.DONE,
        opening=problem.learner().opening,
        epoch=1,
        boot="\u2028" * 64,
        life="\u2028" * 64,
        pulls=counts,
        made=counts,
        before=memory.starts[:-1],
        reason="\U0001f4a9" * 500,
    )
    service = service_in(world)
    service.received(TOPICS.of("other", Subject.STATUS), dump_status(status))
    service.step(world.now)
    assert service.refusals.total == 0


def test_one_offender_cannot_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    world = world_of(fleet_of(problem_with()))
    pass_a_while(world, 3)
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        for _ in range(10_000):
            service_in(world).received(TOPICS.of("gw-0", Subject.REPORT), b"\nforged line")
        world.tick()
    assert service_in(world).refusals.total == 10_000
    assert len(caplog.records) < 15
    assert "\nforged" not in caplog.text


def test_a_repeated_answer_after_the_end_changes_nothing() -> None:
    world = world_of(fleet_of(problem_with()))
    sent: list[Publication] = []

    class Remembering(World):
        def publish(self, publication: Publication) -> None:
            sent.append(publication)
            super().publish(publication)

    world.__class__ = Remembering
    world.run()
    before: Sequence[LearnerEvent] = events_in(world)
    for publication in sent:
        service_in(world).received(publication.topic, publication.payload)
    list(service_in(world).step(world.now))
    decided = [event for event in events_in(world)[len(before) :] if event.name != "report_ignored"]
    assert decided == []


# -- agents that cannot, or will not --------------------------------------------------------------


def test_a_question_that_an_agent_refuses_is_counted_there_and_logged_here(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """So that nobody waits in silence for an answer that will not come."""
    problem = problem_with()
    keepers = {name: MemoryKeeper() for name in fleet_of(problem).agents}
    world = World(problem, fleet_of(problem), MemoryJournal(), dict(keepers), most_pulls=3)
    with caplog.at_level(logging.WARNING):
        pass_a_while(world, 60)
    assert service_in(world).finished is False
    said = caplog.text
    for number in range(3):
        agent = world.nodes[f"gw-{number}"].service
        assert isinstance(agent, AgentService)
        assert agent.refusals.total > 0
        assert f"agent gw-{number} refuses: arm {number}, message" in said
        assert load_status(world.retained[TOPICS.of(f"gw-{number}", Subject.STATUS)]).reason
    assert "pulls, this agent makes at most 3 for a question" in said
    assert said.count("agent gw-1 refuses") == 1  # not for every repetition


def _told(world: World, status: Status, agent: str = "gw-0") -> None:
    """An agent's status reaches the learner."""
    topic = TOPICS.of(agent, Subject.STATUS)
    world.in_flight.append(InFlight(world.now, LEARNER, topic, dump_status(status)))


def test_an_agent_that_fails_again_and_again_writes_a_few_lines_and_none_of_its_own(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = world_of(fleet_of(problem_with()))
    pass_a_while(world, 2)
    opening = service_in(world).opening
    with caplog.at_level(logging.INFO, logger="bitarm.learner"):
        for number in range(1_000):
            reason = f"{number}\n2026-01-01 INFO ended: all is well\x1b[1A"
            _told(world, Status(presence=Presence.FAILED, opening=opening, reason=reason))
            _told(world, Status(presence=Presence.PULLING, opening=opening))
        pass_a_while(world, 3)
    about = [line for line in caplog.messages if "gw-0" in line]
    assert "agent gw-0 failed: 0 2026-01-01 INFO ended: all is well?[1A" in about
    assert len(about) < 60
    assert all(line.isprintable() for line in about)


def test_an_agent_that_lacks_the_code_is_not_asked_and_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    pass_a_while(world, 1)
    opening = service_in(world).opening
    world.nodes["gw-0"].back_at = 1e9
    world.kill("gw-0", away=1e9)
    scales = Scales(world)
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        _told(world, Status(presence=Presence.ONLINE, opening=opening, codes=("raw", "morse")))
        pass_a_while(world, 10)
    assert "agent gw-0 cannot answer in the code bins, levels: bring it to this" in caplog.text
    assert scales.sizes["request"]  # the others are
    assert not any(
        isinstance(event, AgentJoined) and event.agent == "gw-0" for event in events_in(world)
    )
    world.nodes["gw-0"].back_at = world.now  # brought to this version
    world.run()
    assert story(said_in(world)) == story(drive_problem(problem).events)


def test_a_device_that_says_nothing_of_its_memory_is_written_down_once() -> None:
    """Its status has no name of a process, as a bridge makes it that only sees uplinks."""
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    pass_a_while(world, 1)
    opening = service_in(world).opening
    for presence in (Presence.ONLINE, Presence.PULLING, Presence.PULLING):
        _told(world, Status(presence=presence, opening=opening))
    pass_a_while(world, 2)
    world.kill(LEARNER)
    pass_a_while(world, 4)
    _told(world, Status(presence=Presence.PULLING, opening=opening))  # to one that was resumed
    world.run()
    assert any(isinstance(event, EpochBegan) for event in events_in(world))
    silent = [
        event for event in events_in(world) if isinstance(event, AgentJoined) and event.is_silent
    ]
    assert [event.agent for event in silent] == ["gw-0"]
    (ending,) = (event for event in events_in(world) if isinstance(event, RunEnded))
    assert any("do not say what they remember" in clause for clause in ending.assumptions)


def test_codes_that_a_later_version_has_too_do_no_harm() -> None:
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    pass_a_while(world, 2)
    codes = ("raw", "morse", "bins", "nearest", "levels")
    opening = service_in(world).opening
    _told(world, Status(presence=Presence.PULLING, opening=opening, epoch=1, codes=codes))
    world.run()
    assert service_in(world).refusals.total == 0
    assert story(said_in(world)) == story(drive_problem(problem).events)


def test_an_agent_s_word_for_a_later_epoch_is_followed_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nobody else speaks in it. An agent that goes on so is faulty, and stops nobody."""
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    pass_a_while(world, 2)
    opening = service_in(world).opening
    with caplog.at_level(logging.WARNING):
        for epoch in (40, 100):
            for _ in range(8):
                status = Status(presence=Presence.PULLING, opening=opening, epoch=epoch, boot="x")
                _told(world, status)
                pass_a_while(world, 2)
        world.run()
    taken = [event.epoch for event in events_in(world) if isinstance(event, EpochBegan)]
    assert taken == [41]
    assert "agent gw-0 knows of question 0 in epoch 100, which no learner has asked" in caplog.text
    assert service_in(world).refusals.by_offender[TOPICS.of("gw-0", Subject.STATUS)] > 0
    assert story(said_in(world))[0] == story(drive_problem(problem).events)[0]


@pytest.mark.parametrize(
    ("pulls", "why"),
    [
        (1, "says that 1 pulls were made, which this run cannot have"),
        (5001, "says that 5001 pulls were made, which this run cannot have"),
        (2**63, "which this run cannot have"),
    ],
)
def test_a_position_that_cannot_be_is_refused_and_makes_nobody_pull(
    pulls: int, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Also in a run that was resumed, in which agents may be ahead."""
    problem = replace(problem_with(), limits=Limits(rounds=14, samples=5000))
    world = world_of(fleet_of(problem), problem)
    pass_a_while(world, 2)
    world.kill(LEARNER)
    world.run(until=lambda: world.nodes[LEARNER].service is not None)
    pass_a_while(world, 1)
    field = run_field(problem.learner().run, 2)
    lie = wire.encode(Position(run=field, arm=0, message=1, pulls=pulls))
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        world.in_flight.insert(
            0, InFlight(world.now, LEARNER, TOPICS.of("gw-0", Subject.REPORT), lie)
        )
        world.run()
    assert why in caplog.text
    assert story(said_in(world)) == story(drive_problem(problem).events)


def test_a_position_that_may_be_true_costs_pulls_and_no_more() -> None:
    """One agent that lies within the limits: the others go on to where it says that it is."""
    problem = replace(problem_with(), limits=Limits(rounds=14, samples=50_000))
    world = world_of(fleet_of(problem), problem)
    pass_a_while(world, 2)
    world.kill(LEARNER)
    world.run(until=lambda: world.nodes[LEARNER].service is not None)
    pass_a_while(world, 1)
    field = run_field(problem.learner().run, 2)
    lie = wire.encode(Position(run=field, arm=0, message=1, pulls=900))
    world.in_flight.insert(0, InFlight(world.now, LEARNER, TOPICS.of("gw-0", Subject.REPORT), lie))
    world.run()
    result = result_in(world)
    assert result.restored
    assert result.samples <= 50_000
    assert result.best_arm == 2


def test_a_frame_that_the_link_cannot_have_carried_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    problem = problem_with(arms=9)
    fleet = replace(fleet_of(problem, gateways=1), link="lorawan-us915-dr0")
    world = world_of(fleet, problem)
    pass_a_while(world)
    field = run_field(problem.learner().run, 1)
    reports = [replace(_REPORT, run=field, arm=arm) for arm in range(9)]
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        service_in(world).received(TOPICS.of("gw-0", Subject.REPORT), wire.pack(reports))
        world.tick()
    assert "the link lorawan-us915-dr0 carries 11 bytes up, agent gw-0 sent" in caplog.text
