"""Bodies of long frames with many messages of one type and run: a table, written by columns.

    run, count, shape, arms, column, column, symbols

Arms rise strictly: the first as it is, each other as the number of arms skipped. A column is one
number for all when all are equal, and one each otherwise; the shape byte says which. Symbols lie
back to back, padded once.

Each arm takes at least a byte. That is what bounds the count: were the arms folded into a range,
a frame of 20 bytes could stand for 2^64 requests, and reading it would exhaust the reader.
"""

from collections.abc import Iterable, Sequence

from bitarm.core.bits import Symbol
from bitarm.core.messages import Dismiss, Message, Report, Request
from bitarm.errors import CorruptFrameError
from bitarm.wire import symbols, varint
from bitarm.wire.cursor import Cursor
from bitarm.wire.domain import (
    CAUSE_CODES,
    RUN_BITS,
    cause,
    hint,
    hint_numbers,
    message_number,
)
from bitarm.wire.envelope import Kind

MIN_COUNT = 2  # one message has a frame of its own, and no message has two spellings

# Name and meaning of each column: {0} is the number, {1} {2} is "arm 7" or "every arm".
_MESSAGE = ("message", "{1} {2}: message {0}")
_UNTIL = ("until", "{1} {2}: pull until {0} pulls in all")
_COLUMNS = {
    Kind.REPORTS: (_MESSAGE, ("length", "{1} {2}: the symbol has {0} bits")),
    Kind.REQUESTS: (_MESSAGE, _UNTIL),
    Kind.HINTED_REQUESTS: (
        _MESSAGE,
        _UNTIL,
        ("hint", "{1} {2}: 1 is the centre, 2 the cut, 0 none"),
        ("value", "{1} {2}: the hint's IEEE 754 bits"),
    ),
    Kind.DISMISSALS: (("cause", "{1} {2}: 1 is dropped, 2 is ended"),),
}


def write(messages: Sequence[Message]) -> tuple[Kind, bytes]:
    """Kind and body of at least two messages of one type and run, in the order of their arms."""
    kind, columns, bits = _tabulate(messages)
    shared = [len(set(column)) == 1 for column in columns]
    body = bytearray(messages[0].run.to_bytes(RUN_BITS // 8))
    varint.write(body, len(messages))
    body.append(sum(1 << place for place, one in enumerate(reversed(shared)) if one))
    previous = -1
    for message in messages:
        varint.write(body, message.arm - previous - 1)
        previous = message.arm
    for column, one in zip(columns, shared, strict=True):
        for number in column[:1] if one else column:
            varint.write(body, number)
    return kind, bytes(body + bits)


def read(kind: Kind, cursor: Cursor) -> tuple[Message, ...]:
    """The messages of a frame of one of the packed kinds, in the order of their arms."""
    run = cursor.take(RUN_BITS)
    cursor.note("run", run, "run {:08x}")
    count = _read_count(cursor)
    shared = _read_shape(cursor, kind)
    arms = _read_arms(cursor, count)
    columns = [
        _read_shared(cursor, name, meaning, count)
        if one
        else _read_column(cursor, name, meaning, arms)
        for (name, meaning), one in zip(_COLUMNS[kind], shared, strict=True)
    ]
    messages: tuple[Message, ...]
    if kind is Kind.REPORTS:
        symbols_read = _read_symbols(cursor, arms, columns[1])
        messages = tuple(
            Report(run=run, arm=arm, message=message_number(number), symbol=symbol)
            for arm, number, symbol in zip(arms, columns[0], symbols_read, strict=True)
        )
    elif kind is Kind.REQUESTS:
        messages = tuple(
            Request(run=run, arm=arm, message=message_number(number), until=until)
            for arm, number, until in zip(arms, *columns, strict=True)
        )
    elif kind is Kind.HINTED_REQUESTS:
        messages = tuple(
            Request(run=run, arm=arm, message=message_number(number), until=until, hint=hint(*told))
            for arm, number, until, *told in zip(arms, *columns, strict=True)
        )
        if not any(columns[2]):
            raise CorruptFrameError("requests without a hint must come in a plain frame")
    else:
        messages = tuple(
            Dismiss(run=run, arm=arm, cause=cause(code))
            for arm, code in zip(arms, *columns, strict=True)
        )
    cursor.finish()
    return messages


def _tabulate(messages: Iterable[Message]) -> tuple[Kind, list[list[int]], bytes]:
    """The kind of the frame, its columns in order, and its symbols."""
    reports = [message for message in messages if isinstance(message, Report)]
    if reports:
        numbers = [report.message for report in reports]
        lengths = [report.symbol.nbits for report in reports]
        return Kind.REPORTS, [numbers, lengths], symbols.join(r.symbol for r in reports)
    requests = [message for message in messages if isinstance(message, Request)]
    if requests:
        columns = [[it.message for it in requests], [it.until for it in requests]]
        if not any(it.hint for it in requests):
            return Kind.REQUESTS, columns, b""
        told = [hint_numbers(it.hint) for it in requests]
        columns += [[code for code, _ in told], [value for _, value in told]]
        return Kind.HINTED_REQUESTS, columns, b""
    dismissals = [message for message in messages if isinstance(message, Dismiss)]
    return Kind.DISMISSALS, [[CAUSE_CODES[dismiss.cause] for dismiss in dismissals]], b""


def _read_count(cursor: Cursor) -> int:
    count = cursor.take_number()
    cursor.note("count", count, "{} messages")
    if count < MIN_COUNT:
        raise CorruptFrameError(f"a packed frame has at least {MIN_COUNT} messages, got {count}")
    if count > cursor.bytes_left:  # before a list of that length is made
        raise CorruptFrameError(f"{count} arms need as many bytes, {cursor.bytes_left} are left")
    return count


def _read_shape(cursor: Cursor, kind: Kind) -> list[bool]:
    columns = _COLUMNS[kind]
    cursor.take_zeros(8 - len(columns), "spare")
    shared = []
    for name, _ in columns:
        flag = cursor.take(1)
        cursor.note("shape", flag, "{1}: 1 means one for all, 0 one each", name)
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


def _read_shared(cursor: Cursor, name: str, meaning: str, count: int) -> list[int]:
    number = cursor.take_number()
    cursor.note(name, number, meaning, "every", "arm")
    return [number] * count


def _read_column(cursor: Cursor, name: str, meaning: str, arms: list[int]) -> list[int]:
    column = []
    for arm in arms:
        number = cursor.take_number()
        cursor.note(name, number, meaning, "arm", arm)
        column.append(number)
    if len(set(column)) == 1:
        raise CorruptFrameError(f"equal numbers must be spelt once, {name} has {len(arms)} times")
    return column


def _read_symbols(cursor: Cursor, arms: list[int], lengths: list[int]) -> list[Symbol]:
    read_symbols = []
    for arm, nbits in zip(arms, lengths, strict=True):
        symbol = Symbol(cursor.take(nbits), nbits)
        cursor.note("symbol", symbol.value, "arm {2}: the quantizer's bits {1}", symbol, arm)
        read_symbols.append(symbol)
    cursor.take_padding()
    return read_symbols
