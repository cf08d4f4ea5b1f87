"""Texts that nobody should send or keep: broken JSON and TOML, and such of the wrong shape."""

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 3, 255, 256, 2**31, 2**63, 2**64, 10**30),
    *(0.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf")),
    *("", "x", "0", "1", "gw", "é" * 600, "\ud800", "\x1b[2J\n", "online", "done", "failed"),
    *([], {}, [1], [[]], [None, 1], {"a": 1}, {"0": 1}, {"0": "arm-0"}, ["x", {}], ["x", {"0": 1}]),
)
_LITERALS = (
    *("0", "1", "-1", "2", "64", "1000000", "99999999999999999999", "0.5", "1e400", "-1e308"),
    *(
        "5e-324",
        "nan",
        "inf",
        "-inf",
        "true",
        '""',
        '"x"',
        '"\\u001b[2J"',
        "[]",
        "{}",
        "[0.0, 1.0]",
    ),
    *("[1.0, 0.0]", "[nan, 1.0]", "[[0.0]]", "1979-05-27", '"icq"', '"dyadic"', '"lucb"', '"csv"'),
    *('"gaussian"', '"budget"', '"wait"', '"drop"', '"chirpstack"', '"paper"', '"pairwise"'),
)
_DEEP = b"[" * 100_000


def _value(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(_VALUES))  # what is inside may be spoilt next


def damaged(rng: random.Random, text: bytes) -> bytes:
    """A text with a few bytes lost, changed or added."""
    bad = bytearray(text)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(bad) + 1)
        match rng.randrange(4):
            case 0 if at < len(bad):
                bad[at] ^= 1 << rng.randrange(8)
            case 1:
                del bad[at : at + rng.randrange(1, 20)]
            case 2:
                del bad[at:]
            case _:
                bad[at:at] = rng.randbytes(rng.randrange(1, 5))
    return bytes(bad)


def _spoil(rng: random.Random, plain: Any) -> Any:
    """One value somewhere in it replaced, taken out, or put beside the others."""
    if not isinstance(plain, dict | list) or not plain or rng.random() < 0.15:
        return _value(rng)
    keys = list(plain) if isinstance(plain, dict) else list(range(len(plain)))
    key = rng.choice(keys)
    match rng.randrange(8):
        case 0:
            del plain[key]
        case 1 if isinstance(plain, dict):
            plain[str(_value(rng))[:80]] = _value(rng)
        case 1 if isinstance(plain, list):
            plain.insert(rng.randrange(len(plain) + 1), _value(rng))
        case 2:
            plain[key] = copy.deepcopy(plain[rng.choice(keys)])
        case _:
            plain[key] = _spoil(rng, plain[key])
    return plain


def spoilt(rng: random.Random, sound: bytes | str) -> Any:
    """What a JSON text says, changed in one to three places."""
    plain = json.loads(sound)
    for _ in range(rng.randrange(1, 4)):
        plain = _spoil(rng, plain)
    return plain


def texts(rng: random.Random, count: int, sound: Sequence[bytes]) -> Iterator[bytes]:
    """Payloads for a handler of JSON, made from some that it takes."""
    for _ in range(count):
        text = rng.choice(sound)
        match rng.randrange(8):
            case 0:
                yield rng.choice(
                    (rng.randbytes(rng.randrange(60)), b"", _DEEP[: rng.randrange(99)])
                )
            case 1:
                yield damaged(rng, text)
            case 2:
                yield text
            case _:
                yield json.dumps(spoilt(rng, text)).encode()


def tables(
    rng: random.Random, count: int, sound: Sequence[str], words: Sequence[str]
) -> Iterator[bytes]:
    """TOML made from some that is sound: other words, other values, lines lost and doubled."""
    for _ in range(count):
        lines = rng.choice(sound).splitlines()
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(lines))
            key, equals, _value = lines[at].partition("=")
            match rng.randrange(6):
                case 0:
                    lines.insert(at, rng.choice(lines))
                case 1 if len(lines) > 1:
                    del lines[at]
                case 2:
                    lines.insert(at, f"{rng.choice(words)} = {rng.choice(_LITERALS)}")
                case 3 if equals:
                    lines[at] = f"{rng.choice(words)} = {rng.choice(_LITERALS)}"
                case _ if equals:
                    lines[at] = f"{key}= {rng.choice(_LITERALS)}"
                case _:
                    lines[at] = rng.choice(("[arm]", "[scheme]", "[x]", "[[problem]]", "[", "= 1"))
        text = "\n".join(lines).encode()
        yield damaged(rng, text) if rng.random() < 0.1 else text
