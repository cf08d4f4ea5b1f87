"""The learner's service: agents that are lost, links that carry little, and the end."""

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
from tapes import make_spec
from wires.runs import RUN, fleet_of

from bitarm.core.events import (
    ArmsLost,
    FleetAssigned,
    LostRule,
)
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Exact
from bitarm.core.replay import replay
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError
from bitarm.links.cost import use
from bitarm.runtime.learner.begin import open_run
from bitarm.store import MemoryJournal
from bitarm.wire.status import Presence, load_status
from bitarm.wire.topics import LEARNER, Subject


@pytest.mark.parametrize("rule", [LostRule.DROP, LostRule.STOP])
def test_an_agent_that_goes_away_for_too_long(rule: LostRule) -> None:
    world = world_of(fleet_of(problem_with(), lost=rule, lost_after=20.0))
    pass_a_while(world)
    world.kill("gw-2")
    world.nodes["gw-2"].stays_away = True
    world.run()
    result = result_in(world)
    (lost,) = [event for event in events_in(world) if isinstance(event, ArmsLost)]
    assert lost.arms == (2,)
    assert result.arms[2].lost_in == lost.round
    if rule is LostRule.DROP:
        assert (result.outcome, result.best_arm) == (Outcome.DECIDED, 1)
        assert "not arm-2: their agents were lost" in result.guarantee_reason
    else:
        assert (result.outcome, result.best_arm) == (Outcome.AGENT_LOST, None)
    assert replay(events_in(world)).ending is not None


def test_an_agent_that_never_comes_is_lost_when_its_time_is_over() -> None:
    world = world_of(fleet_of(problem_with(), lost=LostRule.DROP, lost_after=1e6, join_within=30.0))
    world.nodes["gw-0"].stays_away = True
    world.run()
    assert 30 <= world.now < 60
    assert result_in(world).arms[0].lost_in == 1


def test_by_default_the_learner_waits_for_as_long_as_it_takes() -> None:
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    pass_a_while(world)
    world.kill("gw-2", away=100_000.0)
    world.run(most_passes=1000, until=lambda: world.now > 200)
    world.nodes["gw-2"].back_at = world.now
    world.run()
    accepted, _ = story(said_in(world))
    assert accepted == story(drive_problem(problem).events)[0]


def test_an_agent_that_is_back_in_time_is_not_lost() -> None:
    world = world_of(fleet_of(problem_with(), lost=LostRule.DROP, lost_after=30.0))
    pass_a_while(world)
    world.kill("gw-2", away=15.0)
    world.run()
    assert result_in(world).best_arm == 2


def test_one_that_is_dropped_while_away_is_told_when_it_comes() -> None:
    world = world_of(fleet_of(problem_with(), lost=LostRule.DROP, lost_after=5.0))
    pass_a_while(world)
    world.kill("gw-0", away=6.0)
    world.run()
    service = world.nodes["gw-0"].service
    assert service is not None
    assert service.finished


def test_absence_does_not_count_while_the_learner_itself_is_cut_off() -> None:
    world = world_of(fleet_of(problem_with(), lost=LostRule.DROP, lost_after=10.0))
    pass_a_while(world)
    world.cut(LEARNER)
    for _ in range(400):  # 100 seconds
        world.tick()
    world.connect(LEARNER)
    world.run()
    assert result_in(world).best_arm == 2


@pytest.mark.parametrize("rule", [LostRule.DROP, LostRule.STOP])
def test_absence_does_not_count_while_the_learner_itself_is_frozen(rule: LostRule) -> None:
    """As is all on a machine that is suspended, and thawed one by one."""
    world = world_of(fleet_of(problem_with(), lost=rule, lost_after=10.0))
    pass_a_while(world, 5)
    assert service_in(world).count_present() == 3
    for node in world.nodes.values():
        node.frozen = True
    pass_a_while(world, 400)
    world.nodes[LEARNER].frozen = False
    pass_a_while(world, 2)
    for node in world.nodes.values():
        node.frozen = False
    world.run()
    assert (result_in(world).outcome, result_in(world).best_arm) == (Outcome.DECIDED, 2)


