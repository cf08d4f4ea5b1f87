"""A round of challenges taken apart: the leader's edge, what the others were told, what they said.

As far as the journal knows it: the numbers of the questions and the bits of the answers. What an
arm had seen when it gave up stays with its agent; only after how many pulls, it tells in the end.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from bitarm.core.agent import Agent
from bitarm.core.codes import Above
from bitarm.core.confidence import Stride
from bitarm.core.events import LearnerEvent, PullsCounted, ReportAccepted, RoundOpened, RunOpened
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.tasks import BAND, Challenge, Edge, hurdle
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Request
from bitarm.core.policies import ChallengeElimination
from bitarm.core.quantizers import Dyadic
from bitarm.core.question import Question
from bitarm.core.schedule import LooksSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.dashboard.library import UnknownEntryError
from bitarm.errors import StoreError

_EXAMPLE = {"north": 0.9, "south": 0.6, "tower": 0.84, "depot": 0.78}
_GOLDEN = (math.sqrt(5) - 1) / 2  # spreads the example's rewards evenly, without a generator


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderTold:
    """The arm that went ahead, and what it told of itself."""

    arm: int
    name: str
    pulls: int
    symbol: str  # the bits
    mean: float  # the middle of the cell that it told
    edge: float  # its lower end, which the leader's evidence certifies
    told_spread: bool  # whether the edge came with how its rewards spread


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The leader's evidence at one betting rate, as the others are told it."""

    rate: float  # λ, per unit of reward
    byte: int
    hurdle: float | None  # nats; null: worth nothing at this rate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Challenged:
    """One arm that was held against the leader, and its answer."""

    arm: int
    name: str
    pulls_before: int
    mean_before: float
    error_before: float
    until: int  # pulls after which it says where it is, unless it gave up before
    start: float  # from where on it then counts steps
    step: float
    symbol: str | None  # null while it has not answered
    gave_up: bool
    pulls: int | None  # that it made: null where nobody told
    mean: float | None  # that it told, if it held out


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeExplained:
    """One round of challenges, and which other rounds had some."""

    run: int | None  # null: an example
    round: int
    rounds: list[int]
    level: float  # L = ln((K − 1)/δ), nats of evidence that a drop takes
    low: float | None  # the rewards' bounds, if they have some
    high: float | None
    leader: LeaderTold
    lines: list[Line]
    challenged: list[Challenged]


def explain_challenge(
    events: Iterable[LearnerEvent], *, run: int | None, round: int | None
) -> ChallengeExplained:
    """The challenges of a round, or of the first one in which an arm gave up.

    UnknownEntryError if the run, or that round of it, had none.
    """
    told = _Told(events)
    rounds = told.rounds
    if not rounds:
        raise UnknownEntryError("no arm of this run was challenged: choose one of policy challenge")
    chosen = told.first_fall if round is None else round
    if chosen not in rounds:
        raise UnknownEntryError(f"round {chosen} has no challenge; these have: {rounds}")
    questions = {
        arm: question
        for (at, arm), question in told.questions.items()
        if at == chosen and isinstance(question.task, Challenge)
    }
    first = next(iter(questions.values()))
    assert isinstance(first.task, Challenge)  # as was selected
    assert first.scale is not None  # a task has one
    spec = told.opened.setup.spec
    confidence = spec.sampling.confidence(Stride.JUDGED)
    assert isinstance(confidence, Evidence)  # nothing else makes challenges
    bounds = spec.bounds or (None, None)
    return ChallengeExplained(
        run=run,
        round=chosen,
        rounds=rounds,
        level=confidence.level,
        low=bounds[0],
        high=bounds[1],
        leader=told.leader(chosen, first, first.task),
        lines=[
            Line(
                rate=first.scale.rates[first.task.first + place] / first.scale.unit,
                byte=byte,
                hurdle=hurdle(byte) if math.isfinite(hurdle(byte)) else None,
            )
            for place, byte in enumerate(first.task.hurdles[:BAND])
        ],
        challenged=[told.challenged(chosen, arm, question) for arm, question in questions.items()],
    )


