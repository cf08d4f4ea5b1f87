"""Inputs that nobody should send: noise, sound frames of nonsense, and sound frames damaged."""

import json
import random
from collections.abc import Iterator

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.messages import Cause, Dismiss, Hint, HintKind, Message, Report, Request
from bitarm.core.spec import RunSpec
from bitarm.runtime.announcement import Opened, dump_announcement


def _number(rng: random.Random) -> int:
    return rng.choice((0, 1, 2, 3, rng.randrange(100), rng.randrange(1 << rng.randrange(1, 64))))


def _hint(rng: random.Random) -> Hint:
    value = rng.choice((0.0, 0.5, rng.uniform(-1, 1), 1.7e308, -1.7e308, rng.gauss(0, 1e9)))
    return Hint(kind=rng.choice(list(HintKind)), value=value)


def _message(rng: random.Random, spec: RunSpec, kind: int, arm: int) -> Message:
    run = spec.fingerprint if rng.random() < 0.8 else rng.randrange(1 << 32)
    if kind == 0:
        return Request(
            run=run,
            arm=arm,
            message=1 + _number(rng) % (1 << 60),
            until=_number(rng),
            hint=_hint(rng) if rng.random() < 0.5 else None,
        )
    if kind == 1:
        # Dismissals of this run are obeyed, and that would end the test.
        return Dismiss(run=run ^ 1, arm=arm, cause=rng.choice(list(Cause)))
    nbits = rng.choice((0, 1, 3, 3, 3, 16, 17, 70))
    symbol = Symbol(rng.getrandbits(nbits) if nbits else 0, nbits)
    return Report(run=run, arm=arm, message=1 + _number(rng) % (1 << 60), symbol=symbol)


def _frame(rng: random.Random, spec: RunSpec) -> bytes:
    kind = rng.choice((0, 0, 1, 2, 2))
    first = _message(rng, spec, kind, rng.randrange(5))
    messages = [first]
    for arm in rng.sample(range(5, 40), rng.randrange(6)):
        other = _message(rng, spec, kind, arm)
        if other.run == first.run:
            messages.append(other)
    return wire.pack(messages)


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


def frames(rng: random.Random, count: int, spec: RunSpec) -> Iterator[bytes]:
    """Payloads for a handler of frames."""
    for _ in range(count):
        match rng.randrange(4):
            case 0:
                yield rng.randbytes(rng.randrange(60))
            case 1:
                yield _damaged(rng, _frame(rng, spec))
            case _:
                yield _frame(rng, spec)


def texts(rng: random.Random, count: int, spec: RunSpec) -> Iterator[bytes]:
    """Payloads for a handler of announcements: broken JSON, and JSON of the wrong shape."""
    sound = dump_announcement(Opened(opening="x", spec=spec, agents={"other": (0,)}))
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
                plain[rng.choice(("version", "opening", "spec", "agents"))] = rng.choice(values)
                yield json.dumps(plain).encode()
