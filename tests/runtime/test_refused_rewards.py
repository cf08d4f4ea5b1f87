"""An agent that refused live rewards and goes on has selected among them: nothing is claimed."""

import pytest
from tapes import Problem, Tape, make_spec
from wires import feeds
from wires.memories import MemoryKeeper
from wires.runs import fleet_of
from wires.world import World

from bitarm.core.events import CaveatNoted, LostRule
from bitarm.core.limits import Limits
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Dicq
from bitarm.core.result import RunResult, result_of
from bitarm.core.rewards import REFUSED
from bitarm.core.standings import Standings
from bitarm.rewards.sensors import SensorFeed
from bitarm.runtime.agent.part import Part
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.learner import processes
from bitarm.store import MemoryJournal

DELTA = 0.05
_CAVEAT = CaveatNoted(text=REFUSED)


def _world(rule: LostRule = LostRule.WAIT) -> World:
    """Arm 1 is better, with rewards from 0.2 to 1.8; those in [0, 1] make it look worse."""
    problem = Problem(
        spec=make_spec(arms=2, delta=DELTA, quantizer=Dicq(), width="pairwise-mixture"),
        policy=SuccessiveElimination(),
        limits=Limits(rounds=80),
        tape=Tape(seed=3, means=(922, 1024), spread=0, bounds=None),
    )
    fleet = fleet_of(problem, lost=rule, lost_after=20.0)
    keepers = {name: MemoryKeeper() for name in fleet.agents}
    return World(problem, fleet, MemoryJournal(), dict(keepers), live=True)


def _spread_out(world: World) -> None:
    """Rewards of arm 1 lie between 0.2 and 1.8, those of arm 0 at 0.9."""
    tape = world.problem.tape
    wide = Tape(seed=5, means=(922, 1024), spread=820, bounds=None)
    tape._sums[1] = [0]
    for done in range(5000):
        tape._sums[1].append(tape._sums[1][-1] + round(wide.total(1, done, 1) * 1024))


def _run(world: World, *, restarts: bool) -> RunResult:
    for _ in range(20_000):
        if world.over:
            break
        world.tick()
        for name in world.fleet.agents:
            service = world.nodes[name].service
            if isinstance(service, AgentService) and service.failure is not None:
                if restarts:
                    world.kill(name, away=0.0)  # as a supervisor starts it again
                else:
                    world.nodes[name].stays_away = True
    return result_of(Standings.of(entry.event for entry in world.journal.read(1)))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(feeds, "HANDFUL", 1)  # a sensor: one reward at a time
    monkeypatch.setattr(processes, "_AT_ONCE", 1e9)  # it fails far more often than is let pass
    world = _world()
    _spread_out(world)
    return world


def test_refused_rewards_lead_to_the_wrong_arm_and_to_no_guarantee(world: World) -> None:
    result = _run(world, restarts=True)
    memory = world.keepers["gw-1"].load()
    assert memory is not None
    assert memory.refused > 10
    assert (result.best_arm, result.guarantee) == (0, None)  # the other one is better
    assert result.guarantee_reason == REFUSED
    assert result.assumptions == ()


def test_without_the_count_the_wrong_arm_would_be_guaranteed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: what the count is for."""
    monkeypatch.setattr(Part, "_note_refusal", lambda part: None)
    result = _run(world, restarts=True)
    assert result.best_arm == 0
    assert result.guarantee is not None


def test_an_arm_that_is_lost_because_of_a_refused_reward_is_no_chance_loss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feeds, "HANDFUL", 1)
    world = _world(LostRule.DROP)
    _spread_out(world)
    _run(world, restarts=False)
    events = [entry.event for entry in world.journal.read(1)]
    assert events.count(_CAVEAT) == 1


def test_a_source_that_can_be_read_again_selects_nothing() -> None:
    """It fails again at the same reward: there is nothing to count."""
    world = _world()
    world.live = False
    _spread_out(world)
    for _ in range(200):
        world.tick()
    memory = world.keepers["gw-1"].load()
    assert memory is not None
    assert memory.refused == 0
    service = world.nodes["gw-1"].service
    assert isinstance(service, AgentService)
    assert "outside the bounds" in str(service.failure)


def test_no_reward_of_a_sensor_passes_one_that_was_refused() -> None:
    feed = SensorFeed("", label="gw")
    assert feed.take(9) == []
    for payload in (b"1", b'"no number"', b"3"):
        feed.offer(payload)
    assert feed.take(9) == [1.0]
    feed.offer(b"4")
    with pytest.raises(Exception, match="the sensor of gw"):
        feed.take(9)
