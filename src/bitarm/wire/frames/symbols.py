"""How symbols become bytes: back to back, most significant bit first, zeros up to a whole byte."""

from collections.abc import Iterable

from bitarm.core.bits import Symbol
from bitarm.core.messages import Message, Report


def join(symbols: Iterable[Symbol]) -> bytes:
    """The bits of all symbols with no gap between them, padded once at the end."""
    out = bytearray()
    rest = nrest = 0  # fewer than eight bits: a growing integer would cost quadratic time
    for symbol in symbols:
        rest = rest << symbol.nbits | symbol.value
        nbytes, keep = divmod(nrest + symbol.nbits, 8)
        out += (rest >> keep).to_bytes(nbytes)
        rest &= (1 << keep) - 1
        nrest = keep
    if nrest:
        out.append(rest << 8 - nrest)
    return bytes(out)


def payload_bytes(messages: Iterable[Message]) -> int:
    """Whole bytes that the symbols of one frame fill: payload bits, padded once.

    Requests and dismissals carry no payload.
    """
    bits = sum(message.symbol.nbits for message in messages if isinstance(message, Report))
    return (bits + 7) // 8
