"""An agent in any phase, and messages that fit it."""

from bitarm.core.agent import Agent, AgentPhase
from bitarm.core.bits import Symbol
from bitarm.core.codes import Above, Bins, Code, Levels, Nearest
from bitarm.core.epochs import run_field
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.messages import Cause, Dismiss, Position, Report, Request
from bitarm.core.question import Question

RUN, ARM = 0xABCDEF, 1
CODE = Bins(low=0.0, step=0.125, bins=8)
UNTIL = {1: 2, 2: 4, 3: 8, 4: 16, 5: 32}  # of each message's question


def request_of(
    message: int,
    until: int | None = None,
    *,
    epoch: int = 1,
    code: Code = CODE,
) -> Request:
    until = UNTIL[message] if until is None else until
    question = Question(until=until, code=code)
    return Request(run=run_field(RUN, epoch), arm=ARM, message=message, question=question)


def challenge_of(message: int, until: int | None = None) -> Request:
    """Whether an arm with a mean of ½ that is known with σ = 1 beats this one: it never does."""
    question = Question(
        until=UNTIL[message] if until is None else until,
        code=Above(low=0.0, step=0.125),
        scale=Scale(bounded=False, low=0.0, unit=1.0),
        task=Challenge(edge=0.5, first=4, hurdles=(200, 200, 200)),
    )
    return Request(run=run_field(RUN, 1), arm=ARM, message=message, question=question)


def dismissal_of(cause: Cause, *, epoch: int = 1) -> Dismiss:
    return Dismiss(run=run_field(RUN, epoch), arm=ARM, cause=cause)


def report_of(message: int, symbol: Symbol, *, epoch: int = 1) -> Report:
    return Report(run=run_field(RUN, epoch), arm=ARM, message=message, symbol=symbol)


def position_of(message: int, pulls: int, *, epoch: int = 1) -> Position:
    return Position(run=run_field(RUN, epoch), arm=ARM, message=message, pulls=pulls)


def agent_in(phase: AgentPhase, *, most_pulls: int = 10**12) -> Agent:
    """An agent that has answered two questions, with a mean of 0.75, and is now in `phase`."""
    agent = Agent(RUN, ARM, most_pulls=most_pulls)
    for message in (1, 2):
        agent.receive(request_of(message))
        agent.observe(agent.wanted, 0.75 * agent.wanted)
    if phase is AgentPhase.PULLING:
        agent.receive(request_of(3))
        agent.observe(1, 0.5)
    if phase is AgentPhase.LOOKING:
        agent.receive(challenge_of(3))
        agent.look()
        agent.observe(1, 0.5)
    if phase is AgentPhase.DISMISSED:
        agent.receive(dismissal_of(Cause.DROPPED))
    assert agent.state.phase is phase
    return agent


ANSWERED = report_of(2, Symbol(6, 3))  # 0.75 is at the lower end of the seventh bin
NARROW: tuple[Code, ...] = (  # no mean that is far from 0 can be told in these
    Levels(step=1e-9, centre=0, dither=0.5),
    Nearest(centre=0.0, step=1e-9, divisor=1),
)
