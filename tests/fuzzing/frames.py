"""Inputs that nobody should send: noise, sound frames of nonsense, and sound frames damaged."""

import binascii
import math
import random
from collections.abc import Iterator

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.codes import Above, Bins, Code, Levels, Nearest, Raw
from bitarm.core.epochs import run_field
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.ladder import RUNGS
from bitarm.core.evidence.tasks import BAND, Challenge, Edge, Pilot
from bitarm.core.messages import Cause, Dismiss, Message, Position, Report, Request
from bitarm.core.question import Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.wire.frames.questions import tag_of


def _number(rng: random.Random) -> int:
    return rng.choice((0, 1, 2, 3, rng.randrange(100), rng.randrange(1 << rng.randrange(1, 64))))


def _float(rng: random.Random) -> float:
    return rng.choice((0.0, 0.5, rng.uniform(-1, 1), 1.7e308, -1.7e308, rng.gauss(0, 1e9)))


def _step(rng: random.Random) -> float:
    return rng.choice((5e-324, 2.0**-20, 0.1, 1.0, 1e300))


def _nearest(rng: random.Random) -> Nearest:
    step = _step(rng)
    centre = rng.uniform(-1, 1) * step
    divisor, escape = 1 + _number(rng) % (1 << 40), rng.randrange(1, 65)
    return Nearest(centre=centre, step=step, divisor=divisor, escape=escape)


def _code(rng: random.Random) -> Code:
    step = _step(rng)
    match rng.randrange(4):
        case 0:
            return Bins(low=_float(rng), step=step, bins=1 + _number(rng) % (1 << 53))
        case 1:
            return _nearest(rng)
        case 2:
            centre, dither = _number(rng) % (1 << 50), rng.getrandbits(32) / 2**32
            return Levels(step=step, centre=centre, dither=dither)
        case _:
            return Raw()


def _short(rng: random.Random) -> tuple[float, float]:
    """A whole multiple of a power of two, and that power: frames have these in a few bytes."""
    exponent = rng.choice((0, -3, -20, 9, -1000, 900))
    return math.ldexp(rng.randrange(-1000, 1000), exponent), math.ldexp(1.0, exponent)


def _scale(rng: random.Random) -> Scale:
    # All hold any reward in [0, 1]: an agent that is told narrower bounds has to stop.
    low, unit = rng.choice(((0.0, 1.0), (-1e9, 2e9), (0.0, 2.0**20), (-1.0, 2.1)))
    return Scale(bounded=rng.random() < 0.7, low=low, unit=unit)


def _judging(rng: random.Random, until: int) -> Question:
    """A question whose answer weighs rewards: frames have it in short numbers alone."""
    first, (centre, step) = rng.randrange(RUNGS - BAND + 1), _short(rng)
    scale = _scale(rng)
    if rng.random() < 0.5:
        one, two, three = rng.choices(range(256), k=3)
        low = centre - rng.randrange(16) * step
        task = Challenge(edge=centre, first=first, hurdles=(one, two, three))
        return Question(until=until, code=Above(low=low, step=step), scale=scale, task=task)
    code = Nearest(centre=centre, step=step, divisor=1 + rng.randrange(100), escape=6)
    wanted = rng.choice((None, Pilot(), Edge(first=first, spread=rng.randrange(-40, 3))))
    wanted = wanted if scale.bounded else None
    return Question(until=until, code=code, scale=scale, task=wanted)


def question(rng: random.Random) -> Question:
    """A question that makes sense by itself, whether or not its asker means it."""
    until = 1 + _number(rng) % MAX_PULLS
    if rng.random() < 0.4:
        return _judging(rng, until)
    return Question(until=until, code=_code(rng))


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


def _mended(payload: bytes) -> bytes:
    """The same with a right check sum: what is wrong is left for the fields to find."""
    body = payload[:-2]
    return body + binascii.crc_hqx(body, 0xFFFF).to_bytes(2)


def frames(rng: random.Random, count: int, run: int, *, forged: bool = False) -> Iterator[bytes]:
    """Payloads for a handler of frames of this run; in its first epoch, where they are sound.

    Of each frame: itself, and damage; if `forged`, also damage with a right check sum, which may
    then be of any epoch, and mean anything.
    """
    sound = _frame(rng, run)
    for _ in range(count):
        match rng.randrange(8):
            case 0:
                yield rng.randbytes(rng.randrange(60))
            case 1:
                yield _damaged(rng, sound)
            case 2 | 3 | 4 | 5 if forged:
                yield _mended(_damaged(rng, sound))
            case _:
                sound = _frame(rng, run)
                yield sound
