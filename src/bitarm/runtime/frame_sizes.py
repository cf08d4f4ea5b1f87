"""How large can the frames of a run become? Asked before it starts, for links that carry little."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.limits import Limits
from bitarm.core.messages import Report, Request
from bitarm.core.quantizer import Estimate, Step
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.spec import RunSpec
from bitarm.errors import RewardError

_DITHERS = (0.0, 1.0 - 2.0**-53)  # rounding up and rounding down
_LARGEST_POWER = 1023  # of two, in a float64


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
    frame grow with the number of the message; only a first message may have a longer symbol.
    """
    messages = spec.schedule.index_at(MAX_PULLS)
    if limits.rounds is not None:
        messages = min(messages, limits.rounds)
    arm = len(spec.arms) - 1
    until = spec.schedule.pulls_at(messages)
    assert until is not None  # index_at counts checkpoints that exist
    longest = [_longest_symbol(spec, message) for message in sorted({1, messages})]
    reports = (
        Report(run=0, arm=arm, message=message, symbol=symbol)
        for message, symbol in zip(sorted({1, messages}), longest, strict=True)
    )
    return FrameSizes(
        report=max(len(wire.encode(report)) for report in reports),
        request=len(wire.encode(Request(run=0, arm=arm, message=messages, until=until))),
        messages=messages,
        symbol_bits=max(symbol.nbits for symbol in longest),
    )


def _longest_symbol(spec: RunSpec, message: int) -> Symbol:
    """The longest symbol of a message: that of the farthest jump which the rewards allow."""
    pulls = spec.schedule.pulls_at(message)
    assert pulls is not None
    step = spec.step(message, pulls)
    symbols = (
        spec.quantizer.encode(mu_hat, held, step, dither)
        for held in _held(spec, message)
        for mu_hat in _extremes(spec, held, step)
        for dither in _DITHERS
    )
    return max(symbols, key=lambda symbol: symbol.nbits)


def _held(spec: RunSpec, message: int) -> Iterator[Estimate]:
    """What both ends may hold before it; in all schemes here only the mean changes a length."""
    if message == 1:
        yield spec.start(0)
        return
    for mean in spec.bounds or (0.0,):
        yield Estimate(mean=mean, error=0.0, radius=1.0)


def _extremes(spec: RunSpec, held: Estimate, step: Step) -> Iterator[float]:
    """Means as far out as they can be: at the bounds, or the last that the quantizer takes."""
    if spec.bounds is not None:
        yield from spec.bounds
        return
    for power in range(_LARGEST_POWER, -_LARGEST_POWER, -1):
        try:
            spec.quantizer.encode(2.0**power, held, step, 0.0)
        except RewardError:
            continue
        yield from (2.0**power, -(2.0**power))
        return
