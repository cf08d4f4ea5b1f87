"""Which messages a frame can carry, and which values it cannot mean.

The same bounds seen from both sides: a message outside them is this program's fault
(`LocalProtocolError`), a whole frame that spells one is corrupt.
"""

from bitarm.core.epochs import split_field
from bitarm.core.messages import Cause, Dismiss, Message, Position, Report, Request
from bitarm.errors import CorruptFrameError, LocalProtocolError
from bitarm.wire.frames import varint
from bitarm.wire.frames.cursor import Cursor
from bitarm.wire.frames.questions import require_spellable_question

RUN_BITS = 32

CAUSE_CODES = {Cause.DROPPED: 1, Cause.ENDED: 2}
_CAUSES = {code: cause for cause, code in CAUSE_CODES.items()}


def require_spellable(message: Message) -> None:
    """Check that every number of the message lies where a frame can hold it."""
    _require("run", message.run, 0, 1 << RUN_BITS)
    _require("arm", message.arm, 0, varint.LIMIT)
    match message:
        case Report():
            _require("message", message.message, 1, varint.LIMIT)
        case Request():
            _require("message", message.message, 1, varint.LIMIT)
            require_spellable_question(message.question)
        case Position():
            _require("message", message.message, 1, varint.LIMIT)
            _require("pulls", message.pulls, 1, varint.LIMIT)
        case Dismiss():
            pass


def take_run(cursor: Cursor) -> int:
    """The run field, and what its two parts say."""
    field = cursor.take(RUN_BITS)
    run, epoch = split_field(field)
    cursor.note("run", field, "run {1:06x}, epoch {2}", run, epoch)
    return field


def message_number(spelt: int) -> int:
    """The number of a message as a frame spells it: messages count from 1."""
    return _from_one("message", spelt)


def pulls_made(spelt: int) -> int:
    """The pulls of an agent that is ahead: it has made some."""
    return _from_one("pulls", spelt)


def cause(code: int) -> Cause:
    """The cause that a code stands for."""
    if code not in _CAUSES:
        raise CorruptFrameError(f"cause must be 1 (dropped) or 2 (ended), got {code}")
    return _CAUSES[code]


def _from_one(name: str, spelt: int) -> int:
    if spelt < 1:
        raise CorruptFrameError(f"{name} must be at least 1, got {spelt}")
    return spelt


def _require(name: str, number: int, low: int, limit: int) -> None:
    if not low <= number < limit:
        bits = limit.bit_length() - 1
        raise LocalProtocolError(f"{name} must lie in [{low}, 2^{bits}), got {number}")
