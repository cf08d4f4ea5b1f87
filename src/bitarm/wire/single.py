"""Bodies of long frames with one message.

    report   run, arm, message, length, symbol bits padded with zeros to a whole byte
    request  run, arm, message, until
    hinted   run, arm, message, until, hint's kind, value
    dismiss  run, arm, cause

The run has four bytes, a hint's value eight (IEEE 754); the rest are numbers of variable length
(`bitarm.wire.varint`).
"""

from bitarm.core.bits import Symbol
from bitarm.core.messages import Dismiss, Hint, Message, Report, Request
from bitarm.errors import CorruptFrameError
from bitarm.wire import short, symbols, varint
from bitarm.wire.cursor import Cursor
from bitarm.wire.domain import (
    CAUSE_CODES,
    HINT_MEANINGS,
    RUN_BITS,
    VALUE_BITS,
    cause,
    hint,
    hint_numbers,
    message_number,
)
from bitarm.wire.envelope import Kind


def write(message: Message) -> tuple[Kind, bytes]:
    """Kind and body of a message."""
    body = bytearray(message.run.to_bytes(RUN_BITS // 8))
    varint.write(body, message.arm)
    match message:
        case Report():
            varint.write(body, message.message)
            varint.write(body, message.symbol.nbits)
            return Kind.REPORT, bytes(body + symbols.join([message.symbol]))
        case Request():
            varint.write(body, message.message)
            varint.write(body, message.until)
            if message.hint is None:
                return Kind.REQUEST, bytes(body)
            code, value = hint_numbers(message.hint)
            varint.write(body, code)
            return Kind.HINTED_REQUEST, bytes(body + value.to_bytes(VALUE_BITS // 8))
        case Dismiss():
            varint.write(body, CAUSE_CODES[message.cause])
            return Kind.DISMISS, bytes(body)


def read(kind: Kind, cursor: Cursor) -> Message:
    """The message of a frame of one of the single kinds."""
    run = cursor.take(RUN_BITS)
    cursor.note("run", run, "run {:08x}")
    arm = cursor.take_number()
    cursor.note("arm", arm, "arm {}")
    message: Message
    if kind is Kind.REPORT:
        message = _read_report(cursor, run, arm)
    elif kind in (Kind.REQUEST, Kind.HINTED_REQUEST):
        message = _read_request(cursor, run, arm, hinted=kind is Kind.HINTED_REQUEST)
    else:
        code = cursor.take_number()
        message = Dismiss(run=run, arm=arm, cause=cause(code))
        cursor.note("cause", code, "{1}", message.cause.value)
    cursor.finish()
    return message


def _read_message_number(cursor: Cursor) -> int:
    number = message_number(cursor.take_number())
    cursor.note("message", number, "message {}")
    return number


def _read_report(cursor: Cursor, run: int, arm: int) -> Report:
    number = _read_message_number(cursor)
    nbits = cursor.take_number()
    cursor.note("length", nbits, "the symbol has {} bits")
    symbol = Symbol(cursor.take(nbits), nbits)
    cursor.note("symbol", symbol.value, "the quantizer's bits {1}", symbol)
    cursor.take_padding()
    report = Report(run=run, arm=arm, message=number, symbol=symbol)
    if short.fits(report):
        raise CorruptFrameError(f"report {number} of arm {arm} must come in a short frame")
    return report


def _read_request(cursor: Cursor, run: int, arm: int, *, hinted: bool) -> Request:
    number = _read_message_number(cursor)
    until = cursor.take_number()
    cursor.note("until", until, "pull until {} pulls in all")
    told = _read_hint(cursor) if hinted else None
    return Request(run=run, arm=arm, message=number, until=until, hint=told)


def _read_hint(cursor: Cursor) -> Hint:
    code = cursor.take_number()
    cursor.note("hint", code, "{1}", HINT_MEANINGS.get(code))
    bits = cursor.take(VALUE_BITS)
    told = hint(code, bits)
    if told is None:
        raise CorruptFrameError("a request without a hint must come in a plain frame")
    cursor.note("value", bits, "{1}", told.value)
    return told
