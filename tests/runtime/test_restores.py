"""Journals that go back in time while the agents remember, and memories that go back with them.

All in one process, with the real services.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from runtime.memories import (
    DELTA,
    PROBLEMS,
    assert_sound,
    events_of,
    journal_of,
    keeper_of,
    readings,
    run_attended,
    run_until_told,
    world_of,
)
from tapes import Problem, Tape, make_spec
from wires.world import World

from bitarm.core.budget import BudgetPolicy
from bitarm.core.events import (
    ArmDropped,
    EpochBegan,
    LearnerEvent,
    PositionTold,
    ReportAccepted,
    RoundOpened,
)
from bitarm.core.learner_state import ArmPhase
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import (
    ChallengeElimination,
    SequentialHalving,
    SuccessiveRejects,
)
from bitarm.core.quantizers import Dyadic, Exact
from bitarm.core.replay import replay
from bitarm.core.result import result_of
from bitarm.core.schedule import ListedSchedule, LooksSchedule
from bitarm.core.standings import Standings
from bitarm.wire.topics import LEARNER

pytestmark = pytest.mark.slow

_both = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def _steps(problem: Problem) -> int:
    """Transactions of a run in which nothing happens."""
    world = world_of(problem)
    world.run()
    return len(journal_of(world).transactions)


def _reach(world: World, transactions: int) -> None:
    journal = journal_of(world)
    world.run(until=lambda: len(journal.transactions) >= transactions or world.over)


def _restore(world: World, transactions: int) -> list[LearnerEvent]:
    """Kill the learner, and let another go on from an older journal; returns what was lost."""
    whole = journal_of(world)
    world.kill(LEARNER)
    world.journal = whole.prefix(transactions)
    return whole.events[len(journal_of(world).events) :]


def _pulls(world: World, arm: int) -> int:
    memory = keeper_of(world, f"gw-{arm}").load()
    return memory.arms[arm].pulls if memory else 0


def _ahead(world: World) -> tuple[bool, bool]:
    """Whether an agent that will be asked first, and whether any in the race, is ahead."""
    learner = replay(events_of(world))
    first, anyone = False, False
    for arm, record in enumerate(learner.arms):
        if record.phase is ArmPhase.OUT:
            continue
        if record.question is not None:
            first |= _pulls(world, arm) > record.question.until
        anyone |= _pulls(world, arm) > record.pulls
    return first, anyone


def _told(events: Sequence[LearnerEvent]) -> set[tuple[int, int]]:
    return {(event.arm, event.pulls) for event in events if isinstance(event, ReportAccepted)}


@_both
def test_a_journal_goes_back_to_every_earlier_transaction(problem: Problem) -> None:
    """The agents' memory is intact: the run ends with an answer and its δ."""
    total, seen = _steps(problem), set()
    for reached in range(2, total + 1):
        for back in range(1, reached):
            world = world_of(problem)
            _reach(world, reached)
            lost = _restore(world, back)
            first, anyone = _ahead(world)
            run_attended(world)
            result = assert_sound(world)
            assert result.guarantee == DELTA, (reached, back)
            assert result.forgotten == 0
            assert result.restored or not first
            assert anyone or not result.restored
            _assert_read_once(world, back, lost)
            seen.add(result.restored)
    assert seen == {True, False}


def _assert_read_once(world: World, back: int, lost: Sequence[LearnerEvent]) -> None:
    """A checkpoint that was read before the restore is not read again, but of the same rewards.

    An agent that stands where it is asked answers: its mean there is the one that it told before.
    """
    kept = sum(map(len, journal_of(world).transactions[:back]))
    events = events_of(world)
    again = _told(events[kept:]) & _told(lost)
    before = {
        (reading.event.arm, reading.event.pulls): reading.had
        for reading in readings(world, [*events[:kept], *lost])
    }
    for reading in readings(world, events):
        place = (reading.event.arm, reading.event.pulls)
        if place in again:
            assert {had.rewards for had in reading.had} == {before[place][0].rewards}
            assert {had.mean for had in reading.had} == {before[place][0].mean}


@_both
def test_every_restore_takes_an_epoch_of_its_own(problem: Problem) -> None:
    """Also if the journal that goes back knows of none of the later ones."""
    world = world_of(problem)
    _reach(world, 6)
    spoken = [1]
    for _ in range(5):
        _restore(world, 2)
        world.run(until=lambda: world.nodes[LEARNER].service is not None)
        (*_, last) = [event.epoch for event in events_of(world) if isinstance(event, EpochBegan)]
        spoken.append(last)
        for _ in range(6):
            world.tick()
    assert spoken == [1, 2, 3, 4, 5, 6]
    run_attended(world)
    assert assert_sound(world).guarantee == DELTA


