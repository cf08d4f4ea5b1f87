"""The learner's service: lost agents, late ones, and peers that send what they must not send."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tapes import Problem, Tape, drive_problem, make_spec, story
from wires import RUN, InFlight, MemoryKeeper, World, fleet_of

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.codes import Raw
from bitarm.core.epochs import run_field
from bitarm.core.events import (
    AgentJoined,
    ArmsLost,
    EpochBegan,
    FleetAssigned,
    LearnerEvent,
    LostRule,
    TrafficMeasured,
)
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Position, Report, Request
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.policy import Outcome
from bitarm.core.quantizers import Exact, Icq
from bitarm.core.question import Question
from bitarm.core.replay import replay
from bitarm.core.result import RunResult, result_of
from bitarm.core.setup import Setup
from bitarm.core.standings import Standings
from bitarm.errors import ConfigError
from bitarm.links.cost import use
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.learner.begin import open_run
from bitarm.runtime.learner.service import LearnerService
from bitarm.runtime.service import Publication
from bitarm.store import MemoryJournal
from bitarm.wire.frames.envelope import seal
from bitarm.wire.status import Presence, Status, dump_status, load_status
from bitarm.wire.topics import LEARNER, Subject, Topics

_TOPICS = Topics(RUN)


def _problem(arms: int = 3) -> Problem:
    return Problem(
        spec=make_spec(arms=arms, quantizer=Icq(bits=3, prior="uniform")),
        policy=SuccessiveElimination(),
        limits=Limits(rounds=14),
        tape=Tape(
            seed=3,
            means=tuple(200 + 200 * arm for arm in range(arms)),
            spread=150,
            bounds=(0, 1024),
        ),
    )


def _world(fleet: FleetAssigned, problem: Problem | None = None) -> World:
    keepers = {name: MemoryKeeper() for name in fleet.agents}
    return World(problem or _problem(), fleet, MemoryJournal(), dict(keepers))


def _events(world: World) -> list[LearnerEvent]:
    return [entry.event for entry in world.journal.read(1)]


def _said(world: World) -> list[LearnerEvent]:
    """What the learner itself put down."""
    others = FleetAssigned | TrafficMeasured | AgentJoined
    return [event for event in _events(world) if not isinstance(event, others)]


def _result(world: World) -> RunResult:
    return result_of(Standings.of(_events(world)))


def _service(world: World) -> LearnerService:
    service = world.nodes[LEARNER].service
    assert isinstance(service, LearnerService)
    return service


def _begin(world: World, passes: int = 4) -> None:
    for _ in range(passes):
        world.tick()


@pytest.mark.parametrize("rule", [LostRule.DROP, LostRule.STOP])
def test_an_agent_that_goes_away_for_too_long(rule: LostRule) -> None:
    world = _world(fleet_of(_problem(), lost=rule, lost_after=20.0))
    _begin(world)
    world.kill("gw-2")
    world.nodes["gw-2"].stays_away = True
    world.run()
    result = _result(world)
    (lost,) = [event for event in _events(world) if isinstance(event, ArmsLost)]
    assert lost.arms == (2,)
    assert result.arms[2].lost_in == lost.round
    if rule is LostRule.DROP:
        assert (result.outcome, result.best_arm) == (Outcome.DECIDED, 1)
        assert "not arm-2: their agents were lost" in result.guarantee_reason
    else:
        assert (result.outcome, result.best_arm) == (Outcome.AGENT_LOST, None)
    assert replay(_events(world)).ending is not None


def test_an_agent_that_never_comes_is_lost_when_its_time_is_over() -> None:
    world = _world(fleet_of(_problem(), lost=LostRule.DROP, lost_after=1e6, join_within=30.0))
    world.nodes["gw-0"].stays_away = True
    world.run()
    assert 30 <= world.now < 60
    assert _result(world).arms[0].lost_in == 1


def test_by_default_the_learner_waits_for_as_long_as_it_takes() -> None:
    problem = _problem()
    world = _world(fleet_of(problem), problem)
    _begin(world)
    world.kill("gw-2", away=100_000.0)
    world.run(most_passes=1000, until=lambda: world.now > 200)
    world.nodes["gw-2"].back_at = world.now
    world.run()
    accepted, _ = story(_said(world))
    assert accepted == story(drive_problem(problem).events)[0]


def test_an_agent_that_is_back_in_time_is_not_lost() -> None:
    world = _world(fleet_of(_problem(), lost=LostRule.DROP, lost_after=30.0))
    _begin(world)
    world.kill("gw-2", away=15.0)
    world.run()
    assert _result(world).best_arm == 2


def test_one_that_is_dropped_while_away_is_told_when_it_comes() -> None:
    world = _world(fleet_of(_problem(), lost=LostRule.DROP, lost_after=5.0))
    _begin(world)
    world.kill("gw-0", away=6.0)
    world.run()
    service = world.nodes["gw-0"].service
    assert service is not None
    assert service.finished


def test_absence_does_not_count_while_the_learner_itself_is_cut_off() -> None:
    world = _world(fleet_of(_problem(), lost=LostRule.DROP, lost_after=10.0))
    _begin(world)
    world.cut(LEARNER)
    for _ in range(400):  # 100 seconds
        world.tick()
    world.connect(LEARNER)
    world.run()
    assert _result(world).best_arm == 2


_FIELD = run_field(_problem().learner().run, 1)
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
            wire.encode(replace(_REPORT, run=run_field(_problem().learner().run, 2))),
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
        ("gw-0/status", bytes(1 << 21), "a status has at most 1048576 bytes"),
        ("gw-0/status", b'{"presence": "online", "epoch": 256}', "epoch must lie in"),
        ("gw-0/status", b'{"presence": "online", "pulls": {"0": -1}}', "cannot have made -1"),
        ("learner/status", b"{", "a status must be JSON"),
    ],
)
def test_what_a_peer_must_not_send_is_refused_and_logged_and_harmless(
    topic: str, payload: bytes, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    problem = _problem()
    world = _world(fleet_of(problem), problem)
    _begin(world, 2)  # the agents have joined, nobody has reported yet
    full = f"bitarm/v2/{RUN}/{topic}"
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        world.in_flight.append(InFlight(world.now, LEARNER, full, payload))
        world.run()
    assert _service(world).refusals.by_offender[full] == 1
    assert full in caplog.text
    assert why in caplog.text
    assert story(_said(world)) == story(drive_problem(problem).events)


class _Scales:
    """Weighs what passes on the topics of a world."""

    def __init__(self, world: World) -> None:
        self.sizes: dict[str, list[int]] = defaultdict(list)
        self._publish = world.publish
        world.publish = self.weigh  # type: ignore[method-assign]

    def weigh(self, publication: Publication) -> None:
        self.sizes[publication.topic.rsplit("/", 1)[1]].append(len(publication.payload))
        self._publish(publication)


@pytest.mark.parametrize(("link", "arms_a_frame"), [("lorawan-us915-dr0", 1), ("nb-iot", 9)])
def test_on_a_link_frames_fit_and_are_counted(link: str, arms_a_frame: int) -> None:
    problem = _problem(arms=9)
    world = _world(replace(fleet_of(problem, gateways=1), link=link), problem)
    scales = _Scales(world)
    world.run()
    assert story(_said(world)) == story(drive_problem(problem).events)
    ledger, up, down = _service(world).ledger, scales.sizes["report"], scales.sizes["request"]
    assert ledger is not None
    assert max(up) <= ledger.link.up.max_bytes
    assert max(down) <= ledger.link.down.max_bytes
    assert (max(up) > 11) is (arms_a_frame > 1)
    assert ledger.devices() == [use(ledger.link, up, down)]
    assert not ledger.fleet().since_resumed


def test_a_resumed_run_keeps_its_link_and_says_what_it_counts() -> None:
    problem = _problem()
    world = _world(replace(fleet_of(problem), link="lorawan-eu868-dr0"), problem)
    _begin(world)
    world.kill(LEARNER)
    world.run()
    ledger = _service(world).ledger
    assert ledger is not None
    assert ledger.link.name == "lorawan-eu868-dr0"
    assert ledger.fleet().since_resumed


def test_a_frame_that_the_link_cannot_have_carried_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    problem = _problem(arms=9)
    fleet = replace(fleet_of(problem, gateways=1), link="lorawan-us915-dr0")
    world = _world(fleet, problem)
    _begin(world)
    field = run_field(problem.learner().run, 1)
    reports = [replace(_REPORT, run=field, arm=arm) for arm in range(9)]
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        _service(world).received(_TOPICS.of("gw-0", Subject.REPORT), wire.pack(reports))
        world.tick()
    assert "the link lorawan-us915-dr0 carries 11 bytes up, agent gw-0 sent" in caplog.text


def test_one_offender_cannot_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    world = _world(fleet_of(_problem()))
    _begin(world, 3)
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        for _ in range(10_000):
            _service(world).received(_TOPICS.of("gw-0", Subject.REPORT), b"\nforged line")
        world.tick()
    assert _service(world).refusals.total == 10_000
    assert len(caplog.records) < 15
    assert "\nforged" not in caplog.text


def test_a_repeated_answer_after_the_end_changes_nothing() -> None:
    world = _world(fleet_of(_problem()))
    sent: list[Publication] = []

    class Remembering(World):
        def publish(self, publication: Publication) -> None:
            sent.append(publication)
            super().publish(publication)

    world.__class__ = Remembering
    world.run()
    before: Sequence[LearnerEvent] = _events(world)
    for publication in sent:
        _service(world).received(publication.topic, publication.payload)
    list(_service(world).step(world.now))
    decided = [event for event in _events(world)[len(before) :] if event.name != "report_ignored"]
    assert decided == []


# -- agents that cannot, or will not --------------------------------------------------------------


def test_a_question_that_an_agent_refuses_is_counted_there_and_logged_here(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """So that nobody waits in silence for an answer that will not come."""
    problem = _problem()
    keepers = {name: MemoryKeeper() for name in fleet_of(problem).agents}
    world = World(problem, fleet_of(problem), MemoryJournal(), dict(keepers), most_pulls=3)
    with caplog.at_level(logging.WARNING):
        _begin(world, 60)
    assert _service(world).finished is False
    said = caplog.text
    for number in range(3):
        agent = world.nodes[f"gw-{number}"].service
        assert isinstance(agent, AgentService)
        assert agent.refusals.total > 0
        assert f"agent gw-{number} refuses: arm {number}, message" in said
        assert load_status(world.retained[_TOPICS.of(f"gw-{number}", Subject.STATUS)]).reason
    assert "pulls, this agent makes at most 3 for a question" in said
    assert said.count("agent gw-1 refuses") == 1  # not for every repetition


def _told(world: World, status: Status, agent: str = "gw-0") -> None:
    """An agent's status reaches the learner."""
    topic = _TOPICS.of(agent, Subject.STATUS)
    world.in_flight.append(InFlight(world.now, LEARNER, topic, dump_status(status)))


