"""Killed at every step, on a wire that does its worst: the run ends as if nothing had happened.

All in one process, with the real journal, the real files of the agents and the real machines;
`tests/e2e` does the same with processes and a broker.
"""

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from drives import Run, drive_problem, story
from networks import substance
from tapes import Problem, Tape, make_spec
from wires.crashes import Points
from wires.runs import fleet_of
from wires.weather import Weather
from wires.world import World

from bitarm.core.events import (
    AgentJoined,
    EpochBegan,
    FleetAssigned,
    LearnerEvent,
    PullsCounted,
    ReportAccepted,
    RoundOpened,
    TrafficMeasured,
)
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.limits import Limits
from bitarm.core.policies import (
    ChallengeElimination,
    LilUcb,
    Lucb,
    Policy,
    SuccessiveElimination,
)
from bitarm.core.quantizers import Dicq, Dyadic, Exact, FedSel, Icq, Quantizer, QuBan
from bitarm.core.replay import replay
from bitarm.core.schedule import LooksSchedule
from bitarm.runtime.agent.file import AgentFile
from bitarm.store import SqliteJournal
from bitarm.wire.topics import LEARNER

pytestmark = pytest.mark.slow

_OF_THE_NETWORK = (FleetAssigned, TrafficMeasured, PullsCounted, AgentJoined, EpochBegan)


def _problem(
    quantizer: Quantizer | None = None,
    policy: Policy | None = None,
    arms: int = 3,
    width: str = "paper",
) -> Problem:
    return Problem(
        spec=make_spec(arms=arms, quantizer=quantizer or Icq(bits=3, prior="uniform"), width=width),
        policy=policy or SuccessiveElimination(),
        limits=Limits(rounds=14),
        tape=Tape(
            seed=3,
            means=tuple(200 + 200 * arm for arm in range(arms)),
            spread=150,
            bounds=(0, 1024),
        ),
    )


@contextmanager
def _world(
    problem: Problem,
    folder: Path,
    *,
    gateways: int | None = None,
    points: Points | None = None,
    weather: Weather | None = None,
    seed: int = 1,
) -> Iterator[World]:
    fleet = fleet_of(problem, gateways)
    with ExitStack() as stack:
        journal = SqliteJournal.open(folder / "runs.sqlite")
        stack.callback(journal.close)
        keepers = {}
        for name in set(fleet.agents):
            keepers[name] = file = AgentFile(folder / f"{name}.json")
            stack.callback(file.close)
        yield World(
            problem,
            fleet,
            journal,
            dict(keepers),
            points=points,
            weather=weather,
            rng=random.Random(seed),
        )


def _events(world: World) -> list[LearnerEvent]:
    (run,) = world.journal.runs()  # however often the learner died: one run
    events = [entry.event for entry in world.journal.read(run.run)]
    return [event for event in events if not isinstance(event, _OF_THE_NETWORK)]


def _assert_same(world: World, clean: Run) -> None:
    """Symbols, decoded means, drops, rounds, price and answer; `story` refuses double counts."""
    assert story(_events(world)) == story(clean.events)
    (run,) = world.journal.runs()
    resumed = replay(entry.event for entry in world.journal.read(run.run))
    assert substance(resumed.save()) == substance(clean.learner.save())


def _points_of(problem: Problem, folder: Path, gateways: int | None = None) -> Points:
    with _world(problem, folder, gateways=gateways) as world:
        world.run()
        _assert_same(world, drive_problem(problem))
        return world.points


def test_there_are_enough_points_and_every_kind_of_them(tmp_path: Path) -> None:
    points = _points_of(_problem(), tmp_path)
    assert points.passed > 150
    assert len(points.names) == 8


def _challenging_problem() -> Problem:
    """No σ: arms bet on their own rewards, judge themselves, and stop when they are beaten."""
    return Problem(
        spec=make_spec(arms=4, quantizer=Dyadic(), width="bounded", schedule=LooksSchedule()),
        policy=ChallengeElimination(),
        limits=Limits(rounds=24),
        tape=Tape(seed=3, means=(300, 630, 640, 700), spread=100, bounds=(0, 1024)),
    )


def test_agents_that_are_challenged_give_up_and_others_hold_out() -> None:
    events = drive_problem(_challenging_problem()).events
    reports = [event for event in events if isinstance(event, ReportAccepted)]
    assert any(event.beaten_by is not None for event in reports)
    asked = [
        request for event in events if isinstance(event, RoundOpened) for request in event.requests
    ]
    challenged = sum(isinstance(request.question.task, Challenge) for request in asked)
    assert challenged > sum(event.beaten_by is not None for event in reports)


