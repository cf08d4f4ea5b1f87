"""What the agents of the vectors hear, and which rewards they pull."""

import random

from devices.runs import FRACTION
from devices.vectors import Event

from bitarm import wire
from bitarm.core.codes import Nearest
from bitarm.core.epochs import run_field
from bitarm.core.messages import Cause, Dismiss, Request
from bitarm.core.question import Question

RUN, ARM = 0x1234AB, 3
NEAREST = Nearest(centre=0.5, step=0.125, divisor=2)


def ask(question: Question, number: int = 1, *, epoch: int = 1, arm: int = ARM) -> Event:
    """A request arrives."""
    request = Request(run=run_field(RUN, epoch), arm=arm, message=number, question=question)
    return Event(hear=wire.encode(request))


def dismiss(cause: Cause = Cause.ENDED, epoch: int = 1) -> Event:
    """A dismissal arrives."""
    return Event(hear=wire.encode(Dismiss(run=run_field(RUN, epoch), arm=ARM, cause=cause)))


def rewards(seed: int, size: int, mean: float = 0.6) -> list[int]:
    """Rewards in [0, 1], in units of 2^-16."""
    draw = random.Random(seed)
    return [round(draw.betavariate(8 * mean, 8 * (1 - mean)) * 2**FRACTION) for _ in range(size)]