def test_an_agent_that_lacks_the_code_is_not_asked_and_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    problem = _problem()
    world = _world(fleet_of(problem), problem)
    _begin(world, 1)
    opening = _service(world).opening
    world.nodes["gw-0"].back_at = 1e9
    world.kill("gw-0", away=1e9)
    scales = _Scales(world)
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        _told(world, Status(presence=Presence.ONLINE, opening=opening, codes=("raw", "morse")))
        _begin(world, 10)
    assert "agent gw-0 cannot answer in the code bins, levels: bring it to this" in caplog.text
    assert scales.sizes["request"]  # the others are
    assert not any(
        isinstance(event, AgentJoined) and event.agent == "gw-0" for event in _events(world)
    )
    world.nodes["gw-0"].back_at = world.now  # brought to this version
    world.run()
    assert story(_said(world)) == story(drive_problem(problem).events)


def test_codes_that_a_later_version_has_too_do_no_harm() -> None:
    problem = _problem()
    world = _world(fleet_of(problem), problem)
    _begin(world, 2)
    codes = ("raw", "morse", "bins", "nearest", "levels")
    opening = _service(world).opening
    _told(world, Status(presence=Presence.PULLING, opening=opening, epoch=1, codes=codes))
    world.run()
    assert _service(world).refusals.total == 0
    assert story(_said(world)) == story(drive_problem(problem).events)