def test_agents_of_one_gateway_give_up_as_they_do_without_a_network(tmp_path: Path) -> None:
    _points_of(_challenging_problem(), tmp_path, gateways=1)


def _assert_same_if_killed(problem: Problem, first: int, every: int, folder: Path) -> None:
    """Killed at one point, a run ends as one without: for one in `every` of its points."""
    clean = drive_problem(problem)
    (folder / "clean").mkdir()
    total = _points_of(problem, folder / "clean").passed
    assert total > 80
    for point in range(first, total + 1, every):
        own = folder / str(point)
        own.mkdir()
        with _world(problem, own, points=Points(frozenset({point}))) as world:
            world.run()
            assert len(world.killed) == 1
            _assert_same(world, clean)


@pytest.mark.parametrize("residue", range(4))
def test_challenged_and_killed_once_at_every_point(residue: int, tmp_path: Path) -> None:
    _assert_same_if_killed(_challenging_problem(), 1 + residue, 4, tmp_path)


@pytest.mark.parametrize("residue", range(8))
def test_killed_once_at_every_point(residue: int, tmp_path: Path) -> None:
    """Each point of the run in turn: before and after each transaction, save and publication."""
    _assert_same_if_killed(_problem(), 1 + residue, 8, tmp_path)


@pytest.mark.parametrize("seed", range(6))
def test_killed_again_and_again_on_a_bad_wire(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    problem = _problem()
    deaths = frozenset(rng.sample(range(1, 600), 25))
    weather = Weather(lose=0.2, repeat=0.2, delay=0.3)
    points = Points(deaths)
    with _world(problem, tmp_path, points=points, weather=weather, seed=seed) as world:
        world.run()
        assert len(world.killed) >= 5
        _assert_same(world, drive_problem(problem))


@pytest.mark.parametrize(
    ("quantizer", "policy"),
    [
        (Exact(), SuccessiveElimination()),
        (QuBan(epsilon_quban=0.5), SuccessiveElimination()),
        (FedSel(), SuccessiveElimination()),
        (Dicq(), SuccessiveElimination()),
        (Icq(bits=1, prior="midpoint"), Lucb()),
        (Icq(bits=2, prior="uniform"), LilUcb()),
        (Dyadic(), ChallengeElimination()),
    ],
)
@pytest.mark.parametrize("gateways", [None, 2])
def test_every_scheme_survives(
    quantizer: Quantizer, policy: Policy, gateways: int | None, tmp_path: Path
) -> None:
    width = "bounded" if policy == ChallengeElimination() else "paper"
    problem = _problem(quantizer, policy, arms=4, width=width)
    weather = Weather(lose=0.15, repeat=0.15, delay=0.3)
    points = Points(frozenset({20, 60, 100, 130, 170}))
    with _world(problem, tmp_path, gateways=gateways, points=points, weather=weather) as world:
        world.run()
        _assert_same(world, drive_problem(problem))


@pytest.mark.parametrize(
    "weather",
    [Weather(lose=0.4), Weather(repeat=0.9), Weather(delay=0.9), Weather(repeat=0.5, delay=0.5)],
    ids=["loses", "repeats", "delays and reorders", "all but loses"],
)
def test_a_wire_that_does_its_worst(weather: Weather, tmp_path: Path) -> None:
    problem = _problem()
    with _world(problem, tmp_path, weather=weather) as world:
        world.run()
        _assert_same(world, drive_problem(problem))


@pytest.mark.parametrize("forgetful", [False, True])
def test_the_broker_restarts_at_every_pass(*, forgetful: bool, tmp_path: Path) -> None:
    problem = _problem()
    with _world(problem, tmp_path) as world:
        for _ in range(60):
            world.restart_broker(kept={} if forgetful else None)
            for _ in range(3):
                world.tick()
        world.run()
        _assert_same(world, drive_problem(problem))


@pytest.mark.parametrize("name", [LEARNER, "gw-0"])
def test_a_link_is_cut_at_every_pass_and_mended_later(name: str, tmp_path: Path) -> None:
    problem = _problem()
    with _world(problem, tmp_path) as world:
        world.tick()
        for _ in range(40):
            node = world.nodes[name]
            if node.service is None or node.service.finished:
                break
            world.cut(name)
            for _ in range(4):
                world.tick()
            world.connect(name)
            for _ in range(2):
                world.tick()
        world.run()
        _assert_same(world, drive_problem(problem))
