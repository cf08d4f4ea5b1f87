"""Bodies of long frames with many messages of one type and run: a table, written by columns.

    run, count, the questions' byte if there are questions, shape, arms, columns, symbols

Arms rise strictly: the first as it is, each other as the number of arms skipped. A column is one
number for all when all are equal, and one each otherwise; the shape says which, a bit a column.
Symbols lie back to back, padded once.

Each arm takes at least a byte. That is what bounds the count: were the arms folded into a range,
a frame of 20 bytes could stand for 2^64 requests, and reading it would exhaust the reader.
"""

from collections.abc import Sequence

from bitarm.core.bits import Symbol
from bitarm.core.messages import Dismiss, Message, Position, Report, Request
from bitarm.errors import CorruptFrameError
from bitarm.wire.frames import columns, questions, symbols, varint
from bitarm.wire.frames.columns import Column
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

MIN_COUNT = 2  # one message has a frame of its own, and no message has two spellings

_MESSAGE = Column("message", "message {}")
_COLUMNS = {
    FrameKind.REPORTS: (_MESSAGE, Column("length", "the symbol has {} bits")),
    FrameKind.POSITIONS: (_MESSAGE, Column("pulls", "{} pulls were made")),
    FrameKind.DISMISSALS: (Column("cause", "{}: 1 is dropped, 2 is ended"),),
}

_Rows = Sequence[Sequence[float]]
"""A row of numbers for each message."""


