"""The mean itself, as the 64 bits of a float."""

import math
import struct
from dataclasses import dataclass
from typing import ClassVar, final

from bitarm.core.bits import Symbol
from bitarm.core.codes.checks import require_length
from bitarm.errors import PeerProtocolError

NBITS = 64


@final
@dataclass(frozen=True, slots=True)
class Raw:
    """IEEE 754 binary64, big-endian."""

    name: ClassVar[str] = "raw"

    def write(self, mean: float) -> Symbol:
        """The float's bits."""
        return Symbol(int.from_bytes(struct.pack(">d", mean)), NBITS)

    def read(self, symbol: Symbol) -> float:
        """The float back; PeerProtocolError if it is not finite, or has another length."""
        require_length(symbol, NBITS)
        (mean,) = struct.unpack(">d", symbol.value.to_bytes(NBITS // 8))
        if not math.isfinite(mean):
            raise PeerProtocolError(f"a mean must be finite, got {mean}")
        return float(mean)