@final
class _Told:
    """What a run's events say of its questions and answers."""

    def __init__(self, events: Iterable[LearnerEvent]) -> None:
        self.questions: dict[tuple[int, int], Question] = {}  # by round and arm
        self.answers: dict[tuple[int, int], ReportAccepted] = {}
        self.counted: dict[int, int] = {}
        opened = None
        for event in events:
            match event:
                case RunOpened():
                    opened = event
                case RoundOpened():
                    for request in event.requests:
                        self.questions[event.round, request.arm] = request.question
                case ReportAccepted():
                    self.answers[event.round, event.arm] = event
                case PullsCounted():
                    self.counted |= event.counts
        if opened is None:
            raise StoreError("the journal of a run begins with its opening, found nothing")
        self.opened = opened

    @property
    def rounds(self) -> list[int]:
        """The rounds in which anybody was challenged."""
        return sorted(
            {
                at
                for (at, _), question in self.questions.items()
                if isinstance(question.task, Challenge)
            }
        )

    @property
    def first_fall(self) -> int:
        """The first round in which an arm gave up; if none did, the first with a challenge."""
        falls = [at for (at, _), told in self.answers.items() if told.beaten_by is not None]
        return min(falls, default=self.rounds[0])

    def before(self, round: int, arm: int) -> ReportAccepted:
        """What an arm told last before a round."""
        return self.answers[max(at for at, who in self.answers if who == arm and at < round), arm]

    def leader(self, round: int, question: Question, task: Challenge) -> LeaderTold:
        """Who told the edge of a challenge: the arm that had gone as far as it asks for."""
        asked = {arm for at, arm in self.questions if at == round}
        heard = {arm for at, arm in self.answers if at < round} - asked
        beaten_by = {told.beaten_by for (at, _), told in self.answers.items() if at == round}
        ahead = {arm for arm in heard if self.before(round, arm).pulls == question.until}
        arm = next(iter((ahead & beaten_by) or ahead), None)
        if arm is None:
            raise UnknownEntryError(f"the journal does not say who led in round {round}")
        told = self.before(round, arm)
        own = self.questions[told.round, arm]
        return LeaderTold(
            arm=arm,
            name=self.opened.setup.spec.arms[arm],
            pulls=told.pulls,
            symbol=str(told.symbol),
            mean=told.mean,
            edge=task.edge,
            told_spread=isinstance(own.task, Edge),
        )

    def challenged(self, round: int, arm: int, question: Question) -> Challenged:
        """One arm that was challenged in a round."""
        before, answer = self.before(round, arm), self.answers.get((round, arm))
        assert isinstance(question.code, Above)  # as every challenge
        gave_up = answer is not None and answer.beaten_by is not None
        held_out = answer is not None and not gave_up
        return Challenged(
            arm=arm,
            name=self.opened.setup.spec.arms[arm],
            pulls_before=before.pulls,
            mean_before=before.mean,
            error_before=before.error,
            until=question.until,
            start=question.code.low,
            step=question.code.step,
            symbol=None if answer is None else str(answer.symbol),
            gave_up=gave_up,
            pulls=self.counted.get(arm) if gave_up else question.until if held_out else None,
            mean=answer.mean if answer is not None and held_out else None,
        )


# -- an example ----------------------------------------------------------------------------------


def example() -> list[LearnerEvent]:
    """The events of a small run whose coins fall as evenly as can be: the same every time."""
    spec = RunSpec(
        arms=tuple(_EXAMPLE),
        delta=0.05,
        sigma=0.5,
        bounds=(0.0, 1.0),
        quantizer=Dyadic(),
        width="bounded",
        schedule=LooksSchedule(),
        priors=(),
        seed=0,
    )
    learner = Learner(Setup(spec=spec, policy=ChallengeElimination(), limits=Limits()))
    agents = [Agent(learner.run, arm) for arm in range(len(spec.arms))]
    means = list(_EXAMPLE.values())
    output = learner.start()
    events, waiting = list(output.events), list(output.messages)
    for message in waiting:  # which grows as it is read
        if not isinstance(message, Request):
            continue
        agent = agents[message.arm]
        answers = agent.receive(message)
        while not answers:
            if agent.is_looking:
                answers = agent.look()
                continue
            rewards = [
                _coin(means[agent.arm], agent.arm, agent.state.pulls + place)
                for place in range(agent.wanted)
            ]
            answers = agent.observe(len(rewards), math.fsum(rewards), rewards)
        for answer in answers:
            output = learner.receive(answer)
            events += output.events
            waiting += output.messages
    gave_up = [agent for agent in agents if learner.arms[agent.arm].beaten_by is not None]
    counted = PullsCounted(
        arms=tuple(agent.arm for agent in gave_up),
        pulls=tuple(agent.state.pulls for agent in gave_up),
    )
    return [*events, counted]


def _coin(mean: float, arm: int, place: int) -> float:
    return float((arm / 7 + place * _GOLDEN) % 1 < mean)
