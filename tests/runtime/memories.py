"""What a run may say of itself after memories were lost: read from its events and from the wire.

The machines know what they were told. A test knows more: which rewards went into each answer
(`wires.Answered`). So it can count the sequences of rewards that the reports of an arm are about,
and compare what the run claims with what it may claim.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tapes import Problem, Tape, make_spec
from wires.memories import HistoryKeeper, Rewards, TransactionJournal
from wires.runs import fleet_of
from wires.world import Answered, World

from bitarm.core.codes import Bins
from bitarm.core.events import (
    LearnerEvent,
    LivesBegan,
    ReportAccepted,
)
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Dicq, Icq
from bitarm.core.question import Question
from bitarm.core.replay import replay
from bitarm.core.result import RunResult, result_of
from bitarm.core.schedule import GeometricSchedule
from bitarm.core.standings import Standings, follow
from bitarm.runtime.agent.memory import Keeper

DELTA = 0.05
_SLACK = 1 + 2**-40  # of float arithmetic
_TAPE = Tape(seed=3, means=(200, 450, 700), spread=150, bounds=(0, 1024))


def paper() -> Problem:
    """Bounds that are a union over checkpoints, and ICQ's interval event."""
    return Problem(
        spec=make_spec(arms=3, delta=DELTA, quantizer=Icq(bits=3, prior="uniform")),
        policy=SuccessiveElimination(),
        limits=Limits(rounds=60),
        tape=_TAPE,
    )


def pairs() -> Problem:
    """Bounds along a path of rewards."""
    return Problem(
        spec=make_spec(
            arms=3,
            delta=DELTA,
            quantizer=Dicq(),
            width="pairwise-mixture",
            schedule=GeometricSchedule(growth=1.3, first=2),  # as many rounds as the other
        ),
        policy=SuccessiveElimination(),
        limits=Limits(rounds=80),
        tape=_TAPE,
    )


PROBLEMS = {"paper": paper(), "pairs": pairs()}


def world_of(problem: Problem, *, live: bool = True, gateways: int | None = None) -> World:
    """A world whose memories and journal can be put back."""
    fleet = fleet_of(problem, gateways)
    keepers: dict[str, Keeper] = {name: HistoryKeeper() for name in fleet.agents}
    return World(problem, fleet, TransactionJournal(), keepers, live=live)


def keeper_of(world: World, name: str) -> HistoryKeeper:
    """An agent's memory."""
    keeper = world.keepers[name]
    assert isinstance(keeper, HistoryKeeper)
    return keeper


def journal_of(world: World) -> TransactionJournal:
    """The learner's journal."""
    assert isinstance(world.journal, TransactionJournal)
    return world.journal


def events_of(world: World) -> list[LearnerEvent]:
    """What the journal holds of the run; nothing before it is opened."""
    if not world.journal.runs():
        return []
    return [entry.event for entry in world.journal.read(1)]


class Operator(logging.Handler):
    """Somebody who reads the learner's log, and starts the agents again that it waits for.

    An agent that was dismissed is gone: a learner that went back in time can only ask for it.
    """

    def __init__(self, world: World) -> None:
        super().__init__(logging.WARNING)
        self._world = world
        self.started = 0

    def emit(self, record: logging.LogRecord) -> None:
        _, colon, names = record.getMessage().partition("that are not connected: ")
        for name in names.split(", ") if colon else ():
            service = self._world.nodes[name].service
            if service is not None and service.finished:
                self._world.kill(name)
                self.started += 1


def run_attended(world: World, most_passes: int = 3000) -> int:
    """To the end, with somebody at the log; how often an agent was started for it."""
    operator = Operator(world)
    logger = logging.getLogger("bitarm.learner")
    logger.addHandler(operator)
    try:
        world.run(most_passes)
    finally:
        logger.removeHandler(operator)
    return operator.started


def run_until_told(world: World, count: int, arm: int = 2) -> None:
    """Until so many reports of an arm were accepted, or the run is over."""

    def told() -> bool:
        found = [event for event in events_of(world) if isinstance(event, ReportAccepted)]
        return sum(event.arm == arm for event in found) >= count or world.over

    world.run(until=told)


def run_until_saved(world: World, name: str, count: int) -> None:
    """Until an agent has saved so often."""
    keeper = keeper_of(world, name)
    world.run(until=lambda: len(keeper.history) >= count)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A report that the learner accepted, and what its agent had when it gave it."""

    event: ReportAccepted
    question: Question
    had: Sequence[Answered]  # several, where more than one process gave this very answer


def readings(world: World, events: Iterable[LearnerEvent]) -> Iterator[Reading]:
    """The accepted reports of a run, each with the question that it answers."""
    standings: Standings | None = None
    for event in events:
        if isinstance(event, ReportAccepted):
            request = standings.arms[event.arm].request if standings else None
            assert request is not None
            name = (request.run, request.arm, request.message)
            had = [
                answered for answered in world.had.get(name, ()) if answered.symbol == event.symbol
            ]
            assert had, f"nobody gave the answer that was read: {event}"
            yield Reading(event=event, question=request.question, had=had)
        standings = follow(standings, event)


def assert_true(reading: Reading) -> None:
    """What was read is within the error bound of the mean that the agent had.

    Clamped bins promise it for means between their ends, which is ICQ's interval event.
    """
    event, question = reading.event, reading.question
    assert event.pulls == question.until
    for had in reading.had:
        mean, code = had.mean, question.code
        if event.beaten_by is not None:
            continue  # the arm gave up, and nothing was said of its mean
        if isinstance(code, Bins):
            mean = min(max(mean, code.low), code.low + code.bins * code.step)
        assert abs(event.mean - mean) <= event.error * _SLACK


def sequences(found: Iterable[Reading], arms: int) -> list[int]:
    """How many sequences of rewards the reports of each arm are about, at least.

    A report goes on with the sequence of the one before if its agent knew all of those rewards.
    Where two processes gave the same answer, nobody can tell which one was read: the fewest count.
    """
    fewest: list[dict[Rewards, int]] = [{(): 1} for _ in range(arms)]
    for reading in found:
        arm = reading.event.arm
        fewest[arm] = {
            had.rewards: min(
                count + (had.rewards[: len(last)] != last) for last, count in fewest[arm].items()
            )
            for had in reading.had
        }
    return [min(counts.values()) for counts in fewest]


def assert_sound(world: World) -> RunResult:
    """The run was decided, all that was read is true, and it claims no more than it may."""
    events = events_of(world)
    replay(events)  # the journal does not contradict itself
    result = result_of(Standings.of(events))
    found = list(readings(world, events))
    for reading in found:
        assert_true(reading)
    assert result.outcome is Outcome.DECIDED
    for arm in range(len(result.arms)):
        pulls = [reading.event.pulls for reading in found if reading.event.arm == arm]
        assert pulls == sorted(set(pulls)), "a checkpoint was read twice, or before an earlier one"
    spec, claim = world.problem.spec, result.guarantee
    if spec.sampling.along_path:
        most, second = sorted(sequences(found, len(result.arms)), reverse=True)[:2]
        assert claim is None or claim * _SLACK >= spec.delta * most * second
    else:
        assert claim in (None, spec.delta)
    renewed = sum(len(event.arms) for event in events if isinstance(event, LivesBegan))
    assert result.forgotten == renewed
    if claim is not None:
        assert ("live rewards were lost" in result.guarantee_reason) is (renewed > 0)
    return result