@pytest.mark.parametrize("rule", [LostRule.DROP, LostRule.STOP])
def test_one_that_owes_nothing_is_not_lost_by_being_silent(rule: LostRule) -> None:
    """Others wait for one that is away again and again, never for too long."""
    world = world_of(fleet_of(problem_with(), lost=rule, lost_after=10.0))
    pass_a_while(world)
    for _ in range(4):
        world.kill("gw-2", away=6.0)
        world.run(until=lambda: service_in(world).count_present() == 2)
        world.run(until=lambda: service_in(world).count_present() == 3)
    assert world.now > 25.0
    world.run()
    assert not [event for event in events_in(world) if isinstance(event, ArmsLost)]
    assert (result_in(world).outcome, result_in(world).best_arm) == (Outcome.DECIDED, 2)


@pytest.mark.parametrize(("link", "arms_a_frame"), [("lorawan-us915-dr0", 1), ("nb-iot", 9)])
def test_on_a_link_frames_fit_and_are_counted(link: str, arms_a_frame: int) -> None:
    problem = problem_with(arms=9)
    world = world_of(replace(fleet_of(problem, gateways=1), link=link), problem)
    scales = Scales(world)
    world.run()
    assert story(said_in(world)) == story(drive_problem(problem).events)
    ledger, up, down = service_in(world).ledger, scales.sizes["report"], scales.sizes["request"]
    assert ledger is not None
    assert max(up) <= ledger.link.up.max_bytes
    assert max(down) <= ledger.link.down.max_bytes
    assert (max(up) > 11) is (arms_a_frame > 1)
    assert ledger.devices() == [use(ledger.link, up, down)]
    assert not ledger.fleet().since_resumed


def test_a_resumed_run_keeps_its_link_and_says_what_it_counts() -> None:
    problem = problem_with()
    world = world_of(replace(fleet_of(problem), link="lorawan-eu868-dr0"), problem)
    pass_a_while(world)
    world.kill(LEARNER)
    world.run()
    ledger = service_in(world).ledger
    assert ledger is not None
    assert ledger.link.name == "lorawan-eu868-dr0"
    assert ledger.fleet().since_resumed


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


def test_a_caveat_of_a_run_that_ends_before_its_first_round_changes_nothing() -> None:
    problem = replace(problem_with(), limits=Limits(samples=1))
    journal = MemoryJournal()
    run, _ = open_run(
        problem.learner(),
        journal,
        fleet_of(problem),
        boot="b",
        caveats=["the clock is wrong"],
        watch=lambda events: None,
        now=0.0,
    )
    ending = replay(entry.event for entry in journal.read(run)).ending
    assert ending is not None
    assert (ending.outcome, ending.guarantee) == (Outcome.SAMPLE_LIMIT, None)


def test_at_the_end_the_broker_keeps_that_word_and_nothing_of_agents_that_never_came() -> None:
    problem = problem_with()
    fleet = fleet_of(problem, lost=LostRule.DROP, join_within=5.0)
    world = world_of(fleet, problem)
    world.nodes["gw-0"].stays_away = True
    world.run(until=lambda: bool(world.retained))
    assert TOPICS.of("gw-0", Subject.RUN) in world.retained  # it was told, though nobody heard it
    world.run()
    words = {TOPICS.of(LEARNER, subject) for subject in (Subject.STATUS, Subject.END)}
    assert set(world.retained) == words
    assert {load_status(kept).presence for kept in world.retained.values()} == {Presence.DONE}


def test_the_end_is_told_once_while_it_waits_for_those_still_there() -> None:
    """It hears its own status like everybody: that must not make it speak."""
    problem = problem_with()
    world = world_of(fleet_of(problem), problem)
    world.run(until=lambda: any(run.outcome for run in world.journal.runs()))
    before = world.sent["status"]
    world.nodes["gw-2"].frozen = True  # does not confirm that it has stopped
    for _ in range(15):
        world.tick()
    assert world.sent["status"] - before < 10