@_both
def test_a_broker_that_forgot_too_leaves_it_to_the_agents_to_tell(problem: Problem) -> None:
    """Nobody but the agents knows of the last epochs: the learner takes one above theirs."""
    world = world_of(problem)
    _reach(world, 4)
    for _ in range(2):  # to epoch 3
        world.kill(LEARNER)
        _reach(world, len(journal_of(world).transactions) + 2)
    world.kill(LEARNER, away=3.0)
    world.journal = journal_of(world).prefix(3)
    for name in dict.fromkeys(world.fleet.agents):
        world.cut(name)
    world.retained = {}
    world.run(until=lambda: world.nodes[LEARNER].service is not None)
    for name in dict.fromkeys(world.fleet.agents):
        world.connect(name)
    run_attended(world)
    assert assert_sound(world).guarantee == DELTA
    taken = [event.epoch for event in events_of(world) if isinstance(event, EpochBegan)]
    assert taken[0] == 2  # what it could know of
    assert max(taken) > 3


def test_a_challenge_of_the_lost_past_is_not_asked_again() -> None:
    """In the round that catches up nobody is judged by what the learner no longer knows."""
    spec = make_spec(arms=3, quantizer=Dyadic(), width="bounded", schedule=LooksSchedule())
    problem = replace(PROBLEMS["pairs"], spec=spec, policy=ChallengeElimination())
    rounds = 0
    for back in range(2, _steps(problem) - 2):
        world = world_of(problem)
        _reach(world, _steps(problem) - 2)
        _restore(world, back)
        run_attended(world)
        told = False
        for event in events_of(world):
            if isinstance(event, PositionTold):
                told = True
            elif isinstance(event, RoundOpened) and told:
                told, rounds = False, rounds + 1
                assert {request.question.task for request in event.requests} == {None}
            else:
                assert not (told and isinstance(event, ArmDropped))
    assert rounds >= 3


@pytest.mark.parametrize(
    "policy", [SequentialHalving(pull_budget=200), SuccessiveRejects(pull_budget=200)]
)
def test_a_fixed_budget_is_not_spent_twice(policy: BudgetPolicy) -> None:
    schedule = ListedSchedule(checkpoints=tuple(phase.until for phase in policy.phases(3)))
    problem = Problem(
        spec=make_spec(arms=3, delta=DELTA, quantizer=Exact(), schedule=schedule),
        policy=policy,
        limits=Limits(),
        tape=Tape(seed=3, means=(200, 450, 700), spread=150, bounds=(0, 1024)),
    )
    outcomes = set()
    for back in range(1, _steps(problem) - 1):
        world = world_of(problem)
        _reach(world, _steps(problem) - 1)
        _restore(world, back)
        first, _ = _ahead(world)
        run_attended(world)
        result = result_of(Standings.of(events_of(world)))
        outcomes.add(result.outcome)
        if first:
            assert (result.outcome, result.best_arm) == (Outcome.INTERRUPTED, None)
            assert "a fixed budget that was spent in part" in result.guarantee_reason
    assert Outcome.INTERRUPTED in outcomes


@pytest.mark.parametrize("seed", range(12))
@_both
def test_agents_and_learner_go_back_at_once_to_different_points(
    problem: Problem, seed: int
) -> None:
    rng = random.Random(seed)
    world = world_of(problem)
    _reach(world, rng.randint(5, _steps(problem) - 1))
    _restore(world, rng.randint(1, len(journal_of(world).transactions)))
    for name in rng.sample(["gw-0", "gw-1", "gw-2"], rng.randint(1, 3)):
        keeper = keeper_of(world, name)
        world.kill(name)
        keeper.put_back(rng.randint(0, len(keeper.history)))
    run_attended(world)
    assert_sound(world)


def test_a_loss_that_is_forgotten_with_the_journal_is_noticed_again() -> None:
    """Reports of two sequences of rewards must not be claimed as one."""
    world = world_of(PROBLEMS["pairs"])
    run_until_told(world, 2)
    noted = len(journal_of(world).transactions)
    keeper = keeper_of(world, "gw-2")
    world.kill("gw-2")
    keeper.put_back(2)  # it has forgotten what it told
    run_until_told(world, 3)
    world.kill("gw-2")  # and goes on from its own file, which is in order
    _restore(world, noted)
    run_attended(world)
    assert_sound(world)
