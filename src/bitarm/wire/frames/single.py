"""Bodies of long frames with one message.

    report    run, arm, message, length, symbol bits padded with zeros to a whole byte
    request   run, arm, message, the question's byte, until, the question's numbers
    position  run, arm, message, pulls
    dismiss   run, arm, cause

The run has four bytes; how the numbers are spelt is told in `bitarm.wire.frames.columns`.
"""

from bitarm.core.bits import Symbol
from bitarm.core.messages import Dismiss, Message, Position, Report, Request
from bitarm.errors import CorruptFrameError
from bitarm.wire.frames import columns, questions, short, symbols, varint
from bitarm.wire.frames.cursor import Cursor
from bitarm.wire.frames.domain import (
    CAUSE_CODES,
    RUN_BITS,
    cause,
    message_number,
    pulls_made,
    take_run,
)
from bitarm.wire.frames.envelope import FrameKind


def write(message: Message) -> tuple[FrameKind, bytes]:
    """The kind and the body of the long frame of a message."""
    body = bytearray(message.run.to_bytes(RUN_BITS // 8))
    varint.write(body, message.arm)
    match message:
        case Report():
            varint.write(body, message.message)
            varint.write(body, message.symbol.nbits)
            return FrameKind.REPORT, bytes(body + symbols.join([message.symbol]))
        case Request():
            varint.write(body, message.message)
            tag = questions.tag_of(message.question)
            body.append(tag)
            numbers = questions.numbers_of(message.question)
            for column, number in zip(questions.columns_of(tag), numbers, strict=True):
                columns.write(body, column, number)
            return FrameKind.REQUEST, bytes(body)
        case Position():
            varint.write(body, message.message)
            varint.write(body, message.pulls)
            return FrameKind.POSITION, bytes(body)
        case Dismiss():
            varint.write(body, CAUSE_CODES[message.cause])
            return FrameKind.DISMISS, bytes(body)


def read(kind: FrameKind, cursor: Cursor) -> Message:
    """The message of a frame of one of the single kinds."""
    run = take_run(cursor)
    arm = cursor.take_number()
    cursor.note("arm", arm, "arm {}")
    message: Message
    if kind is FrameKind.REPORT:
        message = _read_report(cursor, run, arm)
    elif kind is FrameKind.REQUEST:
        message = _read_request(cursor, run, arm)
    elif kind is FrameKind.POSITION:
        number = _read_message_number(cursor)
        pulls = pulls_made(cursor.take_number())
        cursor.note("pulls", pulls, "{} pulls were made, more than were asked for")
        message = Position(run=run, arm=arm, message=number, pulls=pulls)
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
    cursor.note("symbol", symbol.value, "the answer's bits {1}", symbol)
    cursor.take_padding()
    report = Report(run=run, arm=arm, message=number, symbol=symbol)
    if short.fits(report):
        raise CorruptFrameError(f"report {number} of arm {arm} must come in a short frame")
    return report


def _read_request(cursor: Cursor, run: int, arm: int) -> Request:
    number = _read_message_number(cursor)
    tag = questions.read_tag(cursor)
    heads = questions.columns_of(tag)
    numbers = [columns.read(cursor, column, column.alone) for column in heads]
    question = questions.question_of(tag, numbers)
    return Request(run=run, arm=arm, message=number, question=question)
