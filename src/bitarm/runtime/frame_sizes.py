"""How large can the frames of a run become? Asked before it starts, for links that carry little."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.limits import Limits
from bitarm.core.messages import Hint, HintKind, Report, Request
from bitarm.core.quantizer import Bounds, Estimate, Step
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.spec import RunSpec
from bitarm.errors import LocalProtocolError, RewardError

_DITHERS = (0.0, 1.0 - 2.0**-53)  # rounding up and rounding down
_LARGEST_POWER = 1022  # of two: twice that is a float64 yet
_PARTS = 32  # of the way between two means
_TRIED = 8  # messages at either end
_BELOW_ALL = -1e308


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FrameSizes:
    """The largest frames of one message, in bytes, and what makes them large."""

    report: int
    request: int
    messages: int  # of one arm, at most
    symbol_bits: int  # of one message, at most


def largest_frames(spec: RunSpec, limits: Limits) -> FrameSizes:
    """Bounds that no run of this spec within these limits exceeds.

    Frames with many arms are larger, but are split where a link wants them smaller. Both kinds of
    frame grow with the number of the message. Symbols are tried out, at the first messages and at
    the last ones: in between, a schedule goes on as it began, and codes for numbers need most bits
    where steps are smallest, at the end.
    """
    messages = spec.schedule.index_at(MAX_PULLS)
    if limits.rounds is not None:
        messages = min(messages, limits.rounds)
    arm = len(spec.arms) - 1
    until = spec.schedule.pulls_at(messages)
    assert until is not None  # index_at counts checkpoints that exist
    tried = {*range(1, messages + 1)[:_TRIED], *range(1, messages + 1)[-_TRIED:]}
    reports = [
        Report(run=0, arm=arm, message=message, symbol=_longest_symbol(spec, message))
        for message in sorted(tried)
    ]
    return FrameSizes(
        report=max(len(wire.encode(report)) for report in reports),
        request=len(wire.encode(_largest_request(spec, arm, messages, until))),
        messages=messages,
        symbol_bits=max(report.symbol.nbits for report in reports),
    )


def _largest_request(spec: RunSpec, arm: int, message: int, until: int) -> Request:
    """With a hint, if agents of this spec may be given one."""
    hint = Hint(kind=HintKind.CUT, value=0.0) if spec.quantizer.hinted else None
    return Request(run=0, arm=arm, message=message, until=until, hint=hint)


def _longest_symbol(spec: RunSpec, message: int) -> Symbol:
    """The longest symbol of a message, of those that cross a part of the rewards' range.

    The farthest jump need not have it: where a code escapes to another, lengths fall by a few bits.
    Parts of the way find the lengths before that to within a bit.
    """
    low, high = spec.bounds or _extremes(spec, message)
    symbols = (
        spec.quantizer.encode(held.mean + (end - held.mean) * part / _PARTS, held, step, dither)
        for step in _steps(spec, message, (low, high))
        for held in _held(spec, message, (low, high))
        for end in (low, high)
        for part in range(1, _PARTS + 1)
        for dither in _DITHERS
    )
    return max(symbols, key=lambda symbol: symbol.nbits)


def _held(spec: RunSpec, message: int, means: Bounds) -> Iterator[Estimate]:
    """What both ends may hold before it; in all schemes here the radius changes no length."""
    if message == 1:
        yield spec.start(0)
        return
    before = _step(spec, message - 1)
    for mean, side in zip(means, (-1.0, 1.0), strict=True):
        error = spec.quantizer.error(Estimate(mean=mean, error=0.0, radius=1.0), before)
        yield Estimate.after(before, mean=mean + side * error, error=error)  # rounded outwards


def _extremes(spec: RunSpec, message: int) -> Bounds:
    """The last means that the quantizer takes where rewards have no bounds."""
    held, step = next(_held(spec, message, (0.0, 0.0))), _step(spec, message)
    for power in range(_LARGEST_POWER, -_LARGEST_POWER, -1):
        try:
            spec.quantizer.encode(2.0**power, held, step, 0.0)
        except RewardError:
            continue
        return (-(2.0**power), 2.0**power)
    raise LocalProtocolError(f"{spec.quantizer.name} takes no mean at all")


def _steps(spec: RunSpec, message: int, means: Bounds) -> Iterator[Step]:
    """What may be known of the message: with no hint, with a centre, with a cut below it all."""
    step = _step(spec, message)
    yield step
    if not spec.quantizer.hinted:
        return
    if message > 1:
        yield replace(step, hint=Hint(kind=HintKind.CUT, value=_BELOW_ALL))
        return
    for mean in means:
        yield replace(step, hint=Hint(kind=HintKind.CENTRE, value=mean))


def _step(spec: RunSpec, message: int) -> Step:
    pulls = spec.schedule.pulls_at(message)
    assert pulls is not None  # the caller counted
    return spec.step(message, pulls)
