"""Inputs that nobody should send: noise, sound frames of nonsense, and sound frames damaged."""

import json
import random
from collections.abc import Iterator, Mapping

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.codes import Bins, Code, Levels, Nearest, Raw
from bitarm.core.epochs import run_field
from bitarm.core.messages import Cause, Dismiss, Message, Position, Report, Request
from bitarm.core.question import Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.wire.announcement import Announcement, dump_announcement
from bitarm.wire.frames.questions import tag_of


def _number(rng: random.Random) -> int:
    return rng.choice((0, 1, 2, 3, rng.randrange(100), rng.randrange(1 << rng.randrange(1, 64))))


def _float(rng: random.Random) -> float:
    return rng.choice((0.0, 0.5, rng.uniform(-1, 1), 1.7e308, -1.7e308, rng.gauss(0, 1e9)))


def _code(rng: random.Random) -> Code:
    step = rng.choice((5e-324, 2.0**-20, 0.1, 1.0, 1e300))
    match rng.randrange(4):
        case 0:
            return Bins(low=_float(rng), step=step, bins=1 + _number(rng) % (1 << 53))
        case 1:
            centre = rng.uniform(-1, 1) * step
            divisor, escape = 1 + _number(rng) % (1 << 40), rng.randrange(1, 65)
            return Nearest(centre=centre, step=step, divisor=divisor, escape=escape)
        case 2:
            centre, dither = _number(rng) % (1 << 50), rng.getrandbits(32) / 2**32
            return Levels(step=step, centre=centre, dither=dither)
        case _:
            return Raw()


def question(rng: random.Random) -> Question:
    """A question that makes sense by itself, whether or not its asker means it."""
    return Question(until=1 + _number(rng) % MAX_PULLS, code=_code(rng))


def _message(rng: random.Random, run: int, kind: int, arm: int) -> Message:
    field = run_field(run, 1) if rng.random() < 0.8 else rng.randrange(1 << 32)
    number = 1 + _number(rng) % (1 << 60)
    match kind:
        case 0:
            return Request(run=field, arm=arm, message=number, question=question(rng))
        case 1:
            # Dismissals of this run are obeyed, and that would end the test.
            return Dismiss(run=field ^ 1 << 31, arm=arm, cause=rng.choice(list(Cause)))
        case 2:
            return Position(run=field, arm=arm, message=number, pulls=1 + _number(rng))
    nbits = rng.choice((0, 1, 3, 3, 3, 16, 17, 70))
    symbol = Symbol(rng.getrandbits(nbits) if nbits else 0, nbits)
    return Report(run=field, arm=arm, message=number, symbol=symbol)


def _frame(rng: random.Random, run: int) -> bytes:
    kind = rng.choice((0, 0, 0, 1, 2, 3, 3))
    first = _message(rng, run, kind, rng.randrange(5))
    messages = [first]
    for arm in rng.sample(range(5, 40), rng.randrange(6)):
        other = _message(rng, run, kind, arm)
        if other.run == first.run and _tag(other) == _tag(first):
            messages.append(other)
    return wire.pack(messages)


def _tag(message: Message) -> int:
    return tag_of(message.question) if isinstance(message, Request) else 0


def _damaged(rng: random.Random, payload: bytes) -> bytes:
    bad = bytearray(payload)
    for _ in range(rng.randrange(1, 4)):
        match rng.randrange(3):
            case 0 if bad:
                bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
            case 1:
                del bad[rng.randrange(len(bad) + 1) :]
            case _:
                bad += rng.randbytes(rng.randrange(1, 5))
    return bytes(bad)


def frames(rng: random.Random, count: int, run: int) -> Iterator[bytes]:
    """Payloads for a handler of frames of this run; in its first epoch, where they are sound."""
    for _ in range(count):
        match rng.randrange(4):
            case 0:
                yield rng.randbytes(rng.randrange(60))
            case 1:
                yield _damaged(rng, _frame(rng, run))
            case _:
                yield _frame(rng, run)


def texts(rng: random.Random, count: int, arms: Mapping[int, str]) -> Iterator[bytes]:
    """Payloads for a handler of announcements: broken JSON, and JSON of the wrong shape."""
    announcement = Announcement(opening="x", epoch=1, arms=arms, bounds=(0.0, 1.0), seed=7)
    sound = dump_announcement(announcement)
    values: tuple[object, ...] = (None, True, 1, -1, 1e308, "", "x", [], {}, [1], {"a": 1})
    for _ in range(count):
        match rng.randrange(3):
            case 0:
                yield rng.randbytes(rng.randrange(60))
            case 1:
                at = rng.randrange(1, len(sound))
                yield sound[:at] + rng.randbytes(rng.randrange(3)) + sound[at + 1 :]
            case _:
                plain = json.loads(sound)
                plain[rng.choice(tuple(plain))] = rng.choice(values)
                yield json.dumps(plain).encode()
