"""How large can the frames of a run become? Asked before it starts, for links that carry little."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.confidence import Stride
from bitarm.core.limits import Limits
from bitarm.core.messages import Hint, HintKind, Report, Request
from bitarm.core.policy import Policy
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


def largest_frames(spec: RunSpec, policy: Policy, limits: Limits) -> FrameSizes:
    """Bounds that no run of this spec under this policy within these limits exceeds.

    Frames with many arms are larger, but are split where a link wants them smaller. Both kinds of
    frame grow with the number of the message. Symbols are tried out, at the first checkpoints and
    at the last ones: in between, a schedule goes on as it began, and codes for numbers need most
    bits where steps are smallest, at the end. Where a policy leaps, a limit on rounds bounds the
    messages, and only one on samples bounds the checkpoints.
    """
    leaps = policy.stride is Stride.LEVEL
    most = MAX_PULLS if limits.samples is None else min(limits.samples, MAX_PULLS)
    last = max(1, spec.schedule.index_at(most))
    messages = last if limits.rounds is None else min(last, limits.rounds)
    if not leaps:
        last = messages
    arm = len(spec.arms) - 1
    until = spec.schedule.pulls_at(last)
    assert until is not None  # index_at counts checkpoints that exist
    tried = {*range(1, last + 1)[:_TRIED], *range(1, last + 1)[-_TRIED:]}
    reports = [
        Report(
            run=0,
            arm=arm,
            message=min(index, messages),
            symbol=_longest_symbol(spec, index, leaps=leaps),
        )
        for index in sorted(tried)
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


def _longest_symbol(spec: RunSpec, index: int, *, leaps: bool) -> Symbol:
    """The longest symbol at a checkpoint, of those that cross a part of the rewards' range.

    The farthest jump need not have it: where a code escapes to another, lengths fall by a few bits.
    Parts of the way find the lengths before that to within a bit.
    """
    low, high = spec.bounds or _extremes(spec, index)
    symbols = (
        spec.quantizer.encode(held.mean + (end - held.mean) * part / _PARTS, held, step, dither)
        for step in _steps(spec, index, (low, high))
        for held in _held(spec, index, (low, high), leaps=leaps)
        for end in (low, high)
        for part in range(1, _PARTS + 1)
        for dither in _DITHERS
    )
    return max(symbols, key=lambda symbol: symbol.nbits)


def _held(spec: RunSpec, index: int, means: Bounds, *, leaps: bool) -> Iterator[Estimate]:
    """What both ends may hold before it; in all schemes here the radius changes no length."""
    if index == 1:
        yield spec.start(0)
        return
    for before in _befores(spec, index, leaps=leaps):
        for mean, side in zip(means, (-1.0, 1.0), strict=True):
            error = spec.quantizer.error(Estimate(mean=mean, error=0.0, radius=1.0), before)
            yield Estimate.after(before, mean=mean + side * error, error=error)  # rounded outwards


def _befores(spec: RunSpec, index: int, *, leaps: bool) -> Iterator[Step]:
    """Where the arm may have told its last mean: one checkpoint before, or after a leap any."""
    for number in sorted({1, index // 2, index - 1} if leaps else {index - 1}):
        step = _step(spec, number)
        yield step
        if leaps and number > 1 and spec.quantizer.hinted:
            yield replace(step, hint=Hint(kind=HintKind.CUT, value=_BELOW_ALL))


def _extremes(spec: RunSpec, index: int) -> Bounds:
    """The last means that the quantizer takes where rewards have no bounds."""
    held, step = next(_held(spec, index, (0.0, 0.0), leaps=False)), _step(spec, index)
    for power in range(_LARGEST_POWER, -_LARGEST_POWER, -1):
        try:
            spec.quantizer.encode(2.0**power, held, step, 0.0)
        except RewardError:
            continue
        return (-(2.0**power), 2.0**power)
    raise LocalProtocolError(f"{spec.quantizer.name} takes no mean at all")


def _steps(spec: RunSpec, index: int, means: Bounds) -> Iterator[Step]:
    """What may be known of the message: with no hint, with a centre, with a cut below it all."""
    step = _step(spec, index)
    yield step
    if not spec.quantizer.hinted:
        return
    if index > 1:
        yield replace(step, hint=Hint(kind=HintKind.CUT, value=_BELOW_ALL))
        return
    for mean in means:
        yield replace(step, hint=Hint(kind=HintKind.CENTRE, value=mean))


def _step(spec: RunSpec, index: int) -> Step:
    """At a checkpoint; its index stands in for the message, of which only the first is special."""
    pulls = spec.schedule.pulls_at(index)
    assert pulls is not None  # the caller counted
    return spec.step(index, pulls)
