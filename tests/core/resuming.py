"""Runs of close means that are resumed, and answers of agents that know more or less."""

from collections.abc import Sequence

from networks import Network
from tapes import Problem, Tape, make_spec

from bitarm.core.events import RoundOpened
from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerOutput
from bitarm.core.limits import Limits
from bitarm.core.messages import Answer, Position, Report
from bitarm.core.policies import Policy, SuccessiveElimination
from bitarm.core.quantizers import Exact, Quantizer
from bitarm.core.schedule import Schedule

CLOSE = (600, 580, 620)  # means, in 1024ths, that no few pulls tell apart


def problem_of(
    policy: Policy | None = None,
    *,
    means: tuple[int, ...] = CLOSE,
    quantizer: Quantizer | None = None,
    width: str = "paper",
    schedule: Schedule | None = None,
    limits: Limits | None = None,
    sigma: float = 0.25,
) -> Problem:
    spec = make_spec(
        arms=len(means),
        quantizer=quantizer or Exact(),
        width=width,
        schedule=schedule,
        sigma=sigma,
        delta=0.05,
    )
    return Problem(
        spec=spec,
        policy=policy or SuccessiveElimination(),
        limits=limits or Limits(samples=10**6),
        tape=Tape(seed=5, means=means, spread=100, bounds=(0, 1024)),
    )


def after_rounds(problem: Problem, rounds: int) -> Network:
    """A network in which so many rounds were answered, and the next was asked."""
    network = Network(problem)
    while network.learner.rounds <= rounds:
        network.turn()
    assert network.learner.rounds == rounds + 1
    return network


def back_to_round(network: Network, number: int) -> None:
    """The learner's journal goes back to when this round was opened; its agents remember all."""
    opened = [
        at
        for at, length in enumerate(network.steps)
        if any(
            isinstance(event, RoundOpened) and event.round == number
            for event in network.events[:length]
        )
    ]
    network.restore_learner(opened[0])
    assert network.learner.rounds == number


def asked_of(learner: Learner) -> dict[int, int]:
    return {request.arm: request.question.until for request in learner.pending}


def answer_of(learner: Learner, arm: int, mean: float = 0.5) -> Report:
    (request,) = (request for request in learner.pending if request.arm == arm)
    symbol = request.question.answer(mean)
    return Report(run=request.run, arm=arm, message=request.message, symbol=symbol)


def ahead_of(learner: Learner, arm: int, pulls: int) -> Position:
    (request,) = (request for request in learner.pending if request.arm == arm)
    return Position(run=request.run, arm=arm, message=request.message, pulls=pulls)


def told(learner: Learner, answers: Sequence[Answer]) -> LearnerOutput:
    """What follows from the last of these answers."""
    *others, last = answers
    for answer in others:
        learner.receive(answer)
    return learner.receive(last)
