"""The short frame: one report in 11 bytes, for the slowest links there are.

    version 1 | message code | symbol, 1, zeros | run | arm | CRC
            1 |            6 |               17 |  32 |  16 |  16     bits, 88 in all

The marker 1 after the symbol's last bit tells where it ends, so no length is spelt.
"""

from bitarm.core.bits import Symbol
from bitarm.core.messages import Report
from bitarm.errors import CorruptFrameError
from bitarm.wire.frames.cursor import Cursor
from bitarm.wire.frames.domain import RUN_BITS, take_run
from bitarm.wire.frames.envelope import seal

MAX_SYMBOL_BITS = 16
_CODE_BITS = 6
_ARM_BITS = 16
_CONTENT_BYTES = 9

# Zero heads a long frame. A code with a single bit set would be one flip away from it, and a
# frame with one flipped bit could then claim a length of its own: see bitarm.wire.frames.envelope.
MESSAGE_CODES = tuple(code for code in range(1 << _CODE_BITS) if code.bit_count() >= 2)
_MESSAGES = {code: message for message, code in enumerate(MESSAGE_CODES, start=1)}
MAX_MESSAGE = len(MESSAGE_CODES)

_LONG_REPORT_BYTES = 17  # of a long frame around a symbol: head, run, arm, message, length, CRC


def most_symbol_bits(frame_bytes: int) -> int:
    """Bits of a symbol whose report fits into frames of so many bytes, for arms below 2^21."""
    return max(MAX_SYMBOL_BITS, 8 * (frame_bytes - _LONG_REPORT_BYTES))


def fits(report: Report) -> bool:
    """Whether the report has a short frame; then it has no other single frame."""
    return (
        report.symbol.nbits <= MAX_SYMBOL_BITS
        and report.arm < 1 << _ARM_BITS
        and 1 <= report.message <= MAX_MESSAGE
    )


def write(report: Report) -> bytes:
    """The short frame of a report that fits."""
    free = MAX_SYMBOL_BITS - report.symbol.nbits
    content = 1 << _CODE_BITS | MESSAGE_CODES[report.message - 1]
    content = content << MAX_SYMBOL_BITS + 1 | (report.symbol.value << 1 | 1) << free
    content = content << RUN_BITS | report.run
    content = content << _ARM_BITS | report.arm
    return seal(content.to_bytes(_CONTENT_BYTES))


def read_whole(frame: bytes) -> Report | None:
    """The report of a sound short frame at once; None if `read` must say what is wrong.

    A learner reads a thousand of these a round: field by field takes three times as long.
    """
    content = int.from_bytes(frame[:_CONTENT_BYTES])
    code = content >> MAX_SYMBOL_BITS + 1 + RUN_BITS + _ARM_BITS & (1 << _CODE_BITS) - 1
    message = _MESSAGES.get(code)
    marked = content >> RUN_BITS + _ARM_BITS & (1 << MAX_SYMBOL_BITS + 1) - 1
    if message is None or not marked:
        return None
    free = (marked & -marked).bit_length() - 1  # zeros after the marker
    return Report(
        run=content >> _ARM_BITS & (1 << RUN_BITS) - 1,
        arm=content & (1 << _ARM_BITS) - 1,
        message=message,
        symbol=Symbol(marked >> free + 1, MAX_SYMBOL_BITS - free),
    )


def read(cursor: Cursor) -> Report:
    """The report of a short frame whose length and CRC were found right."""
    cursor.note("version", cursor.take(1), "1: version 2 of the format")
    code = cursor.take(_CODE_BITS)
    if code not in _MESSAGES:
        raise CorruptFrameError(f"message code must have two bits set or more, got {code:06b}")
    message = _MESSAGES[code]
    cursor.note("message code", code, "message {1}", message)
    symbol = _read_symbol(cursor)
    run = take_run(cursor)
    arm = cursor.take(_ARM_BITS)
    cursor.note("arm", arm, "arm {}")
    cursor.finish()
    return Report(run=run, arm=arm, message=message, symbol=symbol)


def _read_symbol(cursor: Cursor) -> Symbol:
    marked = cursor.peek(MAX_SYMBOL_BITS + 1)
    if not marked:
        raise CorruptFrameError("symbol must be followed by a marker bit 1, got zeros only")
    free = (marked & -marked).bit_length() - 1  # zeros after the marker
    nbits = MAX_SYMBOL_BITS - free
    symbol = Symbol(cursor.take(nbits), nbits)
    cursor.note("symbol", symbol.value, "the answer's bits {1}", symbol)
    cursor.note("marker", cursor.take(1), "the symbol ends before this bit")
    cursor.take_zeros(free, "filler")
    return symbol
