"""The learner's service: lost agents, late ones, and peers that send what they must not send."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tapes import Problem, Tape, drive_problem, make_spec, story
from wires import RUN, MemoryKeeper, World, fleet_of

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.events import ArmsLost, FleetAssigned, LearnerEvent, LostRule, TrafficMeasured
from bitarm.core.limits import Limits
from bitarm.core.messages import Report, Request
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.policy import Outcome
from bitarm.core.quantizers import Icq
from bitarm.core.replay import replay
from bitarm.core.result import RunResult, result_of
from bitarm.core.standings import Standings
from bitarm.runtime.learner_service import LearnerService
from bitarm.runtime.links import use
from bitarm.runtime.service import Publication
from bitarm.runtime.topics import LEARNER, Kind, Topics
from bitarm.store import MemoryJournal

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
    said = [it for it in _events(world) if not isinstance(it, FleetAssigned | TrafficMeasured)]
    accepted, _ = story(said)
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


_REPORT = Report(run=_problem().spec.fingerprint, arm=0, message=1, symbol=Symbol(1, 3))


@pytest.mark.parametrize(
    ("topic", "payload", "why"),
    [
        ("gw-1/report", wire.encode(_REPORT), "agent gw-1 may report for its own arms only"),
        ("gw-0/report", b"garbage", "a frame has at least 11 bytes"),
        ("gw-0/report", bytes(40_000), "at least 12 bytes"),
        ("gw-0/report", b"\x82\x00\x00", "check sum"),
        (
            "gw-0/report",
            wire.encode(Report(run=1, arm=0, message=1, symbol=Symbol(1, 3))),
            "is for run 00000001",
        ),
        (
            "gw-0/report",
            wire.encode(Request(run=_REPORT.run, arm=0, message=1, until=2)),
            "may report for its own arms only",
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
        ("gw-0/status", bytes(5000), "a status has at most 4096 bytes"),
    ],
)
def test_what_a_peer_must_not_send_is_refused_and_logged_and_harmless(
    topic: str, payload: bytes, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    problem = _problem()
    world = _world(fleet_of(problem), problem)
    _begin(world, 2)  # the agents have joined, nobody has reported yet
    full = f"bitarm/v1/{RUN}/{topic}"
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        world.in_flight.append((world.now, LEARNER, full, payload))
        world.run()
    assert _service(world).refusals.by_offender[full] == 1
    assert full in caplog.text
    assert why in caplog.text
    said = [it for it in _events(world) if not isinstance(it, FleetAssigned | TrafficMeasured)]
    assert story(said) == story(drive_problem(problem).events)


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
    said = [it for it in _events(world) if not isinstance(it, FleetAssigned | TrafficMeasured)]
    assert story(said) == story(drive_problem(problem).events)
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
    reports = [replace(_REPORT, run=problem.spec.fingerprint, arm=arm) for arm in range(9)]
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        _service(world).received(_TOPICS.of("gw-0", Kind.REPORT), wire.pack(reports))
        world.tick()
    assert "the link lorawan-us915-dr0 carries 11 bytes up, agent gw-0 sent" in caplog.text


def test_one_offender_cannot_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    world = _world(fleet_of(_problem()))
    _begin(world, 3)
    with caplog.at_level(logging.WARNING, logger="bitarm.refused"):
        for _ in range(10_000):
            _service(world).received(_TOPICS.of("gw-0", Kind.REPORT), b"\nforged line")
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
    decided = [it for it in _events(world)[len(before) :] if it.name != "report_ignored"]
    assert decided == []
