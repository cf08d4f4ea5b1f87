"""Events one by one: in words, and the frames of the messages behind them, bit by bit.

The journal keeps messages, not bytes. Every message has one spelling, so the frame made here is the
one that was sent, unless a gateway packed several messages into one.
"""

from dataclasses import dataclass
from typing import Any, Literal, final

from bitarm import wire
from bitarm.core.journal import Entry
from bitarm.core.messages import Dismiss, Message, Position, Report, Request
from bitarm.core.plain import to_plain
from bitarm.core.sentences import sentence_of
from bitarm.core.spec import RunSpec
from bitarm.dashboard.history import History

MessageKind = Literal["report", "position", "request", "dismiss"]
_KINDS: dict[type, MessageKind] = {
    Report: "report",
    Position: "position",
    Request: "request",
    Dismiss: "dismiss",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    """One event as it was kept, and in words."""

    sequence: int
    at: float
    name: str
    text: str
    messages: int  # messages that stand behind it, see its frames
    event: dict[str, Any]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class EventList:
    """Events in the order in which they were kept."""

    events: list[EventView]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView:
    """A stretch of a frame's bits and what it says."""

    name: str
    first_bit: int
    nbits: int
    bits: str
    meaning: str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FrameView:
    """One message as it goes over the wire, bit by bit."""

    message: MessageKind
    arm: int
    arm_name: str
    wire_bytes: int
    payload_bits: int
    hex: str
    fields: list[FieldView]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FrameList:
    """The frames behind an event; `total` counts those that were left out too."""

    sequence: int
    total: int
    frames: list[FrameView]


def frames_of(history: History, entry: Entry, *, arm: int | None, limit: int) -> FrameList:
    """The frames of an event's messages, or of the one to or from `arm`."""
    messages = history.messages(entry)
    wanted = [message for message in messages if arm is None or message.arm == arm]
    return FrameList(
        sequence=entry.sequence,
        total=len(wanted),
        frames=[_frame(message, history.spec) for message in wanted[:limit]],
    )


def event_view(history: History, entry: Entry) -> EventView:
    """An event in words, as it was kept, and how many messages stand behind it."""
    return EventView(
        sequence=entry.sequence,
        at=entry.at,
        name=entry.event.name,
        text=sentence_of(entry.event, history.standings.opened.setup),
        messages=len(history.messages(entry)),
        event=to_plain(entry.event),
    )


def _frame(message: Message, spec: RunSpec) -> FrameView:
    frame = wire.encode(message)
    bits = format(int.from_bytes(frame), f"0{8 * len(frame)}b")
    return FrameView(
        message=_KINDS[type(message)],
        arm=message.arm,
        arm_name=spec.arms[message.arm],
        wire_bytes=len(frame),
        payload_bits=message.symbol.nbits if isinstance(message, Report) else 0,
        hex=frame.hex(" "),
        fields=[
            FieldView(
                name=field.name,
                first_bit=field.first_bit,
                nbits=field.nbits,
                bits=bits[field.first_bit : field.first_bit + field.nbits],
                meaning=field.meaning,
            )
            for field in wire.describe(frame)
        ],
    )
