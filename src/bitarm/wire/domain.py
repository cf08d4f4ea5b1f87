"""Which messages a frame can carry, and which values it cannot mean.

The same bounds seen from both sides: a message outside them is this program's fault
(`LocalProtocolError`), a whole frame that spells one is corrupt.
"""

import math
import struct

from bitarm.core.messages import Cause, Dismiss, Hint, HintKind, Message, Report, Request
from bitarm.errors import CorruptFrameError, LocalProtocolError
from bitarm.wire import varint

RUN_BITS = 32

CAUSE_CODES = {Cause.DROPPED: 1, Cause.ENDED: 2}
_CAUSES = {code: cause for cause, code in CAUSE_CODES.items()}

VALUE_BITS = 64
_HINT_CODES = {HintKind.CENTRE: 1, HintKind.CUT: 2}
_HINTS = {code: kind for kind, code in _HINT_CODES.items()}
_NO_HINT = (0, 0)
HINT_MEANINGS = {
    1: "centre: say how far the mean is from this value",
    2: "cut: say whether the mean is above this value, and only then where",
}
_MINUS_ZERO = 1 << VALUE_BITS - 1  # equals 0, whose bits are the spelling of both


def require_spellable(message: Message) -> None:
    """Check that every number of the message lies where a frame can hold it."""
    _require("run", message.run, 0, 1 << RUN_BITS)
    _require("arm", message.arm, 0, varint.LIMIT)
    match message:
        case Report(message=number):
            _require("message", number, 1, varint.LIMIT)
        case Request(message=number, until=until):
            _require("message", number, 1, varint.LIMIT)
            _require("until", until, 0, varint.LIMIT)
            if message.hint is not None and not math.isfinite(message.hint.value):
                raise LocalProtocolError(f"a hint must be finite, got {message.hint.value}")
        case Dismiss():
            pass


def message_number(spelt: int) -> int:
    """The number of a message as a frame spells it: messages count from 1."""
    if spelt < 1:
        raise CorruptFrameError("message must be at least 1, got 0")
    return spelt


def cause(code: int) -> Cause:
    """The cause that a code stands for."""
    if code not in _CAUSES:
        raise CorruptFrameError(f"cause must be 1 (dropped) or 2 (ended), got {code}")
    return _CAUSES[code]


def hint_numbers(hint: Hint | None) -> tuple[int, int]:
    """A hint as two numbers: what it is, and the bits of its IEEE 754 value; 0 and 0 for none."""
    if hint is None:
        return _NO_HINT
    return _HINT_CODES[hint.kind], int.from_bytes(struct.pack(">d", hint.value + 0.0))


def hint(code: int, bits: int) -> Hint | None:
    """The hint that two numbers stand for."""
    if (code, bits) == _NO_HINT:
        return None
    if code not in _HINTS:
        raise CorruptFrameError(f"hint must be 1 (centre) or 2 (cut), got {code}")
    if bits == _MINUS_ZERO:
        raise CorruptFrameError("a hint of zero must be spelt without a sign")
    (value,) = struct.unpack(">d", bits.to_bytes(VALUE_BITS // 8))
    if not math.isfinite(value):
        raise CorruptFrameError(f"a hint must be finite, got {value}")
    return Hint(kind=_HINTS[code], value=value)


def _require(name: str, number: int, low: int, limit: int) -> None:
    if not low <= number < limit:
        bits = limit.bit_length() - 1
        raise LocalProtocolError(f"{name} must lie in [{low}, 2^{bits}), got {number}")
