"""Cases of the vectors in which nothing changes: frames that every agent refuses."""

from collections.abc import Iterator

from devices.heard import ARM, NEAREST, RUN, ask, rewards
from devices.vectors import Case, Event

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins, Levels, Raw
from bitarm.core.epochs import run_field
from bitarm.core.messages import Position, Report, Request
from bitarm.core.question import Question
from bitarm.wire.frames.envelope import FrameKind, long_frame, seal

_HEAD = (RUN << 8 | 1).to_bytes(4, "big") + bytes((ARM,))


def refusals() -> Iterator[Case]:
    """Frames that are damaged, for others, or ask what cannot be; and that nothing changes."""
    good = ask(Question(until=2, code=NEAREST)).hear
    last = ask(Question(until=4, code=NEAREST), 2)
    strange = [
        wire.encode(Report(run=run_field(RUN, 1), arm=ARM, message=1, symbol=Symbol(5, 3))),
        wire.encode(Report(run=run_field(RUN, 1), arm=ARM, message=1, symbol=Symbol(5, 30))),
        wire.encode(Position(run=run_field(RUN, 1), arm=ARM, message=1, pulls=4)),
        ask(Question(until=4, code=NEAREST), 2, arm=ARM + 1).hear,
        *(long_frame(FrameKind.DISMISS, _HEAD + cause) for cause in (b"\x00", b"\x03", b"")),
        good[:4] + b"\x77" + good[5:],
        seal(good[:4] + b"\x77" + good[5:-2]),
        wire.pack(
            [
                Request(run=run_field(RUN, 1), arm=arm, message=2, question=question)
                for arm, question in ((ARM, Question(until=4, code=NEAREST)),) * 1
                + ((ARM + 1, Question(until=4, code=NEAREST)),)
            ]
        ),
        *(
            ask(Question(until=4, code=code), 2).hear
            for code in (
                Bins(low=0.0, step=0.25, bins=4),
                Levels(step=0.25, centre=0, dither=0.5),
                Raw(),
            )
        ),
        seal(b"\x81\x03\x00"),
        seal(b"\x01\x03\x00"),
        b"\x81\x03\x00",
        b"\x01",
        b"",
        seal(b"\x82" + bytes(8)),  # a message code with one bit
        seal(b"\x86" + bytes(8)),  # no marker
        seal(b"\x86\x01" + bytes(7)) + b"\x00",
    ]
    events = [Event(hear=good)]
    events += [Event(hear=good[:size]) for size in range(len(good))]
    for bit in range(8 * len(good)):
        flipped = bytearray(good)
        flipped[bit // 8] ^= 0x80 >> bit % 8
        events.append(Event(hear=bytes(flipped)))
    events += [Event(hear=good + b"\x00"), *(Event(hear=frame) for frame in strange)]
    yield Case(name="damaged and strange frames", events=(*events, last), rewards=rewards(5, 4))
    bad = [Event(hear=long_frame(FrameKind.REQUEST, _HEAD + body)) for body in impossible()]
    yield Case(name="impossible questions", events=(*bad, last), rewards=rewards(6, 4))


def impossible() -> Iterator[bytes]:
    """Requests from the message's number on, each wrong in one place."""
    half, step = b"\x01\x01", b"\x01\x06"  # 1 times 2^-1, and 1 times 2^-3: 1/8
    nearest = b"\x01\x02\x04" + half + step
    yield b"\x00\x02\x04" + half + step + b"\x02"  # message 0
    yield b"\x01\x02\x00" + half + step + b"\x02"  # until 0
    yield b"\x01\x02\x81\xa0\x94\xa5\x8d\x1d" + half + step + b"\x02"  # above 10^12
    yield b"\x01\x02\x84\x00" + half + step + b"\x02"  # a superfluous zero group
    yield b"\x01\x02" + b"\xff" * 9 + b"\x02" + half + step + b"\x02"  # 2^64 and more
    yield nearest  # ends early
    yield nearest + b"\x00"  # divisor 0
    yield nearest + b"\x81\x80\x80\x80\x80\x20"  # above 2^40
    yield nearest + b"\x02\x00"  # goes on
    yield b"\x01\x02\x04" + half + b"\x00\x00\x02"  # step 0
    yield b"\x01\x02\x04" + half + b"\x02\x06\x02"  # below 0
    yield b"\x01\x02\x04" + half + b"\x03\x06\x02"  # an even number
    yield b"\x01\x02\x04\x00\x02" + step + b"\x02"  # 0 times 2^-1
    yield b"\x01\x02\x04\x01\x45" + half + b"\x02"  # 2^35, which is 2^36 steps from 0
    yield b"\x01\x02\x04\x01\x98\x11" + step + b"\x02"  # 2^-1100
    yield b"\x01\x02\x04\x01\x97\x11" + step + b"\x02"  # 2^1100
    yield b"\x01\x02\x04\x81\x80\x80\x80\x80\x80\x80\x20\x01" + step + b"\x02"  # 54 digits
    yield b"\x01\x22\x04" + half + step + b"\x02\x14"  # an escape of 20
    yield b"\x01\x22\x04" + half + step + b"\x02\x41"  # of 65
    yield b"\x01\x22\x04" + half + step + b"\x02\x00"  # of 0
    for tag in (0x00, 0x05, 0x06, 0x07, 0x08, 0x0F, 0x12, 0x85, 0x86, 0x67, 0xA7, 0xE7):
        yield bytes((1, tag, 4)) + half + step + bytes((1, 1, 1, 1, 1))
    yield b"\x01\x46\x04" + half + step + b"\x01\x3e\x00"  # rung 62
    yield b"\x01\x46\x04" + half + step + b"\x01\x02\x05"  # spread 3
    yield b"\x01\x46\x04" + half + step + b"\x01\x02\x52"  # spread -41
    yield b"\x01\x47\x04" + half + step + b"\xe0\x07\x10\x10\x10"  # rung 62
    yield b"\x01\x82\x04" + half + step + b"\x01\x03\x00"  # an even sigma
    yield b"\x01\x82\x04" + half + step + b"\x01\x00\x00"  # sigma 0
    yield b"\x01\x82\x04" + half + step + b"\x01\x02\x00"  # below 0
    yield b"\x01\xc2\x04" + half + step + b"\x01\x00\x00\x01\x00"  # [0, 1] spelt out
