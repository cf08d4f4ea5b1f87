"""The longest questions and answers where agents judge themselves: for `frame_sizes`.

A quantizer is tried out on every kind of question that the policy asks, with means at the ends of
what may be, and with rewards that spread as much and as little as a frame can say.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from bitarm.core.bits import Symbol
from bitarm.core.bounds import Bounds
from bitarm.core.codes import Above, Nearest
from bitarm.core.codes.nearest import MOST_STEPS
from bitarm.core.codes.prefix import write_golomb
from bitarm.core.confidence import Stride
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.spread import LEAST_SPREAD, MOST_QUARTERS, MOST_SPREAD
from bitarm.core.evidence.tasks import BAND, NO_HURDLE, Challenge, Edge, Pilot, Task
from bitarm.core.hint import Hint, HintKind
from bitarm.core.quantizer import Estimate
from bitarm.core.quantizers.dyadic import unit_of
from bitarm.core.question import Question
from bitarm.core.spec import RunSpec
from bitarm.errors import LocalProtocolError, RewardError

_PARTS = 32  # of the way between two means
_LOWEST_EDGE = 8.0  # units below the bounds: what a bettor can lose, and a search that doubles
_LAST_RUNG = RUNGS - BAND

# Bits that a task adds to the word of its code, at most.
_SPREAD_BITS = MOST_QUARTERS + 1  # unary
_EDGE_BITS = write_golomb(MOST_SPREAD - LEAST_SPREAD, 1).nbits
_CHALLENGE_BITS = 1


def judged_exchanges(spec: RunSpec, pulls: int, before: int) -> Iterator[tuple[Question, Symbol]]:
    """Questions after so many pulls, to an arm that told its mean at `before` (0: never).

    Each with a symbol as long as its longest answer.
    """
    evidence = spec.sampling.confidence(Stride.JUDGED)
    assert isinstance(evidence, Evidence)  # no other width fits such a policy
    spreads = (LEAST_SPREAD, 0, MOST_SPREAD) if evidence.scale.bounded else (0,)
    for spread in spreads:
        for told in _told(spec, evidence, pulls):
            noise = evidence.noise(told, spread, pulls)
            for kind, task in _kinds(told, spread, is_first=before == 0):
                hint = Hint(
                    kind=kind,
                    value=told,
                    deviation=noise / math.sqrt(pulls),
                    moved=noise * math.sqrt(1 / before - 1 / pulls) if before else 0.0,
                    scale=evidence.scale,
                    task=task,
                )
                try:
                    question = _question(spec, hint, pulls, before)
                except LocalProtocolError:
                    continue  # of steps that are too fine for its means: nobody is asked that
                yield question, Symbol(0, _longest(question, spec.bounds))


def _told(spec: RunSpec, evidence: Evidence, pulls: int) -> tuple[float, ...]:
    """Means that another arm may have told, or this one before."""
    if spec.bounds is not None:
        a, b = spec.bounds
        return a, a / 2 + b / 2, b
    reach = MOST_STEPS * evidence.scale.unit / math.sqrt(pulls) / 2
    return -reach, 0.0, reach


def _kinds(told: float, spread: int, *, is_first: bool) -> Iterator[tuple[HintKind, Task | None]]:
    if is_first:
        yield HintKind.PILOT, Pilot()
        yield HintKind.CENTRE, None
        return
    yield HintKind.PLACE, None
    yield HintKind.LEADER, Edge(first=_LAST_RUNG, spread=spread)
    hurdles = (NO_HURDLE, NO_HURDLE, NO_HURDLE)
    yield HintKind.CHALLENGE, Challenge(edge=told, first=_LAST_RUNG, hurdles=hurdles)


def _question(spec: RunSpec, hint: Hint, pulls: int, before: int) -> Question:
    held = spec.start(0)
    if before:
        earlier = spec.occasion(1, before, hint)
        error = spec.quantizer.error(held, earlier)
        held = Estimate.after(earlier, mean=hint.value, error=error)
    occasion = spec.occasion(2 if before else 1, pulls, hint)
    if isinstance(hint.task, Challenge):
        # An edge is a multiple of half a leader's step, which is no finer than the challenged's.
        unit = unit_of(spec.quantizer.error(held, occasion) / 4)
        edge = (math.floor(hint.task.edge / unit) | 1) * unit  # odd: others are spelt shorter
        task = Challenge(edge=edge, first=hint.task.first, hurdles=hint.task.hurdles)
        occasion = spec.occasion(2, pulls, replace(hint, task=task))
    question = spec.quantizer.question(held, occasion, 0.0)
    if isinstance(question.code, Nearest):
        unit = unit_of(question.code.step)
        centre = (math.floor(question.code.centre / unit) | 1) * unit
        return replace(question, code=replace(question.code, centre=centre))
    return question


def _longest(question: Question, bounds: Bounds | None) -> int:
    """Bits of the longest answer that an agent with any mean can have."""
    code, task = question.code, question.task
    low, high = bounds or _reach(question)
    more = 0
    if isinstance(task, Edge):
        low, more = low - _LOWEST_EDGE * (high - low), _EDGE_BITS
    elif isinstance(task, Pilot):
        more = _SPREAD_BITS
    elif isinstance(task, Challenge):
        more = _CHALLENGE_BITS
    longest = 1
    for part in range(_PARTS + 1):
        try:
            longest = max(longest, code.write(low + (high - low) * part / _PARTS).nbits)
        except RewardError:
            continue  # an agent cannot say that either
    return more + longest


def _reach(question: Question) -> Bounds:
    """The last means that a code can tell."""
    code = question.code
    assert isinstance(code, Nearest | Above)  # all that agents who judge themselves are asked in
    reach = (MOST_STEPS - 1) * code.step
    return -reach, reach
