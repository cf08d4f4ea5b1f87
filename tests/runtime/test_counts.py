"""Arms that stop by themselves tell their true pulls in the end: for the account, no decision."""

import json
from dataclasses import replace

import pytest
from tapes import Problem, Tape, make_spec
from wires.feeds import TapeSource
from wires.memories import MemoryKeeper
from wires.runs import fleet_of
from wires.world import World

from bitarm.core.events import LearnerEvent, PullsCounted, RunEnded
from bitarm.core.limits import Limits
from bitarm.core.policies import ChallengeElimination
from bitarm.core.quantizers import Dyadic
from bitarm.core.replay import replay
from bitarm.core.result import RunResult, result_of
from bitarm.core.standings import Standings
from bitarm.runtime.embedded import EmbeddedRun
from bitarm.runtime.service import Publication
from bitarm.store import MemoryJournal
from bitarm.wire.topics import LEARNER

PROBLEM = Problem(
    spec=make_spec(arms=4, quantizer=Dyadic(), width="bounded"),
    policy=ChallengeElimination(),
    limits=Limits(rounds=40),
    tape=Tape(seed=3, means=(350, 520, 560, 680), spread=150, bounds=(0, 1024)),
)


def _events(journal: MemoryJournal) -> list[LearnerEvent]:
    return [entry.event for entry in journal.read(1)]


def _result(events: list[LearnerEvent]) -> RunResult:
    return result_of(Standings.of(events))


def _embedded() -> tuple[list[LearnerEvent], list[TapeSource]]:
    journal, sources = MemoryJournal(), [TapeSource(PROBLEM, arm) for arm in range(4)]
    EmbeddedRun(PROBLEM.learner(), sources, journal, clip=False, watch=lambda events: None).run()
    return _events(journal), sources


def test_samples_are_what_the_sources_gave_and_the_ending_keeps_the_bound() -> None:
    events, sources = _embedded()
    result = _result(events)
    pulls = [source._done for source in sources]
    assert [arm.pulls for arm in result.arms] == pulls
    assert (result.samples, result.samples_at_most) == (sum(pulls), False)
    assert result.raw_bytes == 8 * sum(pulls)
    (ending,) = [event for event in events if isinstance(event, RunEnded)]
    assert ending.samples > result.samples


def test_without_the_counts_samples_are_at_most() -> None:
    events, _ = _embedded()
    result = _result([event for event in events if not isinstance(event, PullsCounted)])
    assert result.samples_at_most
    assert [arm.pulls_at_most for arm in result.arms] == [True, True, True, False]
    assert result.samples > _result(events).samples


def test_counts_that_come_again_change_nothing_and_replay_passes_over_them() -> None:
    events, _ = _embedded()
    (counted,) = [event for event in events if isinstance(event, PullsCounted)]
    assert _result([*events, counted, replace(counted, pulls=(1, 1, 1))]) == _result(events)
    assert replay(events).save() == replay(e for e in events if e is not counted).save()


def test_over_a_network_agents_tell_their_counts_with_their_last_status() -> None:
    journal, fleet = MemoryJournal(), fleet_of(PROBLEM, None)
    World(PROBLEM, fleet, journal, {name: MemoryKeeper() for name in fleet.agents}).run()
    networked, embedded = _result(_events(journal)), _result(_embedded()[0])
    assert [arm.pulls for arm in networked.arms] == [arm.pulls for arm in embedded.arms]
    assert (networked.samples, networked.samples_at_most) == (embedded.samples, False)


def test_an_agent_that_does_not_come_back_leaves_samples_at_most() -> None:
    journal, fleet = MemoryJournal(), fleet_of(PROBLEM, None)
    world = World(PROBLEM, fleet, journal, {name: MemoryKeeper() for name in fleet.agents})
    published = world.publish

    def without_last_words(said: Publication) -> None:
        if b'"presence":"done"' not in said.payload or LEARNER in said.topic:
            published(said)

    world.publish = without_last_words  # type: ignore[method-assign,assignment]
    world.run()
    assert _result(_events(journal)).samples_at_most


def test_an_agent_that_says_so_again_and_again_is_written_down_once() -> None:
    journal, fleet = MemoryJournal(), fleet_of(PROBLEM, None)
    world = World(PROBLEM, fleet, journal, {name: MemoryKeeper() for name in fleet.agents})
    published = world.publish

    def many_times(said: Publication) -> None:
        for _ in range(100 if b'"presence":"done"' in said.payload else 1):
            published(said)

    world.publish = many_times  # type: ignore[method-assign,assignment]
    world.run()
    counted = [event for event in _events(journal) if isinstance(event, PullsCounted)]
    arms = [arm for event in counted for arm in event.arms]
    assert len(arms) == len(set(arms)) == 3


@pytest.mark.parametrize("made", [0, 1, 10**9])
def test_a_count_that_cannot_be_is_left_out(made: int) -> None:
    """An agent that lost its file, or lies: samples stay those that the learner knows of."""
    journal, fleet = MemoryJournal(), fleet_of(PROBLEM, None)
    world = World(PROBLEM, fleet, journal, {name: MemoryKeeper() for name in fleet.agents})
    published = world.publish

    def lie(said: Publication) -> None:
        if b'"presence":"done"' in said.payload and LEARNER not in said.topic:
            plain = json.loads(said.payload)
            plain["made"] = dict.fromkeys(plain["made"], made)
            said = replace(said, payload=json.dumps(plain).encode())
        published(said)

    world.publish = lie  # type: ignore[method-assign,assignment]
    world.run()
    assert not [event for event in _events(journal) if isinstance(event, PullsCounted)]
    result = _result(_events(journal))
    assert result.samples_at_most
    assert all(arm.pulls > 1 for arm in result.arms)


def test_a_journal_that_says_an_arm_made_no_pulls_can_still_be_summed_up() -> None:
    events, _ = _embedded()
    (counted,) = [event for event in events if isinstance(event, PullsCounted)]
    at = events.index(counted)
    events[at] = replace(counted, pulls=(0,) * len(counted.pulls))
    assert _result(events).best_arm == _result(events[:at]).best_arm
