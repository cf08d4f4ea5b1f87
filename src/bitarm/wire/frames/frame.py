"""Messages to frames and back.

Every frame has one spelling: for each frame that `decode` accepts, `pack` of what it returns is
that frame again. Knows nothing of runs, quantizers or channels.
"""

from collections.abc import Sequence
from itertools import pairwise

from bitarm.core.messages import Message, Report, Request
from bitarm.errors import LocalProtocolError
from bitarm.wire.frames import packed, short, single
from bitarm.wire.frames.cursor import Cursor, Field
from bitarm.wire.frames.domain import require_spellable
from bitarm.wire.frames.envelope import (
    MAX_BYTES,
    FrameKind,
    Layout,
    layout_of,
    long_bytes,
    long_frame,
    read_head,
)
from bitarm.wire.frames.questions import tag_of

_SINGLE_KINDS = (FrameKind.REPORT, FrameKind.REQUEST, FrameKind.DISMISS, FrameKind.POSITION)


def encode(message: Message) -> bytes:
    """The frame of one message: 11 bytes for a report that fits the short form."""
    require_spellable(message)
    if isinstance(message, Report) and short.fits(message):
        return short.write(message)
    return long_frame(*single.write(message))


def pack(messages: Sequence[Message]) -> bytes:
    """One frame for messages of one type and run to or from different arms, in any order.

    Requests must ask in one form. `decode` returns the messages in the order of their arms. One
    message alone gets the frame that `encode` gives it.
    """
    batch, *others = _batches(messages)
    if others:
        raise LocalProtocolError("requests of a frame must ask in one form: see pack_all")
    return encode(batch[0]) if len(batch) < packed.MIN_COUNT else long_frame(*packed.write(batch))


def pack_all(messages: Sequence[Message], *, limit: int = MAX_BYTES) -> list[bytes]:
    """The messages in as few frames as halving finds, each of at most `limit` bytes.

    The messages are of one type and run, to or from different arms. Requests that ask in different
    forms go into different frames; within those, arms are in order. A message that exceeds the
    limit alone is refused.
    """
    if limit > MAX_BYTES:
        raise LocalProtocolError(f"limit must be at most {MAX_BYTES} bytes, got {limit}")
    if len(messages) == 1:  # most agents serve one arm: nothing to sort, nothing to share
        return _split(list(messages), limit)
    return [frame for batch in _batches(messages) for frame in _split(batch, limit)]


def decode(frame: bytes) -> tuple[Message, ...]:
    """The messages of a frame: one, or several in the order of their arms.

    Raises `FrameError` and nothing else, in time linear in the length of the frame.
    """
    layout = layout_of(frame)
    whole = short.read_whole(frame) if layout is Layout.SHORT else None
    return (whole,) if whole is not None else _read(layout, Cursor(frame))


def describe(frame: bytes) -> tuple[Field, ...]:
    """What each bit of a frame means: fields that cover it without gap or overlap, in order.

    Raises what `decode` raises.
    """
    fields: list[Field] = []
    _read(layout_of(frame), Cursor(frame, fields))
    return tuple(fields)


def _read(layout: Layout, cursor: Cursor) -> tuple[Message, ...]:
    if layout is Layout.SHORT:
        return (short.read(cursor),)
    kind = read_head(cursor)
    if kind in _SINGLE_KINDS:
        return (single.read(kind, cursor),)
    return packed.read(kind, cursor)


def _batches(messages: Sequence[Message]) -> list[list[Message]]:
    """Messages that may share a frame, each batch in the order of its arms."""
    batches: dict[int, list[Message]] = {}
    for message in _sorted(messages):
        tag = tag_of(message.question) if isinstance(message, Request) else 0
        batches.setdefault(tag, []).append(message)
    return [batches[tag] for tag in sorted(batches)]


def _sorted(messages: Sequence[Message]) -> list[Message]:
    if not messages:
        raise LocalProtocolError("a frame has at least one message, got none")
    kind, run = type(messages[0]), messages[0].run
    for message in messages:
        require_spellable(message)
        if type(message) is not kind:
            raise LocalProtocolError(
                f"messages of a frame must be of one type, got {kind.__name__} "
                f"and {type(message).__name__}"
            )
        if message.run != run:
            raise LocalProtocolError(
                f"messages of a frame must be of one run, got {run:08x} and {message.run:08x}"
            )
    batch = sorted(messages, key=lambda message: message.arm)
    for one, other in pairwise(batch):
        if one.arm == other.arm:
            raise LocalProtocolError(f"arms of a frame must differ, got {one.arm} twice")
    return batch


def _split(batch: list[Message], limit: int) -> list[bytes]:
    if len(batch) < packed.MIN_COUNT:
        frame = encode(batch[0])
        if len(frame) > limit:
            raise LocalProtocolError(
                f"a frame must have at most {limit} bytes, one message has {len(frame)}"
            )
        return [frame]
    kind, body = packed.write(batch)
    if long_bytes(body) <= limit:
        return [long_frame(kind, body)]
    half = len(batch) // 2
    return _split(batch[:half], limit) + _split(batch[half:], limit)