def test_an_agent_s_word_for_a_later_epoch_is_followed_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nobody else speaks in it. An agent that goes on so is faulty, and stops nobody."""
    problem = _problem()
    world = _world(fleet_of(problem), problem)
    _begin(world, 2)
    opening = _service(world).opening
    with caplog.at_level(logging.WARNING):
        for epoch in (40, 100):
            for _ in range(8):
                status = Status(presence=Presence.PULLING, opening=opening, epoch=epoch, boot="x")
                _told(world, status)
                _begin(world, 2)
        world.run()
    taken = [event.epoch for event in _events(world) if isinstance(event, EpochBegan)]
    assert taken == [41]
    assert "agent gw-0 knows of question 0 in epoch 100, which no learner has asked" in caplog.text
    assert _service(world).refusals.by_offender[_TOPICS.of("gw-0", Subject.STATUS)] > 0
    assert story(_said(world))[0] == story(drive_problem(problem).events)[0]


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
    problem = replace(_problem(), limits=Limits(rounds=14, samples=5000))
    world = _world(fleet_of(problem), problem)
    _begin(world, 2)
    world.kill(LEARNER)
    world.run(until=lambda: world.nodes[LEARNER].service is not None)
    _begin(world, 1)
    field = run_field(problem.learner().run, 2)
    lie = wire.encode(Position(run=field, arm=0, message=1, pulls=pulls))
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        world.in_flight.insert(
            0, InFlight(world.now, LEARNER, _TOPICS.of("gw-0", Subject.REPORT), lie)
        )
        world.run()
    assert why in caplog.text
    assert story(_said(world)) == story(drive_problem(problem).events)


def test_a_position_that_may_be_true_costs_pulls_and_no_more() -> None:
    """One agent that lies within the limits: the others go on to where it says that it is."""
    problem = replace(_problem(), limits=Limits(rounds=14, samples=50_000))
    world = _world(fleet_of(problem), problem)
    _begin(world, 2)
    world.kill(LEARNER)
    world.run(until=lambda: world.nodes[LEARNER].service is not None)
    _begin(world, 1)
    field = run_field(problem.learner().run, 2)
    lie = wire.encode(Position(run=field, arm=0, message=1, pulls=900))
    world.in_flight.insert(0, InFlight(world.now, LEARNER, _TOPICS.of("gw-0", Subject.REPORT), lie))
    world.run()
    result = _result(world)
    assert result.restored
    assert result.samples <= 50_000
    assert result.best_arm == 2


def test_an_agent_with_more_arms_than_an_announcement_holds_is_refused_at_once() -> None:
    spec = make_spec(arms=40_000, quantizer=Exact(), width="paper")
    long = replace(spec, arms=tuple(f"arm-{'x' * 30}-{arm}" for arm in range(40_000)))
    fleet = FleetAssigned(fleet=RUN, agents=("gw",) * 40_000)
    journal = MemoryJournal()
    with pytest.raises(ConfigError, match=r"agent gw serves 40,000 arms, .* give some of them to"):
        open_run(
            Learner(Setup(spec=long, policy=SuccessiveElimination())),
            journal,
            fleet,
            boot="b",
            watch=lambda events: None,
            now=0.0,
        )
    assert journal.runs() == []


def test_at_the_end_the_broker_keeps_one_word_and_nothing_of_agents_that_never_came() -> None:
    problem = _problem()
    fleet = fleet_of(problem, lost=LostRule.DROP, join_within=5.0)
    world = _world(fleet, problem)
    world.nodes["gw-0"].stays_away = True
    world.run(until=lambda: bool(world.retained))
    assert _TOPICS.of("gw-0", Subject.RUN) in world.retained  # it was told, though nobody heard it
    world.run()
    (kept,) = world.retained.items()
    assert kept[0] == _TOPICS.of(LEARNER, Subject.STATUS)
    assert load_status(kept[1]).presence is Presence.DONE


def test_the_end_is_told_once_while_it_waits_for_those_still_there() -> None:
    """It hears its own status like everybody: that must not make it speak."""
    problem = _problem()
    world = _world(fleet_of(problem), problem)
    world.run(until=lambda: any(run.outcome for run in world.journal.runs()))
    before = world.sent["status"]
    world.nodes["gw-2"].frozen = True  # does not confirm that it has stopped
    for _ in range(15):
        world.tick()
    assert world.sent["status"] - before < 10
