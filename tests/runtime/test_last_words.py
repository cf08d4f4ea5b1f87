"""The word that a run is over stays, whatever learners that were taken for dead do afterwards.

A paused learner has a connection and a last will of its own: the broker publishes the will when it
gives the connection up, perhaps long after a successor has ended the run.
"""

from collections.abc import Callable

import pytest
from runtime.memories import PROBLEMS, events_of, journal_of, world_of
from tapes import Problem
from wires.world import World

from bitarm.core.events import RunEnded
from bitarm.runtime.agent.service import AgentService
from bitarm.runtime.learner.service import LearnerService
from bitarm.wire.topics import LEARNER

OLD = "thawed"
_both = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def _will(world: World) -> None:
    """The broker gives the paused one's connection up."""
    world.cut(OLD)
    del world.nodes[OLD]


def _thaw(world: World) -> None:
    """It moves again, finds its line cut, connects anew, and yields."""
    node = world.nodes[OLD]
    node.frozen, node.backlog = False, []
    world.cut(OLD)
    world.connect(OLD)
    for _ in range(8):
        world.tick()
    assert node.service is not None
    assert node.service.finished
    del world.nodes[OLD]


def _leave(world: World) -> None:
    """It is told to leave before it has read anything."""
    node = world.nodes[OLD]
    assert isinstance(node.service, LearnerService)
    node.connected = False
    for publication in node.service.leave():
        world.publish(publication)
    del world.nodes[OLD]


_AFTERWARDS = [_will, _thaw, _leave]


def _ended_without(world: World, away: str) -> None:
    """The learner is paused, another one ends the run, and one agent is away meanwhile."""
    for _ in range(6):
        world.tick()
    world.freeze_learner(OLD)
    world.journal = journal_of(world).prefix(len(journal_of(world).transactions))
    # Its part is done for, or lies with the others': it need not be there for the run to end.
    world.run(until=lambda: isinstance(events_of(world)[-1], RunEnded))
    world.kill(away, away=1e9)
    world.run(until=lambda: world.learner.finished)
    world.in_flight = []


@pytest.mark.parametrize("afterwards", _AFTERWARDS, ids=lambda way: way.__name__[1:])
@_both
def test_an_agent_that_was_away_learns_of_the_end(
    problem: Problem, afterwards: Callable[[World], None]
) -> None:
    world = world_of(problem, live=False)
    away = world.fleet.agents[0]
    _ended_without(world, away)
    afterwards(world)
    world.nodes[away].back_at = world.now
    for _ in range(8):
        world.tick()
    service = world.nodes[away].service
    assert isinstance(service, AgentService)
    assert service.finished
    assert service.failure is None
    assert service.outcome is not None


@pytest.mark.parametrize("afterwards", _AFTERWARDS, ids=lambda way: way.__name__[1:])
@_both
def test_the_broker_keeps_nothing_that_calls_agents_into_a_run_that_is_over(
    problem: Problem, afterwards: Callable[[World], None]
) -> None:
    world = world_of(problem, live=False)
    _ended_without(world, world.fleet.agents[0])
    afterwards(world)
    assert not [topic for topic in world.retained if topic.endswith("/run")]


@_both
def test_a_run_that_goes_on_after_its_end_takes_that_word_back(problem: Problem) -> None:
    """A journal from before the end is resumed: agents that come then must not leave at once."""
    world = world_of(problem, live=False)
    world.run()
    before = len(journal_of(world).transactions) // 2
    world.journal = journal_of(world).prefix(before)
    world.kill(LEARNER, away=0.0)
    for name in world.keepers:
        world.kill(name, away=3.0)
    assert [topic for topic in world.retained if topic.endswith("/end")]
    for _ in range(4):
        world.tick()
    assert not [topic for topic in world.retained if topic.endswith("/end")]
    world.run(most_passes=1500)
    assert any(isinstance(event, RunEnded) for event in events_of(world))
    assert world.learner.failure is None