def write(messages: Sequence[Message]) -> tuple[FrameKind, bytes]:
    """The kind and the body of two messages or more, of one type and run, in the order of arms.

    Requests must ask in one form.
    """
    kind, heads, rows, bits = _tabulate(messages)
    body = bytearray(messages[0].run.to_bytes(RUN_BITS // 8))
    varint.write(body, len(messages))
    if kind is FrameKind.REQUESTS:
        first = messages[0]
        assert isinstance(first, Request)  # by its kind
        body.append(questions.tag_of(first.question))
    table = list(zip(*rows, strict=True))
    shared = [len(set(numbers)) == 1 for numbers in table]
    shape = sum(1 << place for place, one in enumerate(reversed(shared)) if one)
    body += shape.to_bytes(_shape_bytes(heads))
    previous = -1
    for message in messages:
        varint.write(body, message.arm - previous - 1)
        previous = message.arm
    for column, numbers, one in zip(heads, table, shared, strict=True):
        for number in numbers[:1] if one else numbers:
            columns.write(body, column, number)
    return kind, bytes(body + bits)


def read(kind: FrameKind, cursor: Cursor) -> tuple[Message, ...]:
    """The messages of a frame of one of the packed kinds, in the order of their arms."""
    run = take_run(cursor)
    count = _read_count(cursor)
    tag = questions.read_tag(cursor) if kind is FrameKind.REQUESTS else 0
    heads = (_MESSAGE, *questions.columns_of(tag)) if tag else _COLUMNS[kind]
    shared = _read_shape(cursor, heads)
    arms = _read_arms(cursor, count)
    table = [
        _read_shared(cursor, column, count) if one else _read_column(cursor, column, arms)
        for column, one in zip(heads, shared, strict=True)
    ]
    messages: tuple[Message, ...]
    if kind is FrameKind.REPORTS:
        numbers, lengths = table
        told = _read_symbols(cursor, arms, lengths)
        messages = tuple(
            Report(run=run, arm=arm, message=message_number(int(number)), symbol=symbol)
            for arm, number, symbol in zip(arms, numbers, told, strict=True)
        )
    elif kind is FrameKind.REQUESTS:
        messages = tuple(
            Request(
                run=run,
                arm=arm,
                message=message_number(int(number)),
                question=questions.question_of(tag, rest),
            )
            for arm, number, *rest in zip(arms, *table, strict=True)
        )
    elif kind is FrameKind.POSITIONS:
        messages = tuple(
            Position(
                run=run, arm=arm, message=message_number(int(number)), pulls=pulls_made(int(pulls))
            )
            for arm, number, pulls in zip(arms, *table, strict=True)
        )
    else:
        messages = tuple(
            Dismiss(run=run, arm=arm, cause=cause(int(code)))
            for arm, code in zip(arms, *table, strict=True)
        )
    cursor.finish()
    return messages


def _tabulate(messages: Sequence[Message]) -> tuple[FrameKind, tuple[Column, ...], _Rows, bytes]:
    """The kind of the frame, its columns in order, a row for each message, and its symbols."""
    reports = [message for message in messages if isinstance(message, Report)]
    if reports:
        rows: _Rows = [(report.message, report.symbol.nbits) for report in reports]
        return (
            FrameKind.REPORTS,
            _COLUMNS[FrameKind.REPORTS],
            rows,
            symbols.join(r.symbol for r in reports),
        )
    requests = [message for message in messages if isinstance(message, Request)]
    if requests:
        rows = [(asked.message, *questions.numbers_of(asked.question)) for asked in requests]
        heads = (_MESSAGE, *questions.columns_of(questions.tag_of(requests[0].question)))
        return FrameKind.REQUESTS, heads, rows, b""
    positions = [message for message in messages if isinstance(message, Position)]
    if positions:
        rows = [(position.message, position.pulls) for position in positions]
        return FrameKind.POSITIONS, _COLUMNS[FrameKind.POSITIONS], rows, b""
    dismissals = [message for message in messages if isinstance(message, Dismiss)]
    rows = [(CAUSE_CODES[dismissal.cause],) for dismissal in dismissals]
    return FrameKind.DISMISSALS, _COLUMNS[FrameKind.DISMISSALS], rows, b""


def _read_count(cursor: Cursor) -> int:
    count = cursor.take_number()
    cursor.note("count", count, "{} messages")
    if count < MIN_COUNT:
        raise CorruptFrameError(f"a packed frame has at least {MIN_COUNT} messages, got {count}")
    if count > cursor.bytes_left:  # before a list of that length is made
        raise CorruptFrameError(f"{count} arms need as many bytes, {cursor.bytes_left} are left")
    return count


def _shape_bytes(heads: Sequence[Column]) -> int:
    """A bit a column, in whole bytes."""
    return -(-len(heads) // 8)


def _read_shape(cursor: Cursor, heads: Sequence[Column]) -> list[bool]:
    cursor.take_zeros(8 * _shape_bytes(heads) - len(heads), "spare")
    shared = []
    for column in heads:
        flag = cursor.take(1)
        cursor.note("shape", flag, "{1}: 1 means one for all, 0 one each", column.name)
        shared.append(flag == 1)
    return shared


def _read_arms(cursor: Cursor, count: int) -> list[int]:
    arm = cursor.take_number()
    cursor.note("arm", arm, "arm {}")
    arms = [arm]
    for _ in range(count - 1):
        skipped = cursor.take_number()
        arm += 1 + skipped
        cursor.note("arm step", skipped, "arm {1}: arms skipped before it", arm)
        arms.append(arm)
    if arm >= varint.LIMIT:
        raise CorruptFrameError(f"arms must be below 2^64, got {arm}")
    return arms


def _read_shared(cursor: Cursor, column: Column, count: int) -> list[float]:
    return [columns.read(cursor, column, column.of_all)] * count


def _read_column(cursor: Cursor, column: Column, arms: list[int]) -> list[float]:
    numbers = [columns.read(cursor, column, column.of_arm, arm) for arm in arms]
    if len(set(numbers)) == 1:
        raise CorruptFrameError(
            f"equal numbers must be spelt once, {column.name} has {len(arms)} times"
        )
    return numbers


def _read_symbols(cursor: Cursor, arms: list[int], lengths: list[float]) -> list[Symbol]:
    told = []
    for arm, length in zip(arms, lengths, strict=True):
        nbits = int(length)
        symbol = Symbol(cursor.take(nbits), nbits)
        cursor.note("symbol", symbol.value, "arm {2}: the answer's bits {1}", symbol, arm)
        told.append(symbol)
    cursor.take_padding()
    return told
