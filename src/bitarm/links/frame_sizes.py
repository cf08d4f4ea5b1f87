"""How large can the frames of a run become? Asked before it starts, for links that carry little."""

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.bounds import Bounds
from bitarm.core.codes import Raw
from bitarm.core.confidence import Stride
from bitarm.core.dither import DITHER_BITS
from bitarm.core.limits import Limits
from bitarm.core.messages import Report, Request
from bitarm.core.quantizer import Estimate, Occasion
from bitarm.core.question import Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.spec import RunSpec
from bitarm.errors import LocalProtocolError, RewardError
from bitarm.links.judged_frames import judged_exchanges
from bitarm.wire.frames.questions import longest_bytes

_DITHERS = (0.0, 1.0 - 2.0**-DITHER_BITS)  # rounding up and rounding down
_POWERS = 1022  # of two, up and down: almost twice that is a float64 yet
_PARTS = 32  # of the way between two means
_TRIED = 8  # checkpoints at either end
_EVERY = 16  # and of those between, where the last ones may be too fine to be asked at


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FrameSizes:
    """The largest frames of one message, in bytes, and what makes them large."""

    report: int
    request: int
    messages: int  # of one arm, at most
    symbol_bits: int  # of one message, at most


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question that a run may come to, and its longest answer."""

    message: int
    question: Question
    answer: Symbol


def largest_frames(spec: RunSpec, limits: Limits, stride: Stride) -> FrameSizes:
    """Bounds that no run of this spec within these limits exceeds, if its policy moves like this.

    Frames with many arms are larger, but are split where a link wants them smaller. Questions and
    their answers are tried out, at the first checkpoints, at the last ones and after the widest
    gap: in between, a schedule goes on as it began, and codes for numbers need most bits where
    steps are smallest, at the end.

    Not covered is what a learner asks that was restored from an older journal than its agents
    remember: it may skip checkpoints, and go on past the rounds that are counted here.
    """
    last = max(1, spec.schedule.index_at(min(MAX_PULLS, limits.samples or MAX_PULLS)))
    messages = min(last, limits.rounds or last)
    if stride not in (Stride.EVEN, Stride.JUDGED) or messages == 1:
        last = messages  # one checkpoint after the other: message n comes at the n-th
    asked = [
        _Asked(message=min(at, messages), question=question, answer=answer)
        for at, before in _moves(spec, last, stride)
        for question, answer in (
            judged_exchanges(spec, _pulls(spec, at), _pulls(spec, before) if before else 0)
            if stride is Stride.JUDGED
            else _exchanges(spec, at, before)
        )
    ]
    arm = len(spec.arms) - 1
    return FrameSizes(
        report=max(_report_bytes(one, arm) for one in asked),
        request=max(_request_bytes(one, arm) for one in asked),
        messages=messages,
        symbol_bits=max(one.answer.nbits for one in asked),
    )


def _report_bytes(asked: _Asked, arm: int) -> int:
    return len(wire.encode(Report(run=0, arm=arm, message=asked.message, symbol=asked.answer)))


def _request_bytes(asked: _Asked, arm: int) -> int:
    """Bytes of the frame of a question, were its steps as long as floats can be."""
    request = Request(run=0, arm=arm, message=asked.message, question=asked.question)
    if asked.question.scale is not None:
        return len(wire.encode(request))  # made of numbers that are long already
    shortest = Question(until=1, code=Raw())
    around = len(wire.encode(replace(request, question=shortest))) - longest_bytes(shortest)
    return around + longest_bytes(asked.question)


def _moves(spec: RunSpec, last: int, stride: Stride) -> Iterator[tuple[int, int]]:
    """Checkpoints at which an arm reports, each with one where it may have been; 0 is nowhere."""
    checkpoints = range(1, last + 1)
    widest = max(checkpoints, key=lambda at: _pulls(spec, at) / _pulls(spec, max(1, at - 1)))
    between = checkpoints[::_EVERY] if stride is Stride.JUDGED else ()
    for at in sorted({*checkpoints[:_TRIED], widest, *between, *checkpoints[-_TRIED:]}):
        skips = stride in (Stride.EVEN, Stride.JUDGED)
        jumps = {min(1, at - 1), at // 2} if skips else set[int]()
        for before in sorted({at - 1, *jumps}):
            yield at, before


def _exchanges(spec: RunSpec, at: int, before: int) -> Iterator[tuple[Question, Symbol]]:
    """Questions at a checkpoint, for extreme means before it, each with its longest answer.

    The farthest jump need not have the longest one: where a code escapes to another, lengths fall
    by a few bits. Parts of the way find the lengths before that to within a bit.
    """
    occasion = _occasion(spec, at)
    means = spec.bounds or _extremes(spec, occasion, before)
    for held in _held(spec, before, means):
        for dither in _DITHERS:
            question = spec.quantizer.question(held, occasion, dither)
            answers = (
                question.answer(held.mean + (end - held.mean) * part / _PARTS)
                for end in means
                for part in range(1, _PARTS + 1)
            )
            yield question, max(answers, key=lambda symbol: symbol.nbits)


def _held(spec: RunSpec, before: int, means: Bounds) -> Iterator[Estimate]:
    """What the learner may hold before it; in all schemes here the radius changes no length."""
    if before == 0:
        yield spec.start(0)
        return
    occasion = _occasion(spec, before)
    for mean, side in zip(means, (-1.0, 1.0), strict=True):
        error = spec.quantizer.error(Estimate(mean=mean, error=0.0, radius=1.0), occasion)
        yield Estimate.after(occasion, mean=mean + side * error, error=error)  # rounded outwards


def _extremes(spec: RunSpec, occasion: Occasion, before: int) -> Bounds:
    """The last means that the quantizer takes where rewards have no bounds, to a sixteenth."""
    held = next(_held(spec, before, (0.0, 0.0)))
    question = spec.quantizer.question(held, occasion, 0.0)

    def refused(mean: float) -> bool:
        try:
            question.answer(mean)
        except RewardError:
            return True
        return False

    def mean_at(place: int) -> float:
        return math.ldexp(16 + place % 16, place // 16 - 4)

    places = range(-16 * _POWERS, 16 * _POWERS)
    found = bisect_left(places, 1, key=lambda place: refused(mean_at(place)))
    if not found:
        raise LocalProtocolError(f"{spec.quantizer.name} takes no mean at all")
    extreme = mean_at(places[found - 1])
    return (-extreme, extreme)


def _occasion(spec: RunSpec, at: int) -> Occasion:
    """The message at a checkpoint: its number matters only in that it is the first, or not."""
    return spec.occasion(at, _pulls(spec, at))


def _pulls(spec: RunSpec, at: int) -> int:
    pulls = spec.schedule.pulls_at(at)
    assert pulls is not None  # the caller counted
    return pulls
