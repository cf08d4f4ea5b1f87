"""Does a link carry the frames of a run? Asked before the run begins."""

from dataclasses import replace

from bitarm.core.confidence import Stride
from bitarm.core.limits import Limits
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.links.frame_sizes import FrameSizes, largest_frames
from bitarm.links.profiles import LINKS, Link
from bitarm.wire.frames.envelope import SHORT_BYTES
from bitarm.wire.frames.short import MAX_MESSAGE, MAX_SYMBOL_BITS, most_symbol_bits


def on_link(link: Link, setup: Setup) -> Setup:
    """A setup whose frames a link carries; ConfigError if it does not carry them."""
    setup = replace(setup, limits=limits_on(link, setup.spec, setup.limits))
    require_fit(link, setup.spec, setup.limits, setup.policy.stride)
    return setup


def limits_on(link: Link, spec: RunSpec, limits: Limits) -> Limits:
    """The limits of a run on a link.

    Where only short frames fit, which count messages up to 57, the rounds of a scheme that can do
    with them are limited, unless they are already.
    """
    is_short = most_symbol_bits(link.up.max_bytes) == MAX_SYMBOL_BITS
    if spec.quantizer.asks_again and is_short and limits.rounds is None:
        return replace(limits, rounds=MAX_MESSAGE)
    return limits


def require_fit(link: Link, spec: RunSpec, limits: Limits, stride: Stride) -> FrameSizes:
    """The largest frames of a run, if the link carries them.

    `stride` says how the run's policy moves from checkpoint to checkpoint. ConfigError if the link
    does not carry such frames, with what would fit and which links would do.
    """
    sizes = largest_frames(spec, limits, stride)
    if spec.quantizer.asks_again:
        sizes = _cut(link, sizes)
    if sizes.report > link.up.max_bytes:
        raise ConfigError(
            f"the link {link.name} carries {link.up.max_bytes} bytes up, a report of this run can "
            f"take {sizes.report}: {_shorter_reports(link, sizes)}"
        )
    if sizes.request > link.down.max_bytes:
        raise ConfigError(
            f"the link {link.name} carries {link.down.max_bytes} bytes down, a request of this run "
            f"can take {sizes.request}: {_others(sizes)}"
        )
    return sizes


def longest_answer(link: Link, setup: Setup) -> int | None:
    """Bits of the longest answer, where a run on the link may have longer ones to tell; else None.

    Only schemes that ask again have a use for it: others are refused on such a link.
    """
    bits = most_symbol_bits(link.up.max_bytes)
    if not setup.spec.quantizer.asks_again:
        return None
    sizes = largest_frames(setup.spec, setup.limits, setup.policy.stride)
    return bits if bits < sizes.symbol_bits else None


def _cut(link: Link, sizes: FrameSizes) -> FrameSizes:
    """Where an agent may say that its answer does not fit, none is longer than fits."""
    bits = most_symbol_bits(link.up.max_bytes)
    fits = link.up.max_bytes >= SHORT_BYTES and sizes.messages <= MAX_MESSAGE
    if bits < sizes.symbol_bits and fits:
        return replace(sizes, report=link.up.max_bytes, symbol_bits=bits)
    return sizes


def _shorter_reports(link: Link, sizes: FrameSizes) -> str:
    """What makes reports fit: the short frame is as small as they get."""
    ways = []
    if link.up.max_bytes >= SHORT_BYTES:
        if sizes.messages > MAX_MESSAGE:
            ways.append(f"at most {MAX_MESSAGE} rounds (limits.rounds, --max-rounds)")
        if sizes.symbol_bits > MAX_SYMBOL_BITS:
            ways.append(
                f"symbols of at most {MAX_SYMBOL_BITS} bits, here up to {sizes.symbol_bits} "
                "(--quantizer icq with bounds has as many as --bits says)"
            )
    shorter = f"frames of {SHORT_BYTES} bytes take {' and '.join(ways)}; " if ways else ""
    return shorter + _others(sizes)


def _others(sizes: FrameSizes) -> str:
    fitting = [
        link.name
        for link in LINKS.values()
        if sizes.report <= link.up.max_bytes and sizes.request <= link.down.max_bytes
    ]
    return f"links that carry this run: {', '.join(fitting)}"
