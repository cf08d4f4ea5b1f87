"""Answers that a link does not carry: the arm is asked again in larger steps."""

import random
from collections.abc import Callable

import pytest

from bitarm.api.scheme import build
from bitarm.core.agent import Agent
from bitarm.core.bits import Symbol
from bitarm.core.codes import Above, Bins, Nearest
from bitarm.core.events import LearnerEvent, RunEnded, RunOpened
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Challenge, Edge
from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerPhase
from bitarm.core.messages import Report, Request
from bitarm.core.outcome import Outcome
from bitarm.core.question import BEATEN, BEYOND, Question
from bitarm.core.replay import replay
from bitarm.core.sentences import sentence_of
from bitarm.errors import PeerProtocolError

Draw = Callable[[], float]


def _arms(seed: int) -> tuple[list[float], list[Draw]]:
    """Four means, and rewards around them: coins, or of one of four spreads."""
    draw = random.Random(seed)
    means = sorted((draw.uniform(0.05, 0.95) for _ in range(4)), reverse=True)
    means[0] = min(means[0] + 0.05, 0.97)  # near ties take their time

    def beta(mean: float, size: float) -> Draw:
        return lambda: draw.betavariate(mean * size, (1 - mean) * size)

    def coin(mean: float) -> Draw:
        return lambda: float(draw.random() < mean)

    if seed % 2:
        return means, [coin(mean) for mean in means]
    return means, [beta(mean, draw.choice([2.0, 30.0, 1e3, 1e6])) for mean in means]


def run_in(
    most_bits: int | None, seed: int, policy: str
) -> tuple[list[LearnerEvent], RunEnded, int, int]:
    """What happened, the end, the bits of the longest answer, and the answers that did not fit."""
    _, arms = _arms(seed)
    setup = build(
        ("a", "b", "c", "d"),
        seed=seed,
        problem={"bounds": (0.0, 1.0), "delta": 0.1},
        scheme={"quantizer": "dyadic", "policy": policy},
        limits={"samples": 400_000},
    )
    learner = Learner(setup)
    agents = [Agent(learner.run, arm, most_bits=most_bits) for arm in range(len(arms))]
    events = list(learner.start().events)
    longest = beyond = 0
    while learner.phase is LearnerPhase.RUNNING:
        for request in learner.pending:
            report = _answer(agents[request.arm], request, arms[request.arm])
            longest, beyond = max(longest, report.symbol.nbits), beyond + (report.symbol == BEYOND)
            events += learner.receive(report).events
            state, record = agents[request.arm].state, learner.arms[request.arm]
            assert record.held.holds(state.mean, state.pulls)  # all that was told is true
    (end,) = (event for event in events if isinstance(event, RunEnded))
    assert replay(events).save() == learner.save()
    return events, end, longest, beyond


def _answer(agent: Agent, request: Request, draw: Draw) -> Report:
    answers = agent.receive(request)
    while agent.wanted or agent.is_looking:
        if agent.is_looking:
            answers = agent.look()
            continue
        rewards = [draw() for _ in range(agent.wanted)]
        answers = agent.observe(len(rewards), sum(rewards), rewards)
    (report,) = answers
    assert isinstance(report, Report)
    return report


@pytest.mark.parametrize("most_bits", [16, 8, 5])
def test_runs_end_and_name_the_best(most_bits: int) -> None:
    beyond = 0
    for seed in range(6):
        _, end, longest, missed = run_in(most_bits, seed, "challenge")
        assert longest <= most_bits
        assert (end.outcome, end.best_arm) == (Outcome.DECIDED, 0)
        beyond += missed
    assert beyond or most_bits == 16  # or nothing was tried here


def test_a_policy_without_challenges_does_with_them_too() -> None:
    _, end, longest, beyond = run_in(4, 3, "se")
    assert beyond
    assert longest <= 4
    assert (end.outcome, end.best_arm) == (Outcome.DECIDED, 0)


def test_it_is_told_in_words() -> None:
    events, _, _, beyond = run_in(5, 1, "challenge")
    assert isinstance(events[0], RunOpened)
    said = [sentence_of(event, events[0].setup) for event in events]
    assert sum("has an answer that its link does not carry" in line for line in said) == beyond > 0


def test_where_all_fits_nothing_changes() -> None:
    assert run_in(None, 3, "challenge")[1] == run_in(64, 3, "challenge")[1]


_NEAREST = Nearest(centre=0.5, step=0.001, divisor=1)


def test_an_answer_that_does_not_fit_is_one_bit() -> None:
    question = Question(until=10, code=_NEAREST)
    assert question.answer(0.9).nbits > 16
    assert question.answer(0.9, most_bits=16) == BEYOND
    assert question.answer(0.501, most_bits=16) == question.answer(0.501)


def test_a_challenged_arm_that_is_not_beaten_does_not_say_that_it_is() -> None:
    scale = Scale(low=0.0, unit=0.1, bounded=False)
    task = Challenge(edge=0.0, first=3, hurdles=(90, 90, 90))
    question = Question(until=10, code=Above(low=0.0, step=0.001), scale=scale, task=task)
    assert question.answer(0.9, most_bits=3) == BEYOND != BEATEN


def test_bins_have_no_such_word() -> None:
    """There it is a bin."""
    question = Question(until=10, code=Bins(low=0.0, step=0.5, bins=2))
    assert question.answer(0.9, most_bits=0) == Symbol(1, 1)
    told = question.read(Symbol(1, 1))
    assert told is not None
    assert told.mean == 0.75


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("escape", [1, 3, 20])
def test_no_mean_has_that_word(divisor: int, escape: int) -> None:
    code = Nearest(centre=0.0, step=1.0, divisor=divisor, escape=escape)
    assert all(code.write(float(steps)) != BEYOND for steps in range(-200, 200))
    with pytest.raises(PeerProtocolError):
        code.read(BEYOND)


def test_a_spread_that_grows_far_is_told_in_parts() -> None:
    """A coin, asked as if it had hardly any noise: each part fits a short frame."""
    scale = Scale(low=0.0, unit=1.0, bounded=True)
    code = Nearest(centre=0.5, step=1 / 8, divisor=1)
    rewards = [float(n % 2) for n in range(400)]
    spreads, means = [-16], [0.0]
    while spreads[-1] < 0:
        task = Edge(first=2, spread=spreads[-1])
        question = Question(until=400, code=code, scale=scale, task=task)
        agent = Agent(1, 0, most_bits=16)
        agent.receive(Request(run=1 << 8, arm=0, message=1, question=question))
        (answer,) = agent.observe(400, sum(rewards), rewards)
        assert isinstance(answer, Report)
        told = question.read(answer.symbol)
        assert told is not None
        assert told.spread is not None
        spreads.append(told.spread)
        means.append(told.mean)
        assert answer.symbol.nbits <= 16
    assert -16 < spreads[1] < 0
    assert means == sorted(means)  # lower at first: sound, if not as good
